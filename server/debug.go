package server

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
)

// serveDebug hands a request to a handler of Options.Debug: what a client cannot say in Kubernetes' own paths.
func (s *Server) serveDebug(q *Request) (*answer, error) {
	h := s.served.Debug[q.URL.Path]
	return &answer{stream: func(w *response) { h.ServeHTTP(w, q.Request) }}, nil
}

// indented answers with a plain value in JSON, whatever the client accepts, as kube-apiserver does it for everybody.
func (q *Request) indented(v any) (*answer, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return &answer{raw: text, contentType: codecs.JSON.MediaType}, err
}

// object answers with a typed value that no catalogue knows, in the form negotiated from what is offered.
func (q *Request) object(obj runtime.Object, o codecs.Offer) (*answer, error) {
	if err := q.negotiate(o); err != nil {
		return nil, err
	}
	return &answer{object: obj}, nil
}
