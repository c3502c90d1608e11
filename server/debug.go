package server

import (
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
)

// serveDebug hands a request to a handler of Options.Debug: what a client cannot say in Kubernetes' own paths.
func (s *Server) serveDebug(q *Request) (*answer.Answer, error) {
	h := s.o.Debug[q.URL.Path]
	return &answer.Answer{Stream: func(w *answer.Response) { h.ServeHTTP(w, q.Request) }}, nil
}

// object answers with a typed value that no catalogue knows, in the form negotiated from what is offered.
func (q *Request) object(obj runtime.Object, o codecs.Offer) (*answer.Answer, error) {
	if err := q.Negotiate(o); err != nil {
		return nil, err
	}
	return &answer.Answer{Object: obj}, nil
}
