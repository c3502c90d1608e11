package story

import (
	"fmt"
	"strings"

	"kubarium/flow"
)

// Line describes a flow in one sentence: "409 Conflict: B update deployments/web, stale rv 4171, stored 4176".
func Line(f *flow.Flow) string {
	head := status(f.Status)
	if f.Status == 0 {
		head = "no answer"
	}
	return fmt.Sprintf("%s: %s %s%s", head, tag(f), request(f), detail(f))
}

func tag(f *flow.Flow) string {
	if f.Client.Tag == "" {
		return "a client"
	}
	return f.Client.Tag
}

// request describes a request in short: "update deployments/web in shop".
func request(f *flow.Flow) string {
	t := &f.Target
	if t.Resource == "" {
		return f.Method + " " + f.Path
	}
	s := t.Verb + " " + t.Resource
	if t.Name != "" {
		s += "/" + t.Name
	}
	if t.Subresource != "" {
		s += "/" + t.Subresource
	}
	switch {
	case t.AllNamespaces():
		s += " in all namespaces"
	case t.Namespace != "" && t.Resource != "namespaces" && (t.Namespace != "default" || t.Collection()):
		s += " in " + t.Namespace
	}
	return s
}

// detail is further important information, beginning with a comma; "" if there is none.
func detail(f *flow.Flow) string {
	switch {
	case f.Panic != "":
		first, _, _ := strings.Cut(f.Panic, "\n")
		return ", panic: " + first
	case f.Watch != nil && f.Phase == flow.WatchClosed:
		w := f.Watch.State()
		return fmt.Sprintf(", closed after %s (%s)", plural(int(w.Sent), "event"), w.Cause)
	case f.Watch != nil:
		return ", opened"
	case f.Conflict != nil && f.Conflict.Kind == flow.StaleRevision && f.Status < 400:
		return fmt.Sprintf(", rv %d, tried again by the server when rv %d had been written", f.Revision, f.Conflict.Stored)
	case f.Conflict != nil && f.Conflict.Kind == flow.StaleRevision:
		return fmt.Sprintf(", stale rv %d, stored %d", f.Conflict.Sent, f.Conflict.Stored)
	case f.Conflict != nil:
		return ", " + string(f.Conflict.Kind)
	case f.Status >= 400 && f.Message != "":
		return ", " + f.Message
	case parameter(f, "dryRun") == "All":
		return ", dry run"
	case isWrite(f) && len(f.Effects) == 0:
		return ", nothing changed"
	case f.Revision > 0:
		return fmt.Sprintf(", rv %d", f.Revision)
	}
	return ""
}

func isWrite(f *flow.Flow) bool {
	switch f.Target.Verb {
	case "update", "patch", "apply", "delete", "deletecollection":
		return f.Target.Resource != "" && f.Status < 300
	}
	return false
}
