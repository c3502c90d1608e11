package play

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubarium/scenarios"
)

// differs returns how a request differs from the one that the step asks for; "" if it does not. ns is the lesson's namespace.
func differs(s scenarios.Step, seen Seen, ns string) string {
	method, path := http.MethodGet, s.Path()
	if s.Request != nil {
		method = s.Request.Method
	}
	path, query, _ := strings.Cut(path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	wanted := Seen{Method: method, Path: path, Query: query, Watch: s.Watch != nil}
	if s.Request != nil {
		wanted.ContentType = s.Request.PatchType()
	}
	switch {
	case method != seen.Method || path != seen.Path || wanted.Watch != seen.Watch:
		return "this step wants " + described(wanted, ns)
	case wanted.ContentType != "" && !strings.HasPrefix(seen.ContentType, wanted.ContentType):
		return "this step wants " + described(wanted, ns) + " of the type " + wanted.ContentType
	}
	if name, value := lacking(query, seen.Query, wanted.Watch); name != "" {
		return fmt.Sprintf("this step wants it with %s=%s", name, value)
	}
	if scenarios.DryRun(seen.Query) && !scenarios.DryRun(query) {
		return "this step wants it done, not dry run"
	}
	return ""
}

// free are the query parameters that clients set as they like.
var free = []string{"pretty", "timeout", "timeoutSeconds", "allowWatchBookmarks", "watch"}

// lacking returns a parameter of the wanted query that the other one has not, or that it has with another value.
func lacking(wanted, other string, watch bool) (name, value string) {
	want, err := url.ParseQuery(wanted)
	got, err2 := url.ParseQuery(other)
	if err != nil || err2 != nil {
		return "", ""
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if slices.Contains(free, name) || watch && strings.HasPrefix(name, "resourceVersion") {
			continue // a client may begin its watch where it likes
		}
		if want.Get(name) != got.Get(name) {
			return name, want.Get(name)
		}
	}
	return "", ""
}

// readers are kubectl's commands whose purpose is to read. Others read before they write.
var readers = []string{"", "kubectl get", "kubectl describe", "kubectl events", "kubectl diff"}

// concerns reports whether a request may be an attempt at what the step asks for: it is for the same resource, or in the lesson's
// namespace. Discovery is none, nor are the reads of a command that writes or watches.
func concerns(s scenarios.Step, seen Seen, ns string) bool {
	got, ok := scenarios.RefOf(seen.Path)
	reads := seen.Method == http.MethodGet
	if !ok || reads && !slices.Contains(readers, seen.Command) || reads && s.Watch != nil && !seen.Watch {
		return false
	}
	if got.Namespace == ns {
		return true
	}
	wanted, ok := scenarios.RefOf(s.Path())
	byHand := strings.HasPrefix(seen.UserAgent, "kubectl") || strings.HasPrefix(seen.UserAgent, "curl")
	return ok && byHand && wanted.GroupResource() == got.GroupResource()
}

// described says a request in words, "a patch of configmaps/tank", with its namespace unless it is the lesson's.
func described(seen Seen, ns string) string {
	ref, ok := scenarios.RefOf(seen.Path)
	if !ok {
		return "a " + seen.Method + " of " + seen.Path
	}
	in := ""
	if ref.Namespace != "" && ref.Namespace != ns {
		in = " in namespace " + ref.Namespace
	}
	return verb(seen, ref.Name == "") + " of " + ref.String() + in
}

func verb(seen Seen, collection bool) string {
	switch {
	case seen.Watch:
		return "a watch"
	case seen.Method == http.MethodGet && collection:
		return "a list"
	case seen.Method == http.MethodGet:
		return "a get"
	case seen.Method == http.MethodPost:
		return "a create"
	case seen.Method == http.MethodPut:
		return "an update"
	case seen.Method == http.MethodPatch && strings.Contains(seen.ContentType, "apply-patch"):
		return "an apply"
	case seen.Method == http.MethodPatch:
		return "a patch"
	case seen.Method == http.MethodDelete && collection:
		return "a deletion of all"
	case seen.Method == http.MethodDelete:
		return "a deletion"
	}
	return "a " + seen.Method
}

// sentence says what the reader sent and what came of it: "PATCH deployments/pump by kubectl → 200".
func sentence(seen Seen) string {
	what := seen.Path
	if ref, ok := scenarios.RefOf(seen.Path); ok {
		what = ref.String()
	}
	program, _, _ := strings.Cut(cmp.Or(seen.Command, seen.Who), " ")
	return fmt.Sprintf("%s %s by %s → %d", seen.Method, what, program, seen.Status)
}

// pathOf is a request's path with its query.
func pathOf(seen Seen) string {
	if seen.Query == "" {
		return seen.Path
	}
	return seen.Path + "?" + seen.Query
}
