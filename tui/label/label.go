// Package label has the names of requests, objects and versions in lists, with their styles.
package label

import (
	"fmt"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/term"
)

// Object names the object of a commit.
func Object(c flow.Commit) string {
	s := c.Resource + "/" + c.Name
	if c.Namespace != "" && c.Namespace != "default" {
		s += " @" + c.Namespace
	}
	return s
}

// ObjectIn is Object in w cells: if there is not enough room, the group is left out before the name is cut.
func ObjectIn(c flow.Commit, w int) string {
	s := Object(c)
	if term.Text(term.Plain, s).Width() <= w {
		return s
	}
	c.Resource = Resource(c)
	return term.Fit(Object(c), w)
}

// Resource returns the resource of a commit without its group.
func Resource(c flow.Commit) string {
	name, _, _ := strings.Cut(c.Resource, ".")
	return name
}

// Target returns the target of a request as kubectl's users write it: "deployments/web", "pods", "/version".
func Target(f *flow.Flow) string {
	t := f.Target
	if t.Resource == "" {
		return f.Path
	}
	s := t.Resource
	if t.Name != "" {
		s += "/" + t.Name
	} else if t.Verb == "create" && len(f.Effects) == 1 {
		s += "/" + f.Effects[0].Commit.Name // the path of a create does not have it
	}
	if t.Subresource != "" {
		s += "/" + t.Subresource
	}
	return s
}

// Extra returns the namespace, unless it is the default one of a single object, and the query.
func Extra(f *flow.Flow) string {
	s := Where(f.Target)
	if q := queryHint(f); q != "" {
		s += " ?" + q
	}
	return s
}

// Where returns the namespace of a request: " -A" for all, " @shop" for one. default is named only for a collection, to
// distinguish it from all namespaces.
func Where(t flow.Target) string {
	switch ns := t.Namespace; {
	case t.AllNamespaces():
		return " -A"
	case ns == "" || t.Resource == "namespaces" || ns == "default" && !t.Collection():
		return ""
	default:
		return " @" + ns
	}
}

// queryHint returns the query without the parameters that every client sends.
func queryHint(f *flow.Flow) string {
	if f.Query == "" {
		return ""
	}
	var keep []string
	for _, p := range strings.Split(flow.MaskQuery(f.Query, flow.Hidden), "&") {
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

// Code returns the status with a sign: ! for refused, ✗ for failed.
func Code(f *flow.Flow) (term.Style, string) {
	switch {
	case f.Panic != "":
		return term.Err, fmt.Sprintf("%d✗", f.Status)
	case f.Status == 0:
		return term.Warn, "gone"
	case f.Status >= 500:
		return term.Err, fmt.Sprintf("%d✗", f.Status)
	case f.Status >= 400:
		return term.Warn, fmt.Sprintf("%d!", f.Status)
	}
	return term.Plain, fmt.Sprint(f.Status)
}

// Revision returns a resourceVersion as text, a dash for 0.
func Revision(rv int64) string {
	if rv == 0 {
		return "–"
	}
	return fmt.Sprint(rv)
}

// Seconds writes a duration in seconds; a long one has fewer decimals.
func Seconds(d time.Duration) string {
	if d >= 1000*time.Second {
		return fmt.Sprintf("%.1f", d.Seconds())
	}
	return fmt.Sprintf("%.3f", d.Seconds())
}

// Verb shortens a verb for the columns.
func Verb(v string) string {
	if v == "deletecollection" {
		return "delcoll"
	}
	return v
}

// Shorter shortens the parameters of lists for the narrow column; the title below has them in full.
var Shorter = strings.NewReplacer("resourceVersionMatch=", "match=", "resourceVersion=", "rv=",
	"labelSelector=", "labels=", "fieldSelector=", "fields=")

// CommitStyle returns the style of a commit, by its type.
func CommitStyle(cm flow.Commit) term.Style {
	switch cm.Type {
	case flow.Created:
		return term.Add
	case flow.Deleted:
		return term.Del
	}
	return term.Bold
}

// CommitOf returns a commit with the names of an object.
func CommitOf(r object.Ref) flow.Commit {
	return flow.Commit{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}
}

// Ref returns the name of an object in the style of commits: "pods/db-0 @shop".
func Ref(r object.Ref) string { return Object(CommitOf(r)) }

// Watch describes the target of a watch: the resource, a name or selector, the namespace.
func Watch(x *flow.Watch) string {
	f := flow.Flow{Target: x.Target, Query: x.Query}
	f.Target.Verb = "watch"
	return Target(&f) + Extra(&f)
}
