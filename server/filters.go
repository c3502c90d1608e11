package server

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/answer"
)

// maxPath bounds path and query, in bytes; headers are bounded by http.Server.
const maxPath = 16 << 10

// filter refuses what must not reach the API at all: names that are not this machine's own, pages of other origins,
// and request lines that are too long.
func (s *Server) filter(q *Request) error {
	if len(q.URL.Path)+len(q.URL.RawQuery) > maxPath {
		return answer.StatusError(http.StatusRequestURITooLong, metav1.StatusReasonBadRequest, "the request's path and query are too long")
	}
	if q.TLS == nil && !namesLoopback(q.Host) {
		return forbidden("the Host header must name the loopback interface: a page of another name must not reach this API through a browser")
	}
	if origin := q.Header.Get("Origin"); origin != "" && !sameOrigin(origin, q.Host) || q.isForeign() {
		return forbidden("requests from other origins are not answered")
	}
	if q.URL.RawQuery != "" {
		q.Query = q.URL.Query() // without the parameters that cannot be read, as in kube-apiserver
	}
	return nil
}

// isForeign reports whether a browser says that a page of another site made the request (Fetch Metadata,
// Sec-Fetch-Site), as images and scripts do without an Origin. Other clients send no such header. A person who
// follows a link to the API reads the answer, which no page can; but a link to /debug would let that page make the
// server work.
func (q *Request) isForeign() bool {
	switch q.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	link := q.Header.Get("Sec-Fetch-Mode") == "navigate" && q.Header.Get("Sec-Fetch-Dest") == "document" &&
		(q.Method == http.MethodGet || q.Method == http.MethodHead)
	return !link || strings.HasPrefix(q.URL.Path, "/debug/")
}

// isBrowser reports whether a browser seems to ask: it says which site made the request, or takes HTML.
func (q *Request) isBrowser() bool {
	return q.Header.Get("Sec-Fetch-Site") != "" || strings.Contains(q.Header.Get("Accept"), "text/html")
}

// namesLoopback reports whether a Host header names this machine's loopback interface. Names of hosts have no case,
// and a dot at their end means that they are complete (RFC 1034, section 3.1).
func namesLoopback(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return false
		}
		name = h
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		name, _ = strings.CutSuffix(inner, "]")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// admitInFlight counts a request until it calls leaveLine, or refuses it when too many are under way.
func (s *Server) admitInFlight(q *Request) error {
	count, limit := &s.inFlight, int64(s.o.MaxInFlight)
	if s.isLong(q) {
		count, limit = &s.watches, int64(s.o.MaxWatches)
	}
	if count.Add(1) > limit {
		count.Add(-1)
		return tooMany
	}
	q.inLine = count
	return nil
}

var tooMany = apierrors.NewTooManyRequests("The server is currently handling too many requests, please try again later.", 1)

// admitProxied counts a request that is handed to an aggregated server until leave is called, or refuses it. Such a
// server may hang: requests to all of them have half of the places.
func (s *Server) admitProxied(q *Request) (leave func(), err error) {
	if s.isLong(q) {
		return func() {}, nil
	}
	if s.proxied.Add(1) > max(1, int64(s.o.MaxInFlight)/2) {
		s.proxied.Add(-1)
		return nil, tooMany
	}
	return func() { s.proxied.Add(-1) }, nil
}

// leaveLine counts the request no more.
func (q *Request) leaveLine() { q.inLine.Add(-1) }

func forbidden(message string) error {
	return answer.StatusError(http.StatusForbidden, metav1.StatusReasonForbidden, message)
}

// A plainError is one of kube-apiserver's filters, which do not know yet what the client accepts.
type plainError struct{ error }

func (e plainError) text(r *http.Request) string {
	return fmt.Sprintf("Internal Server Error: %q: %v", r.RequestURI, e.error)
}
