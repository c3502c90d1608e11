//go:build unix

package envtest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A plane is an etcd and a kube-apiserver, started in envtest's order with its flags and certificates.
type plane struct {
	t                *testing.T
	data, certs      string
	port             string
	etcdURL, url     string
	serving, clients *authority
	etcd, api        *process
}

// newPlane makes folders and certificates, and starts the etcd.
func newPlane(t *testing.T) *plane {
	t.Helper()
	p := &plane{t: t, data: t.TempDir(), certs: t.TempDir()}
	p.startEtcd()
	p.prepare()
	return p
}

func (p *plane) startEtcd() {
	p.t.Helper()
	p.etcdURL = freeURL(p.t)
	p.etcd = begin(p.t, "etcd", "--advertise-client-urls="+p.etcdURL, "--data-dir="+p.data, "--listen-client-urls="+p.etcdURL,
		"--listen-peer-urls="+freeURL(p.t), "--unsafe-no-fsync=true")
	p.etcd.await(http.DefaultClient, p.etcdURL+"/health")
}

// prepare makes new certificates and a port, as each start of a kube-apiserver does.
func (p *plane) prepare() {
	p.serving, p.clients = newAuthority(p.t), newAuthority(p.t)
	newCert(p.t, p.serving, x509.Certificate{
		Subject: pkix.Name{CommonName: "localhost", Organization: []string{"envtest"}}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}).write(p.t, filepath.Join(p.certs, "apiserver.crt"), filepath.Join(p.certs, "apiserver.key"))
	p.clients.write(p.t, filepath.Join(p.certs, "client-cert-auth-ca.crt"), "-")
	newAuthority(p.t).write(p.t, filepath.Join(p.certs, "sa-signer.crt"), filepath.Join(p.certs, "sa-signer.key"))
	u := must[*url.URL](p.t)(url.Parse(freeURL(p.t)))
	p.port, p.url = u.Port(), "https://"+u.Host
}

// args are envtest's own, and more.
func (p *plane) args(more ...string) []string {
	return append([]string{
		"--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1", "--cert-dir=" + p.certs,
		"--client-ca-file=" + filepath.Join(p.certs, "client-cert-auth-ca.crt"), "--disable-admission-plugins=ServiceAccount",
		"--etcd-servers=" + p.etcdURL, "--secure-port=" + p.port, "--service-account-issuer=" + p.url + "/",
		"--service-account-key-file=" + filepath.Join(p.certs, "sa-signer.crt"),
		"--service-account-signing-key-file=" + filepath.Join(p.certs, "sa-signer.key"), "--service-cluster-ip-range=10.0.0.0/24",
	}, more...)
}

// start starts the kube-apiserver, and waits for it as envtest does: without credentials, and without looking at the certificate.
func (p *plane) start(more ...string) {
	p.t.Helper()
	p.api = begin(p.t, "kube-apiserver", p.args(more...)...)
	p.api.await(p.anybody(), p.url+"/healthz")
}

func (p *plane) stop() {
	p.t.Helper()
	p.api.stop()
	p.etcd.stop()
}

// anybody is a client without credentials.
func (p *plane) anybody() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}

// user is a client by a certificate, who checks that of the server.
func (p *plane) user(name string, groups ...string) *http.Client {
	cert, key := newCert(p.t, p.clients, x509.Certificate{
		Subject: pkix.Name{CommonName: name, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}).pem()
	roots := x509.NewCertPool()
	roots.AddCert(p.serving.cert)
	pair := must[tls.Certificate](p.t)(tls.X509KeyPair(cert, key))
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}, ForceAttemptHTTP2: true,
	}}
}

func (p *plane) admin() *http.Client { return p.user("admin", "system:masters") }

// ask sends a request and returns the code and the answer.
func (p *plane) ask(c *http.Client, method, path, body string) (int, string) {
	p.t.Helper()
	r := must[*http.Request](p.t)(http.NewRequestWithContext(context.Background(), method, p.url+path, strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(r)
	if err != nil {
		p.t.Fatalf("%s %s: %v: %s", method, path, err, p.api.out.String())
	}
	defer resp.Body.Close()
	return resp.StatusCode, string(must[[]byte](p.t)(io.ReadAll(resp.Body)))
}

// expect sends a request that must be answered so.
func (p *plane) expect(code int, c *http.Client, method, path, body string) string {
	p.t.Helper()
	got, text := p.ask(c, method, path, body)
	if got != code {
		p.t.Fatalf("%s %s: %d, not %d: %s", method, path, got, code, text)
	}
	return text
}

// eventually waits until a request is answered so.
func (p *plane) eventually(code int, c *http.Client, method, path string) {
	p.t.Helper()
	var text string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var got int
		if got, text = p.ask(c, method, path, ""); got == code {
			return
		}
	}
	p.t.Fatalf("%s %s is never answered by %d: %s", method, path, code, text)
}

// configMap is a body.
func configMap(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q}}`, name)
}
