package route

import (
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// Find finds what serves a route. The error is the 404 or 405 for a route that nothing serves, or a 400 for a name
// that no object can have; the endpoint then has what was found so far.
func (s *Served) Find(r Route) (Endpoint, error) {
	e := Endpoint{Verb: r.Verb}
	var err error
	if r.IsResource() {
		err = s.findResource(&r, &e)
	} else {
		err = s.findPage(&r, &e)
	}
	if err != nil {
		e.Handler = 0
	}
	return e, err
}

// findResource finds a verb of what follows /api/v1 or /apis/GROUP/VERSION.
func (s *Served) findResource(r *Route, e *Endpoint) error {
	switch {
	case strings.HasPrefix(r.Path, "//"):
		return ErrNoPath
	case r.Prefix == "api" && !s.Serves("", r.Version):
		return ErrNoResource
	case r.Prefix == "apis" && r.Group == "":
		return ErrNoPath
	case r.Verb == "proxy":
		return s.missing(r)
	}
	gvr := schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}
	if gvr.Group == "" && gvr.Resource == ComponentStatuses.Resource && !s.Withholds(ComponentStatuses) {
		return findComponent(r, e)
	}
	kind := s.Catalogue.Kind(gvr)
	if kind == nil {
		return s.findVirtual(r, gvr, e)
	}
	namespace, name, subresource := r.namespace(), r.name(), r.subresource()
	switch {
	case r.special && subresource != "", !kind.Namespaced && namespace != "",
		kind.Namespaced && name != "" && namespace == "" && (!r.namespaced || kind.Dynamic):
		return s.missing(r)
	case kind.Dynamic && kind.Namespaced && namespace == "" && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return ErrNoPath // without a namespace there are lists and watches alone
	}
	e.Target = registry.Target{Kind: kind, Subresource: subresource, Namespace: namespace, Name: name}
	var err error
	if subresource == "" {
		err = findVerb(r, e)
	} else {
		err = findSubresource(r, e)
	}
	if err == nil || kind.Dynamic { // the handlers of built-in kinds warn, and a path or method without one has none
		e.Warnings = kind.Warnings
	}
	if err == nil && subresource != "" && name == "" && e.Handler != Patch && e.Handler != PatchScale {
		err = registry.ErrNoName
	}
	if err == nil && (e.Target.Name != "" || e.Handler == DeleteCollection) && e.Verb != "watch" && !slices.Contains(changes, e.Handler) {
		err = e.Target.Check()
	}
	return err
}

// changes are the handlers that look at their bodies before they look at the name in the path.
var changes = []Handler{Update, Patch, UpdateScale, PatchScale}

// missing is the 404 of a path that names no resource below a served version. Where only custom resources are served,
// it is the 404 of a path that is not served.
func (s *Served) missing(r *Route) error {
	if s.BuiltIn(r.Group) {
		return ErrNoResource
	}
	return ErrNoPath
}

// findVirtual finds a resource whose objects are answered and not stored: they can be created and nothing else.
func (s *Served) findVirtual(r *Route, gvr schema.GroupVersionResource, e *Endpoint) error {
	v := registry.FindVirtual(gvr)
	if v == nil || s.Withholds(gvr) || r.name() != "" || r.special || v.Namespaced != (r.namespace() != "") {
		return s.missing(r)
	}
	if r.Method != http.MethodPost {
		return ErrNoMethod
	}
	e.Target, e.Virtual = registry.Target{Kind: v.Kind, Namespace: r.namespace()}, v
	return e.by(Ask)
}

// findComponent finds what is asked about components: they can be read and nothing else.
func findComponent(r *Route, e *Endpoint) error {
	switch {
	case r.namespace() != "" || r.subresource() != "" || r.special:
		return ErrNoResource
	case r.Method != http.MethodGet:
		return ErrNoMethod
	}
	e.Target = registry.Target{Kind: ComponentStatus(), Name: r.name()}
	e.Warnings = []string{"v1 ComponentStatus is deprecated in v1.19+"}
	switch r.Verb {
	case "watch":
		return e.by(WatchComponents)
	case "list":
		return e.by(ListComponents)
	}
	return e.by(GetComponent)
}

// readers are the handlers of the verbs that a method that reads may have.
var readers = map[string]Handler{"get": Get, "list": List, "watch": Watch}

