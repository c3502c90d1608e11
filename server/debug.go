package server

import (
	"context"
	"net"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
)

// serveDebug hands a request to a handler of Options.Debug: what a client cannot say in Kubernetes' own paths. It
// ends with the server.
func (s *Server) serveDebug(q *Request) (*answer.Answer, error) {
	h := s.o.Debug[q.URL.Path]
	return &answer.Answer{Stream: func(w *answer.Response) {
		w.Reused = true // encoders and printers of the standard library have pools of buffers
		ctx, end := context.WithCancel(q.Context())
		defer end()
		defer context.AfterFunc(s.closing, end)()
		h.ServeHTTP(w, q.WithContext(ctx))
	}}, nil
}

// isLocal reports whether a request came in on the loopback interface, as those on the plain port all do. No other
// request may read rows and changes.
func (q *Request) isLocal() bool {
	if q.TLS == nil {
		return true
	}
	at, ok := q.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// object answers with a typed value that no catalogue knows, in the form negotiated from what is offered.
func (q *Request) object(obj runtime.Object, o codecs.Offer) (*answer.Answer, error) {
	if err := q.Negotiate(o); err != nil {
		return nil, err
	}
	return &answer.Answer{Object: obj}, nil
}
