package glass_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"kubarium/app/cli"
	"kubarium/app/glass"
	"kubarium/app/program/programtest"
	"kubarium/flow/object"
)

// startUpgrading starts a server that echoes what comes on an upgraded connection.
func startUpgrading(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n")
		_ = rw.Flush()
		_, _ = io.Copy(conn, rw)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A server that does not answer as one, or at all, gets one line, for the client and on the screen, and the glass goes
// on: the next answer takes it away.
func TestGlass_troubles(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answer := make(chan string, 8)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				_, _ = io.WriteString(conn, <-answer)
			}()
		}
	}()
	g, client := mustStart(t, glass.Config{Target: targetOf("http://" + l.Addr().String())})
	for _, c := range []struct{ answer, want string }{
		{"garbage\r\n\r\n", "malformed HTTP"},
		{"", "EOF"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", ""},
	} {
		answer <- c.answer
		answer <- c.answer // a get is sent again on a connection that was closed
		resp, text := ask(t, client, "GET", g.URL+"/api/v1/namespaces", "")
		for len(answer) > 0 {
			<-answer
		}
		trouble := g.Handler.Trouble()
		if c.want == "" {
			if resp.StatusCode != 200 || trouble != "" {
				t.Errorf("%q: %d %s, and %q", c.answer, resp.StatusCode, text, trouble)
			}
			continue
		}
		message := object.TextIn(object.Parse(text), "message")
		if resp.StatusCode != 503 || !strings.Contains(message, c.want) || !strings.HasPrefix(message, "no answer from "+l.Addr().String()) || trouble != message || strings.Contains(message, "\n") {
			t.Errorf("%q: %d %q, and %q", c.answer, resp.StatusCode, message, trouble)
		}
	}
	l.Close()
	client.CloseIdleConnections()
	resp, text := ask(t, client, "GET", g.URL+"/api/v1/namespaces", "")
	if resp.StatusCode != 503 || !strings.Contains(string(text), "refused") {
		t.Errorf("a server that is gone: %d %s", resp.StatusCode, text)
	}
}

// A server that answers nothing at all gets a line while its clients still wait; one that lets a single request wait
// does not.
func TestGlass_hangs(t *testing.T) {
	hang := make(chan struct{})
	var all atomic.Bool // hangs, and not one request alone
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if all.Load() || strings.HasSuffix(r.URL.Path, "/slow") {
			<-hang
		}
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	g, client := mustStart(t, glass.Config{Target: targetOf(s.URL)})
	var waiting sync.WaitGroup
	defer waiting.Wait()
	send := func(path string) {
		waiting.Go(func() {
			if resp, err := client.Get(g.URL + path); err == nil {
				resp.Body.Close()
			}
		})
	}
	send("/api/v1/namespaces/slow")
	for range 11 {
		ask(t, client, "GET", g.URL+"/api/v1/namespaces", "")
		time.Sleep(time.Second)
	}
	if said := g.Handler.Trouble(); said != "" {
		t.Errorf("of a server that answers others: %q", said)
	}
	all.Store(true)
	send("/api/v1/namespaces")
	<-g.Handler.Changed()
	if said := g.Handler.Trouble(); !strings.HasPrefix(said, "no answer from "+s.Listener.Addr().String()) || !strings.Contains(said, "10s") {
		t.Errorf("of a server that hangs: %q", said)
	}
	close(hang)
	<-g.Handler.Changed()
	if said := g.Handler.Trouble(); said != "" {
		t.Errorf("of a server that answers again: %q", said)
	}
}

// A server that cannot be reached, or whose certificate is not good, is said at the start.
func TestStart_refused(t *testing.T) {
	good := httptest.NewTLSServer(http.NotFoundHandler())
	defer good.Close()
	late, root := startExpired(t)
	for name, c := range map[string]struct {
		config *rest.Config
		want   string
	}{
		"nobody listens":      {&rest.Config{Host: "https://" + programtest.FreeAddress(t)}, "refused"},
		"unknown authority":   {&rest.Config{Host: good.URL}, "the certificate of "},
		"expired":             {&rest.Config{Host: late, TLSClientConfig: rest.TLSClientConfig{CAData: root}}, "expired"},
		"not on this machine": {&rest.Config{Host: "http://192.0.2.1:80"}, "not by HTTPS"},
		"no URL":              {&rest.Config{Host: "https://%"}, "invalid URL"},
	} {
		g, err := glass.Start(t.Context(), glass.Config{Listen: "127.0.0.1:0", Target: glass.Target{Context: "dev", Config: c.config}}, slog.New(slog.DiscardHandler))
		if err == nil || g != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// startExpired starts a server whose certificate is over, and returns by what it would be checked.
func startExpired(t *testing.T) (url string, root []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// A plugin for credentials that fails is one line for each client that needs them.
func TestGlass_plugin(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	target := targetOf(p.URL)
	target.Config.ExecProvider = &api.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: "/bin/false", InteractiveMode: api.NeverExecInteractiveMode}
	g, client := mustStart(t, glass.Config{Target: target})
	resp, text := ask(t, client, "GET", g.URL+"/api/v1/namespaces", "")
	message := object.TextIn(object.Parse(text), "message")
	if resp.StatusCode != 503 || !strings.Contains(message, "exec: executable /bin/false failed with exit code 1") || strings.Contains(message, "\n") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

// A kubeconfig leads to one server, or the context must be said; what is wrong with it is one line of misuse.
func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	one := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: t}}]\n"
	for name, c := range map[string]struct{ contexts, context, want string }{
		"one":                 {"[{name: a, context: {cluster: c, user: u, namespace: shop}}]", "", ""},
		"two":                 {"[{name: b, context: {cluster: c}}, {name: a, context: {cluster: c}}]", "", "the kubeconfig has 2 contexts; say --context NAME: a, b"},
		"two, and said":       {"[{name: b, context: {cluster: c}}, {name: a, context: {cluster: c, user: u, namespace: shop}}]", "a", ""},
		"none":                {"[]", "", "no kubeconfig with a context"},
		"an unknown one":      {"[{name: a, context: {cluster: c}}]", "x", `no context "x"`},
		"without its cluster": {"[{name: a, context: {cluster: d}}]", "", "invalid configuration"},
	} {
		if err := os.WriteFile(file, []byte(one+"contexts: "+c.contexts), 0o600); err != nil {
			t.Fatal(err)
		}
		target, err := glass.Read(file, c.context)
		switch {
		case c.want == "" && (err != nil || target.Context != "a" || target.User != "u" || target.Namespace != "shop" || target.Config.BearerToken != "t"):
			t.Errorf("%s: %+v %v", name, target, err)
		case c.want != "" && (err == nil || !cli.IsMisuse(err) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", name, err)
		}
	}
}
