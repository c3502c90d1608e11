package flow

import (
	"io"
	"net/http"
)

// A Transport is a RoundTripper that records each request it sends in the flow in the request's context. A request
// without a flow is passed on unrecorded. It does not change requests, answers or errors.
type Transport struct {
	Next   http.RoundTripper
	Caller Caller // describes the calls; a Caller in the context (Calling) takes precedence
}

// WebhookTransport returns a Transport for calls to admission webhooks, whose contexts name them.
func WebhookTransport(next http.RoundTripper) http.RoundTripper {
	return Transport{Next: next, Caller: Caller{Kind: WebhookCall}}
}

// RoundTrip implements http.RoundTripper. The call ends when its answer has been read to the end or closed.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := From(r.Context())
	if rec == nil {
		return t.Next.RoundTrip(r)
	}
	c := rec.call(t.Caller, r)
	a, err := t.Next.RoundTrip(c.listen(r))
	if err != nil {
		c.end(err)
		return a, err
	}
	c.answered(a)
	if a.StatusCode == http.StatusSwitchingProtocols { // now the body is a connection, which must stay writable
		c.end(nil)
		return a, nil
	}
	a.Body = &tee{ReadCloser: a.Body, call: c, into: &c.got, end: c.end}
	return a, nil
}

// WrappedRoundTripper implements net.RoundTripperWrapper of k8s.io/apimachinery, with which idle connections are
// closed.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// listen returns a copy of the request whose body is recorded. A RoundTripper must not change its request.
func (c *calling) listen(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	heard := *r
	heard.Body = &tee{ReadCloser: r.Body, call: c, into: &c.sent}
	if get := r.GetBody; get != nil {
		heard.GetBody = func() (io.ReadCloser, error) {
			body, err := get()
			if err != nil {
				return nil, err
			}
			c.again()
			return &tee{ReadCloser: body, call: c, into: &c.sent}, nil
		}
	}
	return &heard
}

// A tee records what is read of a body.
type tee struct {
	io.ReadCloser
	call *calling
	into *Body
	end  func(error) // called when it has been read; nil if this does not end the call
}

// Read implements io.Reader.
func (t *tee) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.call.keep(t.into, b[:n])
	if err != nil && t.end != nil {
		t.end(err)
	}
	return n, err
}

// Close implements io.Closer.
func (t *tee) Close() error {
	if t.end != nil {
		t.end(nil)
	}
	return t.ReadCloser.Close()
}
