package server

import (
	"cmp"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"kubarium/flow"
	"kubarium/server/aggregate"
	"kubarium/server/route"
)

// find finds what serves the request. It comes after authorize: a client without the right does not learn what
// exists.
func (s *Server) find(q *Request) (err error) {
	if s.o.Debug[q.Route.Path] != nil && q.isLocal() {
		q.Handler, q.Verb = route.Debug, q.Route.Verb
		return nil
	}
	if q.elsewhere = s.elsewhere(q.Route.Path); q.elsewhere != nil {
		q.Endpoint = route.Endpoint{Handler: route.Aggregated, Verb: q.Route.Verb, GroupVersion: q.elsewhere.GroupVersion}
		q.nameApply()
		q.Flow.Flow.Target.Verb = cmp.Or(q.Verb, q.Flow.Flow.Target.Verb)
		return nil
	}
	q.Endpoint, err = s.served.Find(q.Route)
	for _, text := range q.Warnings {
		q.Warn(text)
		q.out.Audit.Annotate("k8s.io/deprecated", "true")
	}
	if err != nil { // the route was read, and leads nowhere
		q.Flow.Enter("route")
		q.Flow.Leave("", err)
		return err
	}
	q.nameApply()
	if q.Target.Kind != nil {
		q.Target.Kind = q.Target.Kind.During(q.Context())
	}
	t := &q.Flow.Flow.Target
	t.Verb, t.Name = q.Verb, q.Target.Name
	if q.Target.Kind == nil {
		t.Group, t.Version = q.GroupVersion.Group, q.GroupVersion.Version
	}
	return nil
}

// elsewhere is the service that answers for a path which an APIService leads to another server, and for the OpenAPI
// documents there; nil for this server.
func (s *Server) elsewhere(path string) *aggregate.Service {
	if document, ok := strings.CutPrefix(path, "/openapi/v3/"); ok {
		name, _ := s.documents.V3Elsewhere(document)
		return s.o.Aggregator.Named(name)
	}
	return s.o.Aggregator.Find(path)
}

// nameApply gives an apply its own verb, for people; to an authorizer it is a patch.
func (q *Request) nameApply() {
	if q.Verb == "patch" && strings.HasPrefix(q.Header.Get("Content-Type"), "application/apply-patch") {
		q.Verb = "apply"
	}
}

// elsewhereServed reports whether another server seems to have a resource, so that its requests are counted. Names
// that clients make up are not: they would stay, and need not be text.
func elsewhereServed(f *flow.Flow) bool {
	subresource, _, _ := strings.Cut(f.Target.Subresource, "/")
	for _, word := range []string{f.Target.Resource, subresource} {
		if word != "" && len(validation.IsDNS1035Label(word)) > 0 {
			return false
		}
	}
	return f.Status != http.StatusNotFound && f.Status < http.StatusInternalServerError
}
