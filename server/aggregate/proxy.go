package aggregate

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"
	apiserverproxy "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/client-go/transport"

	"kubarium/server/calls"
	"kubarium/server/elsewhere"
)

// Self is the user as whom the aggregation layer itself asks servers, for their documents and whether they are there.
var Self user.Info = &user.DefaultInfo{Name: "system:kube-aggregator", Groups: []string{user.SystemPrivilegedGroup}}

// unavailable is the answer where no server can be asked.
const unavailable = "service unavailable"

// A Refusal is why a server cannot be asked: a text, as kube-apiserver has it, and its status.
type Refusal struct {
	Status int
	Text   string
	Cause  error // for the record, not for clients; may be nil
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// Locate finds the server as it is now. The error is a *Refusal.
func (s *Service) Locate() (*url.URL, error) {
	if !s.Available {
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Text: unavailable}
	}
	if s.broken != nil {
		return nil, &Refusal{Status: http.StatusInternalServerError, Text: s.broken.Error()}
	}
	u, err := s.resolve()
	if err != nil {
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Text: unavailable, Cause: err}
	}
	return u, nil
}

// A Call is one request to a server.
type Call struct {
	Server *url.URL // what Locate has returned
	User   user.Info
	// Wrap is put around the transport; nil leaves it as it is. Upgraded connections do not go through it.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Failed writes the answer where the server gave none; nil is a 503 with the error as its text.
	Failed func(w http.ResponseWriter, r *http.Request, err error)
}

// Do hands a request on to the server, and its answer back. Official code reads from its context what it is about: by
// RequestInfo, a page of discovery gets less time than others.
func (s *Service) Do(w http.ResponseWriter, r *http.Request, c Call) {
	location := &url.URL{Scheme: c.Server.Scheme, Host: c.Server.Host, Path: r.URL.Path, RawQuery: r.URL.Query().Encode()}
	asked, cancel := apiserverproxy.NewRequestForProxy(location, r)
	defer cancel()
	if elsewhere.IsUpgrade(r) { // which dials by itself, and finds what it needs for that in a transport with nothing unknown around it
		c.Wrap = nil
		transport.SetAuthProxyHeaders(asked, c.User.GetName(), c.User.GetUID(), c.User.GetGroups(), c.User.GetExtra())
	}
	elsewhere.Do(w, asked, elsewhere.Call{Server: location, Transport: s.as(c.User, c.Wrap), At: true, NoRedirects: !s.redirects, Failed: c.Failed})
}

// as is the transport with which requests go out as a user's.
func (s *Service) as(u user.Info, wrap func(http.RoundTripper) http.RoundTripper) http.RoundTripper {
	next := s.transport
	if wrap != nil {
		next = wrap(next)
	}
	return transport.NewAuthProxyRoundTripper(u.GetName(), u.GetUID(), u.GetGroups(), u.GetExtra(), next)
}

// longestRead is how long a server may take to answer Get, as in kube-apiserver.
const longestRead = time.Minute

// Get reads an answer of the server whole (calls.Whole), as a user. h has headers of the request. The error may be a
// *Refusal.
func (s *Service) Get(ctx context.Context, as user.Info, path string, h http.Header) (*http.Response, error) {
	u, err := s.Locate()
	if err != nil {
		return nil, err
	}
	u.Path = path
	ctx, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header = h.Clone()
	whole := func(next http.RoundTripper) http.RoundTripper { return calls.Whole{Next: next} }
	return s.as(as, whole).RoundTrip(r)
}
