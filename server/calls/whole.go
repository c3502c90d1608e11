package calls

import (
	"bytes"
	"io"
	"net/http"

	"kubarium/codecs"
)

// Whole is a transport whose answers are read to their end before a client sees them, within the bounds of
// codecs.ReadAnswer. It counts what net/http has unpacked. An answer above a bound is an error of RoundTrip.
type Whole struct {
	Next  http.RoundTripper
	Check func(answer []byte) error // refuses further answers; may be nil
}

// RoundTrip implements http.RoundTripper.
func (w Whole) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := codecs.ReadAnswer(resp.Body)
	if err == nil && w.Check != nil {
		err = w.Check(body)
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// WrappedRoundTripper implements net.RoundTripperWrapper of k8s.io/apimachinery.
func (w Whole) WrappedRoundTripper() http.RoundTripper { return w.Next }
