package glass

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"

	"kubarium/app/debug"
	"kubarium/flow"
)

// Reach is how the screen asks: its reader's own requests go through the glass, as those of other clients do; what the
// pages need is answered from what went by.
func (g *Glass) Reach() http.RoundTripper {
	roots := x509.NewCertPool()
	roots.AddCert(g.ca.Certificate)
	through := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	return reader{g, through}
}

type reader struct {
	g       *Glass
	through http.RoundTripper
}

// RoundTrip fulfils http.RoundTripper.
func (t reader) RoundTrip(r *http.Request) (*http.Response, error) {
	agent := r.Header.Get("User-Agent")
	byReader := strings.HasPrefix(agent, flow.ReplayAgent) || strings.HasPrefix(agent, flow.ActionAgent)
	if !byReader && debug.Records(nil)[r.URL.Path] == nil {
		return t.g.Seen.RoundTrip(r)
	}
	if r.Header.Get("Authorization") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+t.g.key)
	}
	return t.through.RoundTrip(r)
}
