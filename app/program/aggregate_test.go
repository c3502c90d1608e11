package program_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
)

// The condition Available says what kube-apiserver says (as recorded of 1.37), and requests go where it is True.
func TestAggregate_availability(t *testing.T) {
	p := programtest.MustStartConfig(t, programtest.SecureConfig(t))
	f := programtest.MustFishServer(t, p)
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", "application/json", `{"metadata":{"name":"sea"}}`)
	programtest.MustCall(t, 201, "POST", p.URL+programtest.ApiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com"},"spec":{"group":"fish.example.com","version":"v1",
		"groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"sea","name":"fish","port":`+f.Port()+`}}}`)
	programtest.MustBe(t, p, `False ServiceNotFound: service/fish in "sea" is not present`)
	programtest.MustCall(t, 503, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
	const services = "/api/v1/namespaces/sea/services"
	programtest.MustCall(t, 201, "POST", p.URL+services, "application/json", `{"metadata":{"name":"fish"},"spec":{"ports":[{"port":443}]}}`)
	programtest.MustBe(t, p, `False ServicePortError: service/fish in "sea" is not listening on port `+f.Port())
	programtest.MustCall(t, 200, "PATCH", p.URL+services+"/fish", programtest.MergeJSON, `{"spec":{"ports":[{"port":`+f.Port()+`}]}}`)
	programtest.MustBe(t, p, `False EndpointsNotFound: cannot find endpointslices for service/fish in "sea"`)
	programtest.MustCall(t, 200, "PATCH", p.URL+services+"/fish", programtest.MergeJSON, `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null,"ports":null}}`)
	programtest.MustBe(t, p, "True Passed: all checks passed")
	programtest.Eventually(t, "the server", func() bool {
		_, text := programtest.Call(t, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
		return text == "system:admin is told by front-proxy-client"
	})
	programtest.MustCall(t, 200, "PATCH", p.URL+programtest.FishService, programtest.MergeJSON, `{"spec":{"insecureSkipTLSVerify":false,"caBundle":"`+base64.StdEncoding.EncodeToString([]byte(f.Trust))+`"}}`)
	programtest.MustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from https://localhost:"+f.Port()+"/apis/fish.example.com/v1: Get ")
	programtest.MustCall(t, 200, "PATCH", p.URL+programtest.FishService, programtest.MergeJSON, `{"spec":{"insecureSkipTLSVerify":null,"caBundle":null,"service":null}}`)
	programtest.MustBe(t, p, "True Local: Local APIServices are always available")
	programtest.MustCall(t, 404, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
}

// A server at a URL is asked in the same manner, without a Service, and comes and goes.
func TestAggregate_url(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	f := programtest.MustFishServer(t, p)
	programtest.MustCall(t, 201, "POST", p.URL+programtest.ApiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+f.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15}}`)
	programtest.MustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from "+f.URL+"/apis/fish.example.com/v1: tls: failed to verify certificate")
	programtest.MustCall(t, 200, "PATCH", p.URL+programtest.FishService, programtest.MergeJSON, `{"spec":{"insecureSkipTLSVerify":true,"service":{"namespace":"none","name":"none"}}}`)
	programtest.MustBe(t, p, "True Passed")
	f.Away.Store(true)
	programtest.MustCall(t, 200, "PATCH", p.URL+programtest.FishService, programtest.MergeJSON, `{"metadata":{"labels":{"asked":"again"}}}`)
	programtest.MustBe(t, p, "False FailedDiscoveryCheck: failing or missing response from "+f.URL+"/apis/fish.example.com/v1: bad status from "+f.URL+"/apis/fish.example.com/v1: 503")
	f.Away.Store(false)
	programtest.MustBe(t, p, "True Passed")
}

// Who may not is refused before anybody else hears of it.
func TestAggregate_forbidden(t *testing.T) {
	c := programtest.SecureConfig(t)
	c.Modes = authz.Modes{authz.ModeRBAC}
	p := programtest.MustStartConfig(t, c)
	asked := atomic.Int64{}
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Remote-User") == "alice" {
			asked.Add(1)
		}
		_, _ = io.WriteString(w, r.Header.Get("X-Remote-User"))
	}))
	t.Cleanup(behind.Close)
	programtest.MustCall(t, 201, "POST", p.URL+programtest.ApiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+behind.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15}}`)
	programtest.MustBe(t, p, "True Passed")
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
	c := programtest.SecureConfig(t)
	p := programtest.MustStartConfig(t, c)
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
		if got := programtest.WhoAmI(t, programtest.Over(p, c.as)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	before := read("front-proxy-client.crt")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := program.Start(context.Background(), c, programtest.Discard())
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
