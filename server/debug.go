package server

import (
	"encoding/json"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
)

// serveDebug hands a request to a handler of Options.Debug: what a client can not say in Kubernetes' own paths.
func (s *Server) serveDebug(q *Request) (*answer, error) {
	h := s.o.Debug[q.URL.Path]
	return &answer{stream: func(w *response) { h.ServeHTTP(w, q.Request) }}, nil
}

// json answers with a plain value, in the negotiated form, indented as kube-apiserver does it for everybody.
func (q *Request) json(v any) (*answer, error) {
	if err := q.negotiate(codecs.Offer{Codecs: codecs.Text}); err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text, err = q.Media.Codec.FromJSON(text, true)
	return &answer{raw: text, contentType: q.Media.ContentType(false)}, err
}

// object answers with a typed value that no catalogue knows, in the form negotiated from what is offered.
func (q *Request) object(obj runtime.Object, o codecs.Offer) (*answer, error) {
	if q.Method != http.MethodGet {
		return nil, errNoMethod
	}
	if err := q.negotiate(o); err != nil {
		return nil, err
	}
	return &answer{object: obj}, nil
}
