package calls

import (
	"fmt"
	"io"
	"net/http"
)

// maxOwn is the most bytes, unpacked, of an answer of another server that Kubarium's own controllers and UI get.
// They ask for pages of 500 objects.
const maxOwn = 32 << 20

// Limited is a transport whose answers end with an error after maxOwn bytes.
type Limited struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l Limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.Next.RoundTrip(r)
	if err == nil {
		resp.Body = &limitedBody{resp.Body, maxOwn}
	}
	return resp, err
}

type limitedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the answer is too large: limit is %d bytes for Kubarium's own requests", maxOwn)
	}
	return n, err
}
