package server

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/authn"
	"kubarium/server/discovery"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// serveAsk answers a create of what is not stored.
func (s *Server) serveAsk(q *Request) (*answer.Answer, error) {
	question, err := s.question(q)
	if err != nil {
		return nil, err
	}
	obj, err := s.o.Registry.Answer(q.Context(), q.Virtual, question)
	if err != nil {
		return nil, err
	}
	return q.created(obj)
}

// question reads what a create asks that stores nothing.
func (s *Server) question(q *Request) (registry.Question, error) {
	obj, o, err := q.readWrite(q.createOptions, q.decode)
	return registry.Question{Target: q.Target, WriteOptions: o.WriteOptions, Object: obj, User: q.who.Info(), Authn: s.o.Authn}, err
}

// created is the answer of such a create.
func (q *Request) created(obj runtime.Object) (*answer.Answer, error) {
	a, err := q.Unstored(obj)
	if err != nil {
		return nil, err
	}
	return a.Code(http.StatusCreated), nil
}

// virtualRows are the resources that are not stored, as discovery needs them.
func (s *Server) virtualRows() []discovery.Resource {
	var rows []discovery.Resource
	for _, v := range s.served.Virtuals() {
		rows = append(rows, discovery.Resource{
			GroupVersionKind: v.GroupVersionKind, Plural: v.Resource, Singular: v.Singular, Namespaced: v.Namespaced,
			Verbs: []string{"create"},
		})
	}
	return rows
}

// serveToken answers the subresource token of a ServiceAccount.
func (s *Server) serveToken(q *Request) (*answer.Answer, error) {
	q.Target.Kind = registry.TokenRequests
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
func (s *Server) serveKeySet(q *Request) (*answer.Answer, error) {
	return s.openID(q, s.o.Authn.Tokens().KeySet, keySet)
}

// serveOpenID answers /.well-known/openid-configuration: where those keys are.
func (s *Server) serveOpenID(q *Request) (*answer.Answer, error) {
	return s.openID(q, s.o.Authn.Tokens().Configuration, codecs.JSON)
}

// openID answers with one of the documents of OpenID Connect, which may be kept for a while. Without them there is no
// such path.
func (s *Server) openID(q *Request, document func() (authn.Document, error), form *codecs.Codec) (*answer.Answer, error) {
	d, err := document()
	switch {
	case err != nil:
		return nil, route.ErrNoResource
	case q.Method != http.MethodGet:
		return nil, route.ErrNoMethod
	}
	if err := (codecs.Offer{Codecs: []*codecs.Codec{form}}).Route(q.Header.Get("Accept")); err != nil {
		return nil, err
	}
	header := http.Header{"Cache-Control": {fmt.Sprintf("public, max-age=%d", d.MaxAge)}}
	return &answer.Answer{Raw: d.JSON, ContentType: form.MediaType, Header: header}, nil
}
