package tui

import (
	"fmt"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

func objectName(c flow.Commit) string {
	s := c.Resource + "/" + c.Name
	if c.Namespace != "" && c.Namespace != "default" {
		s += " @" + c.Namespace
	}
	return s
}

// objectNameIn is objectName in w cells: where they are too few, the group is left out before the name is.
func objectNameIn(c flow.Commit, w int) string {
	s := objectName(c)
	if text(sPlain, s).width() <= w {
		return s
	}
	c.Resource = resourceOf(c)
	return fit(objectName(c), w)
}

// resourceOf is the resource of a commit without its group.
func resourceOf(c flow.Commit) string {
	for i := range c.Resource {
		if c.Resource[i] == '.' {
			return c.Resource[:i]
		}
	}
	return c.Resource
}

// targetText is what a request asked for, as kubectl users write it: "deployments/web", "pods", "/version".
func targetText(f *flow.Flow) string {
	t := f.Target
	if t.Resource == "" {
		return f.Path
	}
	s := t.Resource
	if t.Name != "" {
		s += "/" + t.Name
	} else if t.Verb == "create" && len(f.Effects) == 1 {
		s += "/" + f.Effects[0].Commit.Name // the path of a create does not say it
	}
	if t.Subresource != "" {
		s += "/" + t.Subresource
	}
	return s
}

// targetExtra is what else matters: the namespace unless it is the default one, and the query.
func targetExtra(f *flow.Flow) string {
	s := ""
	if ns := f.Target.Namespace; ns != "" && ns != "default" && f.Target.Resource != "namespaces" {
		s = " @" + ns
	}
	if q := queryHint(f); q != "" {
		s += " ?" + q
	}
	return s
}

// queryHint is the query without what every client sends.
func queryHint(f *flow.Flow) string {
	if f.Query == "" {
		return ""
	}
	var keep []string
	for _, p := range strings.Split(f.Query, "&") {
		k, v, _ := strings.Cut(p, "=")
		switch k {
		case "fieldManager", "fieldValidation", "timeout", "timeoutSeconds", "watch", "allowWatchBookmarks":
			continue
		case "resourceVersion":
			if f.Target.Verb == "watch" {
				continue
			}
		case "limit":
			if v == "500" {
				continue
			}
		}
		keep = append(keep, p)
	}
	return strings.Join(keep, "&")
}

// codeText is the status with a sign for what it means: ! for refused, ✗ for failed.
func codeText(f *flow.Flow) (style, string) {
	switch {
	case f.Panic != "":
		return sErr, fmt.Sprintf("%d✗", f.Status)
	case f.Status == 0:
		return sWarn, "gone"
	case f.Status >= 500:
		return sErr, fmt.Sprintf("%d✗", f.Status)
	case f.Status >= 400:
		return sWarn, fmt.Sprintf("%d!", f.Status)
	}
	return sPlain, fmt.Sprint(f.Status)
}

func revision(rv int64) string {
	if rv == 0 {
		return "–"
	}
	return fmt.Sprint(rv)
}

func seconds(d time.Duration) string {
	if d >= 1000*time.Second {
		return fmt.Sprintf("%.1f", d.Seconds())
	}
	return fmt.Sprintf("%.3f", d.Seconds())
}

func shortVerb(v string) string {
	if v == "deletecollection" {
		return "delcoll"
	}
	return v
}

// shorter are short words for what the queries of lists name, for the narrow column; the title below has them in full.
var shorter = strings.NewReplacer("resourceVersionMatch=", "match=", "resourceVersion=", "rv=", "labelSelector=", "labels=", "fieldSelector=", "fields=")

func commitStyle(cm flow.Commit) style {
	switch cm.Type {
	case flow.Created:
		return sAdd
	case flow.Deleted:
		return sDel
	}
	return sBold
}

// letterWords say what the letter of a version means.
var letterWords = map[string]string{
	"C": "created", "U": "updated", "A": "applied", "S": "status alone", "T": "deletion began", "D": "deleted", "X": "by SQL from outside", "?": "changed",
}

// commitOf names the object as commits do.
func commitOf(r object.Ref) flow.Commit {
	return flow.Commit{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}
}

// refText is the object as commits are named: "pods/db-0 @shop".
func refText(r object.Ref) string { return objectName(commitOf(r)) }

// watchName says what is watched: the resource, a name or selector, the namespace.
func watchName(x *flow.Watch) string {
	f := flow.Flow{Target: x.Target, Query: x.Query}
	f.Target.Verb = "watch"
	return targetText(&f) + targetExtra(&f)
}
