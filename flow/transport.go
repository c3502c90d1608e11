package flow

import (
	"io"
	"net/http"
)

// A Transport is a RoundTripper that records each request it sends in the flow of the request for which it is sent, the one that its
// context carries. One without a flow is passed on as it is. It changes nothing of the request, of the answer, or of their errors.
type Transport struct {
	Next   http.RoundTripper
	Caller Caller // what the calls are; where a context says something (Calling), that counts
}

// WebhookTransport is a Transport of calls to admission webhooks, whose contexts say which they are.
func WebhookTransport(next http.RoundTripper) http.RoundTripper {
	return Transport{Next: next, Caller: Caller{Kind: WebhookCall}}
}

// RoundTrip fulfils http.RoundTripper. The call ends when its answer has been read to the end, or is closed.
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
	if a.StatusCode == http.StatusSwitchingProtocols { // from now on it is a connection, which is also written to
		c.end(nil)
		return a, nil
	}
	a.Body = &tee{ReadCloser: a.Body, call: c, into: &c.got, end: c.end}
	return a, nil
}

// WrappedRoundTripper fulfils net.RoundTripperWrapper of k8s.io/apimachinery: whoever closes idle connections looks through it.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// listen is the request with a body that is listened to. A RoundTripper must not change the one that it is given.
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

// A tee tells a call what is read of a body.
type tee struct {
	io.ReadCloser
	call *calling
	into *Body
	end  func(error) // when it has been read; nil for what does not end the call
}

// Read fulfils io.Reader.
func (t *tee) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.call.keep(t.into, b[:n])
	if err != nil && t.end != nil {
		t.end(err)
	}
	return n, err
}

// Close fulfils io.Closer.
func (t *tee) Close() error {
	if t.end != nil {
		t.end(nil)
	}
	return t.ReadCloser.Close()
}
