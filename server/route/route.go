// Package route reads what a request asks for, and finds what serves it. These are two steps, because kube-apiserver
// authorizes between them: who may not ask for a path gets a 403 whether there is anything or not, who may gets a
// 404.
//
// Read needs the request line alone. Its Route has the attributes of the official RequestInfo, by which authorizers
// decide. Find looks into the catalogue; its Endpoint says which of the server's handlers answers, and about what.
// Headers, bodies and answers are not known here.
package route

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
)

// A Route is what method and path ask for, in Kubernetes' words (API Concepts, "Resource URIs" and "API verbs"),
// whether or not it is served. Of a resource it says the same as the official RequestInfo.
type Route struct {
	Method string
	Path   string
	// Verb is get, list, watch, create, update, patch, delete or deletecollection; "" for a method that resources do
	// not know; "proxy" for the path of an old proxy; and for a path that is not a resource the method in lower case.
	Verb string
	// Prefix is "api" or "apis" for the path of a resource, "" for any other. All that follows is of a resource.
	Prefix      string
	Group       string
	Version     string
	Resource    string // "" for any other path, and for a /watch with nothing after it
	Subresource string // its first part: "proxy" of proxy/metrics
	Namespace   string // of a namespace itself, its name
	Name        string // also the one that the field selector of a list or a watch narrows it to
	// FieldSelector and LabelSelector are those of a list, a watch or a deletecollection, as they were sent.
	FieldSelector string
	LabelSelector string

	parts      []string // of the path, from the resource on
	namespaced bool     // the path has namespaces/NS in front of the resource
	special    bool     // the path is /watch/… or /proxy/…, which is the verb whatever the method
}

// IsResource reports whether the path is that of a resource.
func (r Route) IsResource() bool { return r.Prefix != "" }

// LongRunning reports whether the answer ends when the client wants, and not as soon as it can.
func (r Route) LongRunning() bool {
	switch r.Subresource {
	case "attach", "exec", "log", "portforward", "proxy":
		return true
	}
	return r.Verb == "watch" || r.Verb == "proxy"
}

// String names the route for people: "list deployments.apps in shop".
func (r Route) String() string {
	if r.Resource == "" {
		return ""
	}
	t := r.Target()
	var dot, slash, in string
	if t.Group != "" {
		dot = "."
	}
	if t.Subresource != "" {
		slash = "/"
	}
	if t.Namespace != "" {
		in = " in "
	}
	return t.Verb + " " + t.Resource + dot + t.Group + slash + t.Subresource + in + t.Namespace
}

// Target is the route as a flow has it: what the path names, without selectors, and always a verb.
func (r Route) Target() flow.Target {
	verb := r.Verb
	if verb == "" {
		verb = strings.ToLower(r.Method)
	}
	return flow.Target{
		Verb: verb, Group: r.Group, Version: r.Version, Resource: r.Resource,
		Subresource: r.subresource(), Namespace: r.namespace(), Name: r.name(),
	}
}

// namespace is the one that the path names in front of the resource.
func (r *Route) namespace() string {
	if r.namespaced {
		return r.Namespace
	}
	return ""
}

// name is the one that the path names, not the one that a selector does.
func (r *Route) name() string {
	if len(r.parts) < 2 {
		return ""
	}
	return r.parts[1]
}

// subresource is all that follows the name.
func (r *Route) subresource() string {
	if len(r.parts) < 3 {
		return ""
	}
	return strings.Join(r.parts[2:], "/")
}

// verbs are those of methods. A get without a name is a list or a watch, and a delete without one a deletecollection.
var verbs = map[string]string{
	http.MethodGet: "get", http.MethodHead: "get", http.MethodPost: "create",
	http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// Read reads /api/VERSION/… and /apis/GROUP/VERSION/…, where … is
// [watch/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]. Every path can be read; one that is too short for a
// resource, or begins otherwise, is not one.
func Read(method, path string, query url.Values) Route {
	r := Route{Method: method, Path: path, Verb: strings.ToLower(method)}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) >= 3:
		r.Prefix, r.Version, parts = "api", parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 4:
		r.Prefix, r.Group, r.Version, parts = "apis", parts[1], parts[2], parts[3:]
	default:
		return r
	}
	switch special := parts[0] == "watch" || parts[0] == "proxy"; {
	case special && len(parts) == 1:
		return r // nothing is watched
	case special:
		r.Verb, r.special, parts = parts[0], true, parts[1:]
	default:
		r.Verb = verbs[method]
	}
	r.readParts(parts)
	if r.Name == "" {
		r.readCollection(query)
	}
	if !r.special && slices.Contains([]string{"list", "watch", "deletecollection"}, r.Verb) {
		r.FieldSelector, r.LabelSelector = query.Get("fieldSelector"), query.Get("labelSelector")
	}
	return r
}

// readParts reads [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]. Two words after the name of a namespace are its
// subresources, and all others resources in it.
func (r *Route) readParts(parts []string) {
	if parts[0] == "namespaces" && len(parts) > 1 {
		r.Namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			r.namespaced, parts = true, parts[2:]
		}
	}
	r.parts = parts
	r.Resource, r.Name = parts[0], r.name()
	if len(parts) > 2 && r.Verb != "proxy" {
		r.Subresource = parts[2]
	}
}

// readCollection decides whether a collection is listed or watched, and finds the one name that its field selector
// lets through, if any. Parameters that cannot be read have none.
func (r *Route) readCollection(query url.Values) {
	switch r.Verb {
	case "delete":
		r.Verb = "deletecollection"
		return
	case "get":
		r.Verb = "list"
	default:
		return
	}
	if IsTrue(query["watch"]) {
		r.Verb = "watch"
	}
	if query.Get("fieldSelector") == "" {
		return
	}
	var o metainternal.ListOptions
	if err := metainternalscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &o); err != nil || o.FieldSelector == nil {
		return
	}
	if name, ok := o.FieldSelector.RequiresExactMatch("metadata.name"); ok && len(content.IsPathSegmentName(name)) == 0 {
		r.Name = name
	}
}

// IsTrue reads a parameter such as watch as kube-apiserver does: anything but "false" and "0" is true.
func IsTrue(values []string) bool {
	if len(values) == 0 {
		return false
	}
	v := strings.ToLower(values[0])
	return v != "false" && v != "0"
}
