package glass

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	utilproxy "k8s.io/apimachinery/pkg/util/proxy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// An Upstream is the way to the server: with the credentials of a context, or with none for clients
// that bring their own.
type Upstream struct {
	URL   *url.URL // with the path under which the server answers
	mine  way
	plain way
}

// A way is how requests are sent, and upgraded connections dialed.
type way struct {
	http.RoundTripper
	upgrade utilproxy.UpgradeRequestRoundTripper
	mine    bool // with the context's credentials
}

// NewUpstream makes the way that a client's configuration describes. All of its credentials are client-go's: client
// certificates, tokens, exec plugins, and users to act as.
func NewUpstream(config *rest.Config) (*Upstream, error) {
	config = rest.CopyConfig(config)
	config.UserAgent, config.Timeout, config.DisableCompression = "", 0, true // which are the clients'
	u, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return nil, fmt.Errorf("%s is not by HTTPS, and not on this machine: credentials would be readable on the way", u)
	}
	up := &Upstream{URL: u}
	if up.mine, err = newWay(config); err == nil {
		up.mine.mine = true
		up.plain, err = newWay(rest.AnonymousClientConfig(config))
	}
	return up, err
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func newWay(config *rest.Config) (w way, err error) {
	config = rest.CopyConfig(config)
	config.DisableCompression = true // which is between a client and the server
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: dialTimeout}
	if config.Dial == nil { // also so that client-go does not take the default transport, which asks for gzip itself
		config.Dial = dialer.DialContext
	}
	if w.RoundTripper, err = rest.TransportFor(config); err != nil {
		return w, err
	}
	c, err := config.TransportConfig()
	if err != nil {
		return w, err
	}
	tls, err := transport.TLSConfigFor(c)
	if err != nil {
		return w, err
	}
	wrapped, err := transport.HTTPWrappersForConfig(c, utilproxy.MirrorRequest)
	if err != nil {
		return w, err
	}
	w.upgrade = utilproxy.NewUpgradeRequestRoundTripper(&http.Transport{TLSClientConfig: tls, DialContext: dialer.DialContext}, wrapped)
	return w, nil
}

// dialTimeout is how long a connection may take to be made.
const dialTimeout = 30 * time.Second

// way is the way of a request: with the context's credentials for a client that brings a key of this run, which goes no
// further; without for one that brings a bearer token of its own. A client with neither has no way.
func (g *Glass) way(r *http.Request) (w way, via string, ok bool) {
	given, bears := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bears {
		return g.socketWay(r)
	}
	if via, ok = g.Keys[given]; ok {
		r.Header.Del("Authorization")
		return g.Upstream.mine, via, true
	}
	return g.Upstream.plain, "", true
}
