package server

import (
	"net/http"
	"slices"
	"strconv"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/discovery"
	"kubarium/server/kinds"
	"kubarium/server/route"
)

// servePaths answers / with the paths that there are. Like all documents that no router has listed, it is the answer to
// any method.
func (s *Server) servePaths(q *Request) (*answer.Answer, error) {
	paths := []string{"/.well-known/openid-configuration", "/api", "/apis", "/apis/", "/healthz", "/livez", "/metrics",
		"/openapi/v2", "/openapi/v3", "/openapi/v3/", "/openid/v1/jwks", "/readyz", "/version"}
	for _, gv := range s.served.GroupVersions() {
		if gv.Group == "" {
			paths = append(paths, "/api/"+gv.Version)
		}
	}
	for _, gv := range discovery.GroupVersions(s.DiscoveryRows(), s.o.Aggregator.Listed()...) {
		paths = append(paths, "/apis/"+gv.Group, "/apis/"+gv.String())
	}
	slices.Sort(paths)
	return answer.Indented(metav1.RootPaths{Paths: slices.Compact(paths)})
}

// serveCoreVersions answers /api: the versions of the core group, or, aggregated, all its resources.
func (s *Server) serveCoreVersions(q *Request) (*answer.Answer, error) {
	if q.Method != http.MethodGet {
		return nil, route.ErrNoMethod
	}
	if err := q.negotiateDiscovery(codecs.Offer{}); err != nil {
		return nil, err
	}
	if q.Media.As != "" {
		return q.aggregated(discovery.AggregatedCore(s.DiscoveryRows()))
	}
	return &answer.Answer{Object: discovery.APIVersions(s.DiscoveryRows(), q.Host)}, nil
}

// serveGroups answers /apis in the same two ways, and any method.
func (s *Server) serveGroups(q *Request) (*answer.Answer, error) {
	if err := q.negotiateDiscovery(codecs.Offer{Direct: true}); err != nil {
		return nil, err
	}
	if q.Media.As != "" {
		return q.aggregated(discovery.AggregatedGroups(s.DiscoveryRows(), s.o.Documents.Discovery()...))
	}
	return &answer.Answer{Object: discovery.Groups(s.DiscoveryRows(), s.o.Aggregator.Listed()...)}, nil
}

// serveGroup answers /apis/GROUP, and any method.
func (s *Server) serveGroup(q *Request) (*answer.Answer, error) {
	g, ok := discovery.Group(s.DiscoveryRows(), q.GroupVersion.Group, s.o.Aggregator.Listed()...)
	if !ok {
		return nil, route.ErrNoPath
	}
	return q.object(g, codecs.Offer{Direct: true})
}

// serveResources answers /api/v1 and /apis/GROUP/VERSION. kube-apiserver answers for custom resources outside its
// router.
func (s *Server) serveResources(q *Request) (*answer.Answer, error) {
	l, ok := discovery.Resources(s.DiscoveryRows(), q.GroupVersion)
	if !ok {
		return nil, route.ErrNoPath
	}
	if !s.served.BuiltIn(q.GroupVersion.Group) {
		return q.object(l, codecs.Offer{Codecs: codecs.Documents, Direct: true})
	}
	if q.Method != http.MethodGet {
		return nil, route.ErrNoMethod
	}
	return q.object(l, codecs.Offer{})
}

