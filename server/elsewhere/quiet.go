package elsewhere

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// quiet is a transport that keeps the official proxy from writing to stderr, which is the screen, that a server broke
// off in its answer. The reader of that answer sees it.
type quiet struct{ http.RoundTripper }

// WrappedRoundTripper lets upgrades find the transport inside.
func (q quiet) WrappedRoundTripper() http.RoundTripper { return q.RoundTripper }

// RoundTrip fulfils http.RoundTripper.
func (q quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := q.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = quietBody{resp.Body}
	}
	return resp, err
}

type quietBody struct{ io.ReadCloser }

// Read fulfils io.Reader. Of errors the proxy passes over in silence that of a request that was cancelled.
func (b quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = context.Canceled
	}
	return n, err
}
