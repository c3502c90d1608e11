//go:build unix

package envtest_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kubarium/app/envtest"
)

// assets are the tests' own binary, laid out.
var assets = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kubarium-envtest-")
	if err != nil {
		return "", err
	}
	made = dir
	binary, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, _, err = envtest.Lay(dir, binary)
	return dir, err
})

// A process is a program that was started as envtest does it: in a process group of its own.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   buffer
	ended chan struct{}
}

// A buffer is what a process has written so far.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// begin starts a program. It is killed at the end of the test if it still runs.
func begin(t *testing.T, program string, args ...string) *process {
	t.Helper()
	dir, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := &process{t: t, cmd: exec.Command(filepath.Join(dir, program), args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = home, &p.out, &p.out
	p.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		select {
		case <-p.ended:
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			<-p.ended
		}
	})
	return p
}

// await waits until a URL answers 200, and fails if the process ends before.
func (p *process) await(client *http.Client, url string) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-p.ended:
			p.t.Fatalf("it ended: %s", p.out.String())
		default:
		}
		resp, err := client.Get(url)
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	p.t.Fatalf("%s does not answer: %s", url, p.out.String())
}

// over waits for the end, and returns the exit code.
func (p *process) over() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second): // after which envtest gives up
		p.t.Fatalf("it does not end: %s", p.out.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// stop is how envtest ends a program: SIGTERM to the group. It says how long that took.
func (p *process) stop() time.Duration {
	p.t.Helper()
	began := time.Now()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	if code := p.over(); code != 0 {
		p.t.Errorf("exit code %d: %s", code, p.out.String())
	}
	return time.Since(began)
}

// An authority signs certificates as envtest's does.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newCert signs a certificate by a, or by itself if that is nil.
func newCert(t *testing.T, a *authority, c x509.Certificate) *authority {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now(), time.Now().Add(7*24*time.Hour)
	if a == nil {
		a = &authority{&c, key}
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, &c, a.cert, key.Public(), a.key))
	return &authority{must[*x509.Certificate](t)(x509.ParseCertificate(der)), key}
}

func newAuthority(t *testing.T) *authority {
	return newCert(t, nil, x509.Certificate{
		Subject: pkix.Name{CommonName: "envtest-environment", Organization: []string{"envtest"}}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageCertSign,
	})
}

func (a *authority) pem() (cert, key []byte) {
	der, _ := x509.MarshalPKCS8PrivateKey(a.key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// write keeps the certificate, and the key if a file is named for it.
func (a *authority) write(t *testing.T, certFile, keyFile string) {
	t.Helper()
	cert, key := a.pem()
	for file, text := range map[string][]byte{certFile: cert, keyFile: key} {
		if filepath.Base(file) == "-" {
			continue
		}
		if err := os.WriteFile(file, text, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

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
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
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
