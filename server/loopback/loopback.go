// Package loopback makes the official clients with which Kubarium's own loops ask their own server: over HTTP, as any
// client would, so that all they do is on the screen. It does not know what they ask.
package loopback

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// A Server is the server that Kubarium's own loops ask.
type Server struct {
	URL string // "http://127.0.0.1:8080"
	// TLS is how its HTTPS is known; nil for a plain port.
	TLS *tls.Config
	// Token is whom HTTPS knows the loops by; a plain port asks for none.
	Token string
	// RootCA is the certificate, as text, by which others check that of its HTTPS; nil if it has none.
	RootCA []byte
	// Since, if not 0, is the revision that the caller has read. When the store is restored after it, no write of the
	// caller is accepted any more.
	Since int64
	// Dial opens all connections to it; nil is the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// SinceHeader is the header that says Server.Since. Any client may send it.
const SinceHeader = "Kubarium-Since"

// A Dialer makes clients of one server, which share their connections. Close it when all of them have ended.
type Dialer struct {
	server    Server
	transport *http.Transport
}

// New returns a Dialer for a server on a plain port, such as "http://127.0.0.1:8080".
func New(server string) *Dialer { return To(Server{URL: server}) }

// To returns a Dialer for a server.
func To(server Server) *Dialer {
	t := &http.Transport{DialContext: server.Dial, MaxIdleConnsPerHost: 16, TLSClientConfig: server.TLS.Clone(), ForceAttemptHTTP2: true}
	return &Dialer{server: server, transport: t}
}

// Close closes idle connections.
func (d *Dialer) Close() { d.transport.CloseIdleConnections() }

// As returns a client that says it is this controller of Kubarium's, and whose writes belong to a field manager unless
// they name one themselves.
func (d *Dialer) As(name, manager string) Client {
	return Client{
		Config: &rest.Config{
			Host: d.server.URL, QPS: -1, WarningHandlerWithContext: rest.NoWarnings{},
			ContentConfig: rest.ContentConfig{ContentType: "application/json"}, // which people read on the screen
		},
		HTTP: &http.Client{Transport: &agent{name: "kubarium-controller/" + name, manager: manager, token: d.server.Token, since: d.server.Since, next: d.transport}},
	}
}

// A Client is what the constructors of official clients take: NewForConfigAndClient(c.Config, c.HTTP).
type Client struct {
	Config *rest.Config
	HTTP   *http.Client
}

// Kubernetes returns the client of all built-in kinds.
func (c Client) Kubernetes() kubernetes.Interface {
	k, err := kubernetes.NewForConfigAndClient(c.Config, c.HTTP)
	if err != nil {
		panic(err) // the address of our own server is no URL
	}
	return k
}

// Metadata returns the client of the metadata of all kinds.
func (c Client) Metadata() metadata.Interface {
	m, err := metadata.NewForConfigAndClient(c.Config, c.HTTP)
	if err != nil {
		panic(err) // as of Kubernetes
	}
	return m
}

// Definitions returns the client of CustomResourceDefinitions.
func (c Client) Definitions() apiextensionsv1.CustomResourceDefinitionInterface {
	d, err := apiextensionsv1.NewForConfigAndClient(c.Config, c.HTTP)
	if err != nil {
		panic(err) // as of Kubernetes
	}
	return d.CustomResourceDefinitions()
}

// An agent signs requests.
type agent struct {
	name    string // User-Agent
	manager string // field manager of writes that name none
	token   string // "" for none
	since   int64  // 0 for none
	next    http.RoundTripper
}

func (a *agent) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", a.name)
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	if a.since != 0 {
		req.Header.Set(SinceHeader, strconv.FormatInt(a.since, 10))
	}
	switch req.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if q := req.URL.Query(); !q.Has("fieldManager") {
			q.Set("fieldManager", a.manager)
			req.URL.RawQuery = q.Encode()
		}
	}
	return a.next.RoundTrip(req)
}
