package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/registry"
)

// A Route is what method and path ask for, in Kubernetes' words (API Concepts, "Resource URIs" and "API verbs").
type Route struct {
	Verb        string // get list watch create update patch delete deletecollection; for other paths the method in lower case
	Group       string
	Version     string
	Resource    string // "" for a path that is no resource
	Subresource string
	Namespace   string
	Name        string

	deprecatedWatch bool // the path was /watch/…, which watches whatever the query says
}

// String names the route for people: "list deployments.apps in shop".
func (r Route) String() string {
	if r.Resource == "" {
		return ""
	}
	s := r.Verb + " " + r.Resource
	if r.Group != "" {
		s += "." + r.Group
	}
	if r.Subresource != "" {
		s += "/" + r.Subresource
	}
	if r.Namespace != "" {
		s += " in " + r.Namespace
	}
	return s
}

// isWatch tells whether the request is a watch.
func (r Route) isWatch() bool { return r.Verb == "watch" }

// A handler does the work of one route and returns its answer.
type handler func(q *Request) (*answer, error)

// route finds the handler of a request: a resource, discovery, or one of the few other paths.
func (s *Server) route(q *Request) (handler, error) {
	q.Route = Route{Verb: strings.ToLower(q.Method)}
	if h := s.o.Debug[q.URL.Path]; h != nil && q.isLocal() {
		return s.serveDebug, nil
	}
	path := strings.Trim(q.URL.Path, "/")
	if h := s.plainPath(path); h != nil {
		return h, nil
	}
	if h := s.exactPath(strings.TrimPrefix(q.URL.Path, "/")); h != nil {
		return h, nil
	}
	parts := strings.Split(path, "/")
	switch {
	case strings.HasPrefix(q.URL.Path, "//"):
		return nil, errNoPath
	case parts[0] == "api" && len(parts) > 1 && s.serves("", parts[1]):
		q.Version = parts[1]
		return s.versioned(q, parts[2:])
	case parts[0] == "api" && len(parts) > 1:
		return nil, errNoResource
	case parts[0] == "apis" && len(parts) == 2 && s.serves(parts[1], ""):
		q.Group = parts[1]
		return s.serveGroup, nil
	case parts[0] == "apis" && len(parts) == 3 && s.serves(parts[1], parts[2]),
		parts[0] == "apis" && len(parts) > 3:
		q.Group, q.Version = parts[1], parts[2]
		return s.versioned(q, parts[3:])
	case parts[0] == "apis" && len(parts) == 3 && s.knows(parts[1]), parts[0] == "version":
		return nil, errNoResource
	}
	return nil, errNoPath
}

// plainPath is the handler of a path that is no resource, or nil. A slash at its end does not matter.
func (s *Server) plainPath(path string) handler {
	switch {
	case path == "":
		return s.servePaths
	case path == "api":
		return s.serveCoreVersions
	case path == "apis":
		return s.serveGroups
	case path == "version":
		return s.serveVersion
	case path == "openid/v1/jwks":
		return s.serveKeySet
	case path == ".well-known/openid-configuration":
		return s.serveOpenID
	}
	return nil
}

// exactPath is the handler of a path that is no resource and must be written just so, or nil.
func (s *Server) exactPath(path string) handler {
	switch {
	case path == "healthz", path == "livez", path == "readyz":
		return s.serveHealth
	case isHealthCheck(path):
		return s.serveHealthCheck
	case path == "metrics":
		return s.serveMetrics
	case path == "index.html":
		return s.servePaths
	case path == "openapi/v2":
		return s.serveOpenAPIV2
	case path == "openapi/v3":
		return s.serveOpenAPIV3Index
	case strings.HasPrefix(path, "openapi/v3/") && !strings.HasSuffix(path, "/"):
		return s.serveOpenAPIV3
	}
	return nil
}

// errNoResource is the 404 of a path below a served version that names nothing there.
var errNoResource = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
	Message: "the server could not find the requested resource", Details: &metav1.StatusDetails{},
}}

// errNoMethod is the 405 of a method that a path does not know.
var errNoMethod = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
	Message: "the server does not allow this method on the requested resource", Details: &metav1.StatusDetails{},
}}

// versioned routes what stands behind /api/v1 or /apis/GROUP/VERSION.
func (s *Server) versioned(q *Request, parts []string) (handler, error) {
	if len(parts) == 0 || len(parts) == 1 && parts[0] == "" {
		return s.serveResources, nil
	}
	q.readParts(parts)
	if h, err := s.componentVerb(q); h != nil || err != nil {
		return h, err
	}
	kind := s.o.Registry.Catalogue.Kind(schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource})
	if kind == nil {
		return s.virtual(q)
	}
	if q.deprecatedWatch && q.Subresource != "" {
		return nil, s.missing(q)
	}
	if kind.Namespaced && q.Name != "" && q.Namespace == "" || !kind.Namespaced && q.Namespace != "" {
		return nil, s.missing(q)
	}
	if kind.Dynamic && kind.Namespaced && q.Namespace == "" && q.Method != http.MethodGet && q.Method != http.MethodHead {
		return nil, errNoPath // without a namespace there are lists and watches alone
	}
	for _, text := range kind.Warnings {
		q.warn(text)
	}
	q.Target = registry.Target{Kind: kind, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name}
	pick := s.verb
	if q.Subresource != "" {
		pick = s.subresource
	}
	h, err := pick(q)
	if err == nil && q.Name != "" && !q.isWatch() {
		err = checkName(q.Name)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// checkName refuses a name that no object can have, because it means something else in a path.
func checkName(name string) error {
	if faults := content.IsPathSegmentName(name); len(faults) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(faults, ";")))
	}
	return nil
}