// discoveryViews are the aggregated forms of /api and /apis.
var discoveryViews = []schema.GroupVersionKind{
	{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"},
}

// negotiateDiscovery picks the aggregated form if Accept names it, or the plain one that is offered.
func (q *Request) negotiateDiscovery(plain codecs.Offer) error {
	aggregated := plain
	aggregated.Views, aggregated.ViewsAlone = discoveryViews, true
	if m, err := codecs.Negotiate(q.Header.Get("Accept"), q.UserAgent(), q.Query, q.Offer(aggregated)); err != nil || m.As == "" {
		return q.Negotiate(plain)
	}
	return q.Negotiate(aggregated)
}

// aggregated answers with all resources at once, under an ETag by which clients keep it.
func (q *Request) aggregated(l *apidiscoveryv2.APIGroupDiscoveryList) (*answer.Answer, error) {
	tag, err := discovery.ETag(l)
	if err != nil {
		return nil, err
	}
	m := q.Media
	l.APIVersion = m.Group + "/" + m.Version
	h := http.Header{"Etag": {strconv.Quote(tag)}, "Cache-Control": {"public"}, "Vary": {"Accept"}}
	contentType := m.Codec.MediaType + ";g=" + m.Group + ";v=" + m.Version + ";as=" + m.As
	if q.Header.Get("If-None-Match") == strconv.Quote(tag) {
		return &answer.Answer{Status: http.StatusNotModified, Raw: []byte{}, ContentType: contentType, Header: h}, nil
	}
	return &answer.Answer{Object: l, ContentType: contentType, Header: h}, nil
}

// DiscoveryRows are what this server serves itself, as discovery needs it.
func (s *Server) DiscoveryRows() []discovery.Resource {
	ks := s.o.Registry.Catalogue.Kinds()
	rows := make([]discovery.Resource, len(ks))
	for i, k := range ks {
		rows[i] = row(k)
	}
	if !s.served.Withholds(route.ComponentStatuses) {
		rows = append(rows, componentDiscovery())
	}
	return append(rows, s.virtualRows()...)
}

func row(k *kinds.Kind) discovery.Resource {
	r := discovery.Resource{
		GroupVersionKind: k.GroupVersionKind, Plural: k.Resource, Singular: k.Singular, ShortNames: k.ShortNames,
		Categories: k.Categories, Namespaced: k.Namespaced, Verbs: discovery.AllVerbs(), Storage: hashedAs(k),
	}
	if k.Dynamic {
		return customRow(k, r)
	}
	if k.OneByOne {
		r.Verbs = slices.DeleteFunc(r.Verbs, func(v string) bool { return v == "deletecollection" })
	}
	for _, a := range k.Actions {
		r.Subresources = append(r.Subresources, discovery.Subresource{Name: a.Name, Kind: a.Kind, Verbs: a.Verbs})
	}
	for name := range k.Subresources {
		verbs := discovery.SubresourceVerbs()
		if name == "finalize" {
			verbs = []string{"update"}
		}
		r.Subresources = append(r.Subresources, discovery.Subresource{Name: name, Kind: k.GroupVersionKind, Verbs: verbs})
	}
	if k.Scale != nil {
		r.Subresources = append(r.Subresources, discovery.Subresource{Name: "scale", Kind: scaleKind, Verbs: discovery.SubresourceVerbs()})
	}
	return r
}

// componentDiscovery is what discovery says of components.
func componentDiscovery() discovery.Resource {
	r := row(route.ComponentStatus())
	r.Verbs, r.Storage = []string{"get", "list"}, schema.GroupVersion{}
	return r
}

// keptAs are the kinds that kube-apiserver 1.37 keeps in an older version than the one that it serves, so that an
// older server can read them too. The hash in discovery is of that version; how they are kept here is not visible.
var keptAs = map[schema.GroupKind]string{
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:   "v1beta1",
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:          "v1beta1",
	{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:       "v1beta1",
	{Group: "coordination.k8s.io", Kind: "LeaseCandidate"}:              "v1beta1",
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:                 "v1beta2",
	{Group: "scheduling.k8s.io", Kind: "PodGroup"}:                      "v1beta1",
	{Group: "scheduling.k8s.io", Kind: "Workload"}:                      "v1beta1",
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"}: "v1beta1",
}

// hashedAs is the group version of a built-in kind that the hash is of.
func hashedAs(k *kinds.Kind) schema.GroupVersion {
	stored := k.Stored()
	if v, ok := keptAs[stored.GroupVersionKind.GroupKind()]; ok {
		return schema.GroupVersion{Group: stored.Group, Version: v}
	}
	return stored.GroupVersion()
}

// customRow completes the row of a custom resource, whose subresources are listed in this order.
func customRow(k *kinds.Kind, r discovery.Resource) discovery.Resource {
	r.Custom, r.Verbs, r.Storage = true, discovery.CustomVerbs(), k.Stored().GroupVersion()
	if k.Closed != "" {
		r.Verbs = discovery.EndingVerbs()
	}
	if k.HasStatus() {
		r.Subresources = append(r.Subresources, discovery.Subresource{Name: "status", Kind: k.GroupVersionKind, Verbs: discovery.SubresourceVerbs()})
	}
	if k.Scale != nil {
		r.Subresources = append(r.Subresources, discovery.Subresource{Name: "scale", Kind: scaleKind, Verbs: discovery.SubresourceVerbs()})
	}
	return r
}
