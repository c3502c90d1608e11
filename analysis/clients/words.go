package clients

import (
	"fmt"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// maxShown is how many bytes of a text of a client or a server are shown.
const maxShown = 160

func short(s string) string {
	s = object.OneLine(s[:min(len(s), 4*maxShown)])
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

// plural is "1 watch" or "3 watches".
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ch"):
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// timesOf is "twice" or "14 times".
func timesOf(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// span is a duration as people say it. From ten seconds on it has whole seconds, so that a text that counts changes
// once a second.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "below 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// joined puts sentences together; those that are "" are left out.
func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}

// nameOfObject is "deployments/web", "pods/a in shop", or "pods in shop" for those of a namespace.
func nameOfObject(resource, namespace, name string) string {
	s, _, _ := strings.Cut(resource, ".")
	if name != "" {
		s += "/" + short(name)
	}
	if namespace != "" && (namespace != "default" || name == "") {
		s += " in " + short(namespace)
	}
	return s
}

// nameOfWatch is the same for what a watch is of, with its selectors.
func nameOfWatch(w *flow.Watch) string {
	of := streamOf(w.Target, w.Query)
	s := nameOfObject(of.Resource, of.Namespace, of.Name)
	if sel := joined(of.labels, of.fields); sel != "" {
		s += " with " + short(sel)
	}
	return s
}

// nameOfTarget is the same for what a request asks for.
func nameOfTarget(t flow.Target, path string) string {
	if t.Resource == "" {
		return short(path)
	}
	return nameOfObject(t.Resource, t.Namespace, t.Name)
}