// missing is the 404 of a path that names no resource below a served version. Where only custom resources are served,
// nobody knows what the path might have meant.
func (s *Server) missing(q *Request) error {
	if s.knows(q.Group) {
		return errNoResource
	}
	return errNoPath
}

// knows tells whether a group is one of kube-apiserver's own.
func (s *Server) knows(group string) bool {
	return s.o.Registry.Catalogue.BuiltIn(group, "") || s.isVirtual(group, "")
}

// readParts reads [watch/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]. The namespace of the resource "namespaces"
// itself is its name.
func (q *Request) readParts(parts []string) {
	if parts[0] == "watch" && len(parts) > 1 {
		q.deprecatedWatch = true
		parts = parts[1:]
	}
	inNamespace := parts[0] == "namespaces" && len(parts) > 2 &&
		!(q.Group == "" && slices.Contains([]string{"status", "finalize"}, parts[2]) && len(parts) == 3)
	if inNamespace {
		q.Namespace = parts[1]
		parts = parts[2:]
	}
	q.Resource = parts[0]
	if len(parts) > 1 {
		q.Name = parts[1]
	}
	if len(parts) > 2 {
		q.Subresource = strings.Join(parts[2:], "/")
	}
}

// verb picks the handler of an object or a collection.
func (s *Server) verb(q *Request) (handler, error) {
	t := q.Target
	if q.reads() {
		return s.readVerb(q)
	}
	switch {
	case q.deprecatedWatch:
	case (q.Method == http.MethodPut || q.Method == http.MethodPatch) && q.Name == "" && t.Kind.Dynamic:
		return nil, apierrors.NewBadRequest("name must be provided")
	case q.Method == http.MethodPost && (q.Name == "" || t.Kind.Dynamic) && (t.Namespace != "" || !t.Kind.Namespaced):
		q.Verb = "create"
		q.Name, q.Target.Name = "", "" // the name of a custom resource is that in its body, whatever the path says
		return s.serveCreate, nil
	case q.Method == http.MethodPut && q.Name != "":
		q.Verb = "update"
		return s.serveUpdate, nil
	case q.Method == http.MethodPatch && q.Name != "":
		q.Verb = patchVerb(q)
		return s.servePatch, nil
	case q.Method == http.MethodDelete && q.Name != "":
		q.Verb = "delete"
		return s.serveDelete, nil
	case q.Method == http.MethodDelete && (t.Namespace != "" || !t.Kind.Namespaced) && !t.Kind.OneByOne:
		q.Verb = "deletecollection"
		return s.serveDeleteCollection, nil
	}
	return nil, q.noMethod()
}

// reads tells whether the method is one that reads: also HEAD for custom resources, whose paths no router has listed.
func (q *Request) reads() bool {
	return q.Method == http.MethodGet || q.Method == http.MethodHead && q.Target.Kind.Dynamic
}

// noMethod is the 405 of a method that a resource does not know. That of a custom resource names the verb.
func (q *Request) noMethod() error {
	if !q.Target.Kind.Dynamic {
		return errNoMethod
	}
	verb := map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}[q.Method]
	return apierrors.NewMethodNotSupported(q.Target.Kind.GroupResource(), verb)
}

// readVerb tells get, list and watch apart.
func (s *Server) readVerb(q *Request) (handler, error) {
	if q.deprecatedWatch || q.Name == "" && isTrue(q.Query["watch"]) {
		q.Verb = "watch"
		return s.serveWatch, nil
	}
	if q.Name == "" {
		q.Verb = "list"
		return s.serveList, nil
	}
	q.Verb = "get"
	return s.serveGet, nil
}

// isTrue reads a parameter such as watch as kube-apiserver does: anything but "false" and "0" is true.
func isTrue(values []string) bool {
	if len(values) == 0 {
		return false
	}
	v := strings.ToLower(values[0])
	return v != "false" && v != "0"
}

// patchVerb tells an apply from other patches, for people; to Kubernetes both are "patch".
func patchVerb(q *Request) string {
	if strings.HasPrefix(q.Header.Get("Content-Type"), "application/apply-patch") {
		return "apply"
	}
	return "patch"
}

// subresource picks the handler of a subresource.
func (s *Server) subresource(q *Request) (handler, error) {
	k := q.Target.Kind
	switch {
	case q.Subresource == "finalize" && k.Subresources["finalize"] != nil:
		if q.Method != http.MethodPut {
			return nil, errNoMethod
		}
		q.Verb = "update"
		return s.serveFinalize, nil
	case k.Subresources[q.Subresource] != nil:
		return subresourceVerb(q, s.serveGet, s.serveUpdate, s.servePatch)
	case q.Subresource == "scale" && k.Scale != nil:
		return subresourceVerb(q, s.serveGetScale, s.serveUpdateScale, s.servePatchScale)
	case k.Action(q.action()) != nil:
		return s.action(q)
	case k.Dynamic:
		return nil, apierrors.NewNotFound(k.GroupResource(), q.Name)
	}
	return nil, errNoResource
}

// subresourceVerb picks the handler of a subresource that can be read, replaced and patched.
func subresourceVerb(q *Request, get, update, patch handler) (handler, error) {
	switch {
	case q.reads():
		q.Verb = "get"
		return get, nil
	case q.Method == http.MethodPut:
		q.Verb = "update"
		return update, nil
	case q.Method == http.MethodPatch:
		q.Verb = patchVerb(q)
		return patch, nil
	}
	return nil, q.noMethod()
}
