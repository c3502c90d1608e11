package server

import (
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/authn"
	"kubarium/server/discovery"
	"kubarium/server/registry"
)

// virtual picks the handler of a resource whose objects are answered and not stored: they can be created and nothing else.
func (s *Server) virtual(q *Request) (handler, error) {
	gvr := schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource}
	v := registry.FindVirtual(gvr)
	if v == nil || s.withholds(gvr) || q.Name != "" || q.deprecatedWatch || v.Namespaced != (q.Namespace != "") {
		return nil, s.missing(q)
	}
	if q.Method != http.MethodPost {
		return nil, errNoMethod
	}
	q.Verb = "create"
	q.Target = registry.Target{Kind: v.Kind, Namespace: q.Namespace}
	q.noTable = true
	return func(q *Request) (*answer, error) {
		question, err := s.question(q)
		if err != nil {
			return nil, err
		}
		obj, err := s.o.Registry.Answer(q.Context(), v, question)
		if err != nil {
			return nil, err
		}
		return q.created(obj)
	}, nil
}

// question reads what a create asks that stores nothing.
func (s *Server) question(q *Request) (registry.Question, error) {
	obj, o, err := q.readWrite(q.createOptions, q.decode)
	return registry.Question{Target: q.Target, WriteOptions: o.WriteOptions, Object: obj, User: q.who.Info(), Authn: s.o.Authn}, err
}

// created is the answer of such a create.
func (q *Request) created(obj runtime.Object) (*answer, error) {
	a, err := q.unstored(obj)
	if err != nil {
		return nil, err
	}
	return a.code(http.StatusCreated), nil
}

// serves tells whether there is anything of a group, or of a group version if version is not empty.
func (s *Server) serves(group, version string) bool {
	return s.o.Registry.Catalogue.Serves(group, version) || s.isVirtual(group, version)
}

// isVirtual tells the same of what is not stored.
func (s *Server) isVirtual(group, version string) bool {
	return slices.ContainsFunc(s.virtuals(), func(v *registry.Virtual) bool {
		return v.Group == group && (version == "" || v.Version == version)
	})
}

// groupVersions are those of the catalogue and of what is not stored.
func (s *Server) groupVersions() []schema.GroupVersion {
	gvs := s.o.Registry.Catalogue.GroupVersions()
	for _, v := range s.virtuals() {
		if gv := v.GroupVersion(); !slices.Contains(gvs, gv) {
			gvs = append(gvs, gv)
		}
	}
	return gvs
}

// virtuals are the resources that are not stored, without those that are withheld.
func (s *Server) virtuals() []*registry.Virtual {
	if len(s.o.Withheld) == 0 {
		return registry.Virtuals()
	}
	return slices.DeleteFunc(slices.Clone(registry.Virtuals()), func(v *registry.Virtual) bool {
		return s.withholds(v.GroupVersion().WithResource(v.Resource))
	})
}

// withholds tells whether a resource is known and not served.
func (s *Server) withholds(gvr schema.GroupVersionResource) bool {
	return slices.Contains(s.o.Withheld, gvr)
}

// virtualRows are they as discovery needs them.
func (s *Server) virtualRows() []discovery.Resource {
	var rows []discovery.Resource
	for _, v := range s.virtuals() {
		rows = append(rows, discovery.Resource{
			GroupVersionKind: v.GroupVersionKind, Plural: v.Resource, Singular: v.Singular, Namespaced: v.Namespaced,
			Verbs: []string{"create"},
		})
	}
	return rows
}

// serveToken answers the subresource token of a ServiceAccount.
func (s *Server) serveToken(q *Request) (*answer, error) {
	q.Target.Kind = registry.TokenRequests
	q.noTable = true
	question, err := s.question(q)
	if err != nil {
		return nil, err
	}
	obj, err := s.o.Registry.RequestToken(q.Context(), question)
	if err != nil {
		return nil, err
	}
	return q.created(obj)
}

// keySet is a JSON Web Key Set as an encoding (RFC 7517, section 8.5).
var keySet = &codecs.Codec{Name: "JWKS", MediaType: "application/jwk-set+json"}

// serveKeySet answers /openid/v1/jwks: the keys by which others check our tokens.
func (s *Server) serveKeySet(q *Request) (*answer, error) {
	return s.openID(q, s.o.Authn.Tokens().KeySet, keySet)
}

// serveOpenID answers /.well-known/openid-configuration: where those keys are.
func (s *Server) serveOpenID(q *Request) (*answer, error) {
	return s.openID(q, s.o.Authn.Tokens().Configuration, codecs.JSON)
}

// openID answers with one of the documents of OpenID Connect, which may be kept for a while. Without them there is no such path.
func (s *Server) openID(q *Request, document func() (authn.Document, error), form *codecs.Codec) (*answer, error) {
	d, err := document()
	switch {
	case err != nil:
		return nil, s.missing(q)
	case q.Method != http.MethodGet:
		return nil, errNoMethod
	}
	if err := (codecs.Offer{Codecs: []*codecs.Codec{form}}).Route(q.Header.Get("Accept")); err != nil {
		return nil, err
	}
	header := http.Header{"Cache-Control": {fmt.Sprintf("public, max-age=%d", d.MaxAge)}}
	return &answer{raw: d.JSON, contentType: form.MediaType, header: header}, nil
}
