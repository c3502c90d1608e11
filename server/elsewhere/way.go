// Package elsewhere is the one way on which a request is handed on to another server and its answer comes back, both
// as they are: of an APIService (server/aggregate), or of any API server (server/glass).
//
// The official proxy of k8s.io/apimachinery carries both, also upgraded connections. The rest listens in: a Body keeps
// the beginning of what a client sends, a Relay that of the answer, which others may read while it passes, and a Watch
// has the frames of a stream. Nothing is held until it is whole.
package elsewhere

import (
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/util/proxy"
	"k8s.io/streaming/pkg/httpstream"
)

// A Call is one request to another server.
type Call struct {
	Server    *url.URL // its address, without the path of the request unless At says so
	Transport http.RoundTripper
	// Upgrade is the transport of upgraded connections; nil dials as Transport does.
	Upgrade proxy.UpgradeRequestRoundTripper
	// At says that Server is the whole address of the request, and that links in an answer to a browser are rewritten,
	// as the aggregation layer does. Otherwise the path is that of the request, after that of Server.
	At bool
	// NoRedirects answers 502 where a server wants to send the client elsewhere.
	NoRedirects bool
	// Failed writes the answer where the server gave none; nil is a 503 with the error as its text.
	Failed func(w http.ResponseWriter, r *http.Request, err error)
}

// IsUpgrade reports whether a request asks for another protocol on its connection.
func IsUpgrade(r *http.Request) bool { return httpstream.IsUpgradeRequest(r) }

// Do hands a request on, and its answer back.
func Do(w http.ResponseWriter, r *http.Request, c Call) {
	h := proxy.NewUpgradeAwareHandler(c.Server, quiet{c.Transport}, c.At, c.At && IsUpgrade(r), responder{c.Failed})
	h.UpgradeTransport = c.Upgrade
	h.RejectForwardingRedirects = c.NoRedirects
	if !c.At {
		h.UseRequestLocation, h.UseLocationHost, h.AppendLocationPath = true, true, true
	}
	h.ServeHTTP(w, r)
}

// A responder writes the answer of a request that did not reach its server.
type responder struct {
	failed func(w http.ResponseWriter, r *http.Request, err error)
}

// Error fulfils proxy.ErrorResponder.
func (r responder) Error(w http.ResponseWriter, req *http.Request, err error) {
	if r.failed != nil {
		r.failed(w, req, err)
		return
	}
	http.Error(w, err.Error(), http.StatusServiceUnavailable)
}
