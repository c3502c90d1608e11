package server

import (
	"encoding/json"
	"net"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
)

// serveDebug hands a request to a handler of Options.Debug: what a client cannot say in Kubernetes' own paths.
func (s *Server) serveDebug(q *Request) (*answer, error) {
	h := s.o.Debug[q.URL.Path]
	return &answer{stream: func(w *response) { h.ServeHTTP(w, q.Request) }}, nil
}

// isLocal tells whether a request came in on the loopback interface, as those on the plain port all do. Others are not told of rows
// and changes, whoever they are.
func (q *Request) isLocal() bool {
	if q.TLS == nil {
		return true
	}
	at, ok := q.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
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
