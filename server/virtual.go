package server

import (
	"encoding/json"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/answer"
	"kubarium/server/discovery"
	"kubarium/server/registry"
	"kubarium/server/route"
	"kubarium/server/tokens"
)

// serveAsk answers a create of what is not stored.
func (s *Server) serveAsk(q *Request) (*answer.Answer, error) {
	q.noTable = true
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
	return registry.Question{Target: q.Target, WriteOptions: o.WriteOptions, Object: obj, User: whoAsks(), Tokens: s.tokens}, err
}

// created is the answer of such a create.
func (q *Request) created(obj runtime.Object) (*answer.Answer, error) {
	a, err := q.Unstored(obj)
	if err != nil {
		return nil, err
	}
	return a.Code(http.StatusCreated), nil
}

// whoAsks is who every request comes from.
func whoAsks() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: identity, Groups: []string{"system:masters", "system:authenticated"}}
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

// keySetType is the media type of a JSON Web Key Set (RFC 7517, section 8.5).
const keySetType = "application/jwk-set+json"

// serveKeySet answers /openid/v1/jwks: the keys by which others check our tokens.
func (s *Server) serveKeySet(q *Request) (*answer.Answer, error) {
	return q.openID(s.tokens.KeySet(), keySetType)
}

// serveOpenID answers /.well-known/openid-configuration: where those keys are.
func (s *Server) serveOpenID(q *Request) (*answer.Answer, error) {
	scheme := "http://"
	if q.TLS != nil {
		scheme = "https://"
	}
	return q.openID(tokens.ConfigurationAt(scheme+q.Host), "application/json")
}

// openID answers with one of the documents of OpenID Connect, which may be kept for an hour.
func (q *Request) openID(document any, contentType string) (*answer.Answer, error) {
	if q.Method != http.MethodGet {
		return nil, route.ErrNoMethod
	}
	text, err := json.Marshal(document)
	return &answer.Answer{Raw: text, ContentType: contentType, Header: http.Header{"Cache-Control": {"public, max-age=3600"}}}, err
}
