package doctor

import (
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A collection is what a client lists or watches: a path with its selectors.
type collection struct{ client, path, selectors string }

// collectionOf is the collection that a list or a watch is about. Of an older form of watching, the path says so as
// well.
func collectionOf(r *request) collection {
	path := strings.Replace(r.Path, "/watch/", "/", 1)
	if r.Target.Verb != "watch" {
		path = r.Path
	}
	return collection{r.client.key, path, r.selectors()}
}

// listed reports whether a request was a list with an answer, and watched whether it was a watch that opened.
func listed(r *request) bool  { return r.Target.Verb == "list" && r.accepted() && r.Page != nil }
func watched(r *request) bool { return r.Phase == flow.WatchOpened && r.Status/100 == 2 }

// streaming reports whether a watch begins with all objects, as a list would.
func streaming(r *request) bool { return r.param("sendInitialEvents") == "true" }

// listRef is what findings about a list name: the resource, in its namespace.
func listRef(r *request) object.Ref {
	return object.Ref{Resource: r.ref.Resource, Namespace: r.ref.Namespace}
}

// light is a request without its bodies, to be kept for a while.
func light(r *request) *request {
	f := *r.Flow
	f.RequestBody.Kept, f.ResponseBody.Kept, f.Effects, f.Stations, f.Statements = nil, nil, nil, nil, nil
	f.RequestHeader, f.ResponseHeader, f.Plugins, f.Conflict = nil, nil, nil, nil
	kept := *r
	kept.Flow = &f
	return &kept
}

// selectors are what the query selects; "" for everything.
func (r *request) selectors() string {
	if !strings.Contains(r.Query, "Selector=") {
		return ""
	}
	return r.param("labelSelector") + "\n" + r.param("fieldSelector")
}