// findVerb finds a verb of an object or a collection.
func findVerb(r *Route, e *Endpoint) error {
	t := &e.Target
	inNamespace := r.namespaced || !t.Kind.Namespaced // the path names one, if only an empty one
	if reads(r, t.Kind) {
		return e.by(readers[r.Verb])
	}
	switch {
	case r.special:
	case r.Method == http.MethodPatch && t.Name == "" && t.Kind.Dynamic:
		return e.by(Patch)
	case r.Method == http.MethodPut && t.Name == "" && t.Kind.Dynamic:
		return registry.ErrNoName
	case r.Method == http.MethodPost && (t.Name == "" || t.Kind.Dynamic) && inNamespace:
		t.Name = "" // the name of a custom resource is that in its body, whatever the path says
		return e.by(Create)
	case r.Method == http.MethodPut && t.Name != "":
		return e.by(Update)
	case r.Method == http.MethodPatch && t.Name != "":
		return e.by(Patch)
	case r.Method == http.MethodDelete && t.Name != "":
		return e.by(Delete)
	case r.Method == http.MethodDelete && inNamespace && !t.Kind.OneByOne:
		return e.by(DeleteCollection)
	}
	return noMethod(r, t.Kind)
}

// reads reports whether the method is one that reads: also HEAD for custom resources, whose paths no router has listed.
func reads(r *Route, k *kinds.Kind) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead && k.Dynamic
}

// noMethod is the 405 of a method that a resource does not know. That of a custom resource names the verb.
func noMethod(r *Route, k *kinds.Kind) error {
	if !k.Dynamic {
		return ErrNoMethod
	}
	verb := verbs[r.Method]
	if verb == "get" {
		verb = ""
	}
	return apierrors.NewMethodNotSupported(k.GroupResource(), verb)
}

// findSubresource finds a verb of a subresource.
func findSubresource(r *Route, e *Endpoint) error {
	k, name := e.Target.Kind, e.Target.Subresource
	switch {
	case name == "finalize" && k.Subresources[name] != nil:
		if r.Method != http.MethodPut {
			return ErrNoMethod
		}
		return e.by(Update)
	case k.Subresources[name] != nil:
		return findForm(r, e, Get, Update, Patch)
	case name == "scale" && k.Scale != nil:
		return findForm(r, e, GetScale, UpdateScale, PatchScale)
	case k.Action(action(name)) != nil:
		return findAction(r, e, k.Action(action(name)))
	case k.Dynamic:
		return apierrors.NewNotFound(k.GroupResource(), e.Target.Name)
	}
	return ErrNoResource
}

// findForm finds a verb of a subresource that can be read, replaced and patched.
func findForm(r *Route, e *Endpoint, get, update, patch Handler) error {
	switch {
	case reads(r, e.Target.Kind):
		e.Verb = "get"
		return e.by(get)
	case r.Method == http.MethodPut:
		return e.by(update)
	case r.Method == http.MethodPatch:
		return e.by(patch)
	}
	return noMethod(r, e.Target.Kind)
}

// action is the name of the action that a subresource is. A proxy has a path of its own after its name.
func action(subresource string) string {
	if first, _, _ := strings.Cut(subresource, "/"); first == "proxy" {
		return first
	}
	return subresource
}

// proxyVerbs are those of methods on their way through a proxy.
var proxyVerbs = map[string]string{
	http.MethodGet: "get", http.MethodHead: "get", http.MethodOptions: "get", http.MethodPost: "create",
	http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// findAction finds a subresource that does something.
func findAction(r *Route, e *Endpoint, a *kinds.Action) error {
	if a.Name == "proxy" {
		if e.Verb = proxyVerbs[r.Method]; e.Verb == "" {
			return ErrNoMethod
		}
		return e.by(Proxy)
	}
	e.Verb = map[string]string{http.MethodGet: "get", http.MethodPost: "create"}[r.Method]
	if !slices.Contains(a.Verbs, e.Verb) {
		return ErrNoMethod
	}
	switch a.Name {
	case "token":
		return e.by(Token)
	case "binding":
		return e.by(Binding)
	case "eviction":
		return e.by(Eviction)
	}
	return e.by(PodNode)
}
