package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"kubarium/app"
	"kubarium/app/pki"
	"kubarium/server/authz"
)

// A fishServer is a server behind an APIService, which believes whom the ConfigMap of its Kubarium names.
type fishServer struct {
	*httptest.Server
	away  atomic.Bool
	trust string // the CA of front proxies
}

// mustFishServer serves by HTTPS, for clients with a certificate that the trust has signed.
func mustFishServer(t *testing.T, p *app.Program) *fishServer {
	t.Helper()
	f := &fishServer{}
	eventually(t, "the ConfigMap", func() bool {
		code, text := call(t, "GET", p.URL+"/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "", "")
		var published struct{ Data map[string]string }
		if code == http.StatusOK {
			if err := json.Unmarshal([]byte(text), &published); err != nil {
				t.Fatal(err)
			}
		}
		f.trust = published.Data["requestheader-client-ca-file"]
		return f.trust != ""
	})
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.away.Load() {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "%s is told by %s", r.Header.Get("X-Remote-User"), r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	believed := x509.NewCertPool()
	believed.AppendCertsFromPEM([]byte(f.trust))
	f.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: believed}
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that must fail
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

func (f *fishServer) port() string { return f.URL[strings.LastIndex(f.URL, ":")+1:] }

const (
	apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"
	fishService = apiServices + "/v1.fish.example.com"
	mergeJSON   = "application/merge-patch+json"
)

// mustBe waits for the condition of an APIService.
func mustBe(t *testing.T, p *app.Program, want string) {
	t.Helper()
	last := ""
	for range 100 {
		var o struct {
			Status struct {
				Conditions []struct{ Type, Status, Reason, Message string }
			}
		}
		if err := json.Unmarshal([]byte(mustCall(t, 200, "GET", p.URL+fishService, "", "")), &o); err != nil {
			t.Fatal(err)
		}
		if c := o.Status.Conditions; len(c) == 1 {
			last = c[0].Status + " " + c[0].Reason + ": " + c[0].Message
		}
		if strings.HasPrefix(last, want) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s, want %s", last, want)
}

// The condition Available says what kube-apiserver says (as recorded of 1.37), and requests go where it is True.
func TestAggregate_availability(t *testing.T) {
	p := mustStartConfig(t, secureConfig(t))
	f := mustFishServer(t, p)
	mustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", "application/json", `{"metadata":{"name":"sea"}}`)
	mustCall(t, 201, "POST", p.URL+apiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com"},"spec":{"group":"fish.example.com","version":"v1",
		"groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"sea","name":"fish","port":`+f.port()+`}}}`)
	mustBe(t, p, `False ServiceNotFound: service/fish in "sea" is not present`)
	mustCall(t, 503, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
	const services = "/api/v1/namespaces/sea/services"
	mustCall(t, 201, "POST", p.URL+services, "application/json", `{"metadata":{"name":"fish"},"spec":{"ports":[{"port":443}]}}`)
	mustBe(t, p, `False ServicePortError: service/fish in "sea" is not listening on port `+f.port())
	mustCall(t, 200, "PATCH", p.URL+services+"/fish", mergeJSON, `{"spec":{"ports":[{"port":`+f.port()+`}]}}`)
	mustBe(t, p, `False EndpointsNotFound: cannot find endpointslices for service/fish in "sea"`)
	mustCall(t, 200, "PATCH", p.URL+services+"/fish", mergeJSON, `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null,"ports":null}}`)
	mustBe(t, p, "True Passed: all checks passed")
	eventually(t, "the server", func() bool {
		_, text := call(t, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
		return text == "system:admin is told by front-proxy-client"
	})
	mustCall(t, 200, "PATCH", p.URL+fishService, mergeJSON, `{"spec":{"insecureSkipTLSVerify":false,"caBundle":"`+base64.StdEncoding.EncodeToString([]byte(f.trust))+`"}}`)
	mustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from https://localhost:"+f.port()+"/apis/fish.example.com/v1: Get ")
	mustCall(t, 200, "PATCH", p.URL+fishService, mergeJSON, `{"spec":{"insecureSkipTLSVerify":null,"caBundle":null,"service":null}}`)
	mustBe(t, p, "True Local: Local APIServices are always available")
	mustCall(t, 404, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
}

// A server at a URL is asked in the same manner, without a Service, and comes and goes.
func TestAggregate_url(t *testing.T) {
	p := mustStart(t, "normal")
	f := mustFishServer(t, p)
	mustCall(t, 201, "POST", p.URL+apiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+f.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15}}`)
	mustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from "+f.URL+"/apis/fish.example.com/v1: tls: failed to verify certificate")
	mustCall(t, 200, "PATCH", p.URL+fishService, mergeJSON, `{"spec":{"insecureSkipTLSVerify":true,"service":{"namespace":"none","name":"none"}}}`)
	mustBe(t, p, "True Passed")
	f.away.Store(true)
	mustCall(t, 200, "PATCH", p.URL+fishService, mergeJSON, `{"metadata":{"labels":{"asked":"again"}}}`)
	mustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from "+f.URL+"/apis/fish.example.com/v1: bad status from "+f.URL+"/apis/fish.example.com/v1: 503")
	f.away.Store(false)
	mustBe(t, p, "True Passed")
}

// Who may not is refused before anybody else hears of it.
func TestAggregate_forbidden(t *testing.T) {
	c := secureConfig(t)
	c.Modes = authz.Modes{authz.ModeRBAC}
	p := mustStartConfig(t, c)
	asked := atomic.Int64{}
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Remote-User") == "alice" {
			asked.Add(1)
		}
		_, _ = io.WriteString(w, r.Header.Get("X-Remote-User"))
	}))
	t.Cleanup(behind.Close)
	mustCall(t, 201, "POST", p.URL+apiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+behind.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15}}`)
	mustBe(t, p, "True Passed")
	ask := func(path string) (int, string) {
		r, err := http.NewRequest("GET", p.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer s3same")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	code, text := ask("/apis/fish.example.com/v1/fish")
	if code != http.StatusForbidden || asked.Load() != 0 ||
		!strings.Contains(text, `fish.fish.example.com is forbidden: User \"alice\" cannot list resource \"fish\" in API group \"fish.example.com\" at the cluster scope`) {
		t.Errorf("%d %s, asked %d times", code, text, asked.Load())
	}
	if code, text = ask("/apis/fish.example.com/v1"); code != http.StatusOK || text != "alice" { // system:discovery
		t.Errorf("%d %s", code, text)
	}
}

// A front proxy says by its certificate's right who asks, here as behind an APIService; nobody else does.
func TestAggregate_frontProxy(t *testing.T) {
	c := secureConfig(t)
	p := mustStartConfig(t, c)
	folder := pki.Folder(c.DB)
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	says := func(cert, key []byte) func(*rest.Config) {
		return func(r *rest.Config) {
			r.CertData, r.KeyData = cert, key
			r.Wrap(func(next http.RoundTripper) http.RoundTripper { return saying{next} })
		}
	}
	users, err := pki.ReadCA(folder)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := users.Client("front-proxy-client", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		as   func(*rest.Config)
		want string
	}{
		"front proxy":         {says(read("front-proxy-client.crt"), read("front-proxy-client.key")), "jane [dev system:authenticated]"},
		"certificate of user": {says(cert, key), "front-proxy-client [system:authenticated]"},
		"no certificate":      {says(nil, nil), "system:anonymous [system:unauthenticated]"},
	} {
		if got := whoAmI(t, over(p, c.as)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	before := read("front-proxy-client.crt")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := app.Start(context.Background(), c, discard())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if string(before) != string(read("front-proxy-client.crt")) {
		t.Error("the certificate is another one after a start")
	}
	block, _ := pem.Decode(read("front-proxy-ca.crt"))
	if ca, err := x509.ParseCertificate(block.Bytes); err != nil || !ca.IsCA {
		t.Errorf("%v, %v", ca, err)
	}
}

// saying tells who asks, as a front proxy does.
type saying struct{ next http.RoundTripper }

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header["X-Remote-User"], r.Header["X-Remote-Group"] = []string{"jane"}, []string{"dev"}
	return s.next.RoundTrip(r)
}

// Where flags name both the certificate and the CAs, servers are told of these alone.
func TestAggregate_flags(t *testing.T) {
	ca, c := mustCA(t), secureConfig(t)
	cert, key, err := ca.Client("proxy-of-mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		write(t, filepath.Join(dir, name), string(text))
		return filepath.Join(dir, name)
	}
	c.FrontProxy.CertFile, c.FrontProxy.KeyFile, c.FrontProxy.ClientCAFile = file("c.crt", cert), file("c.key", key), file("ca.crt", ca.PEM())
	p := mustStartConfig(t, c)
	f := mustFishServer(t, p)
	if f.trust != string(ca.PEM()) {
		t.Errorf("the trust is %s", f.trust)
	}
	mustCall(t, 201, "POST", p.URL+apiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+f.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"a","name":"b"}}}`)
	mustBe(t, p, "True Passed")
	eventually(t, "the server", func() bool {
		_, text := call(t, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
		return text == "system:admin is told by proxy-of-mine"
	})
	if _, err := os.Stat(filepath.Join(pki.Folder(c.DB), "front-proxy-ca.crt")); err == nil {
		t.Error("a CA was made")
	}
	for flags, want := range map[string]string{
		"--proxy-client-cert-file=x":                           "must be set together",
		"--requestheader-username-headers= ":                   "empty value in",
		"--requestheader-client-ca-file=" + dir + "/none":      "--requestheader-client-ca-file",
		"--proxy-client-cert-file=x --proxy-client-key-file=y": "--proxy-client-cert-file",
		"--requestheader-uid-headers=X-Mine":                   "X-Remote-Uid",
	} {
		var said bytes.Buffer
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--db", ":memory:"}, strings.Split(flags, " --")...)
		for i := 6; i < len(args); i++ {
			args[i] = "--" + args[i]
		}
		if code := app.Main(args, nil, &said, &said); code == 0 || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %d %s", flags, code, said.String())
		}
	}
}
