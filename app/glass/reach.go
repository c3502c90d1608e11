package glass

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
)

// Reach is how the screen asks. What its pages need is answered from what went by; its reader's own requests go
// through, as those of other clients do.
func (g *Glass) Reach() http.RoundTripper {
	roots := x509.NewCertPool()
	roots.AddCert(g.ca.Certificate)
	return reader{g.key, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}}
}

// A reader is a transport that brings the key of the run.
type reader struct {
	key  string
	next http.RoundTripper
}

// RoundTrip fulfils http.RoundTripper. A request that is sent again has credentials already.
func (t reader) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+t.key)
	}
	return t.next.RoundTrip(r)
}
