package programtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/program"
)

// MustFishServer serves by HTTPS, for clients with a certificate that the trust has signed.
func MustFishServer(t *testing.T, p *program.Program) *fishServer {
	t.Helper()
	f := &fishServer{}
	Eventually(t, "the ConfigMap", func() bool {
		code, text := Call(t, "GET", p.URL+"/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "", "")
		var published struct{ Data map[string]string }
		if code == http.StatusOK {
			if err := json.Unmarshal([]byte(text), &published); err != nil {
				t.Fatal(err)
			}
		}
		f.Trust = published.Data["requestheader-client-ca-file"]
		return f.Trust != ""
	})
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.Away.Load() {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "%s is told by %s", r.Header.Get("X-Remote-User"), r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	believed := x509.NewCertPool()
	believed.AppendCertsFromPEM([]byte(f.Trust))
	f.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: believed}
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that must fail
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

const (
	ApiServices = "/apis/apiregistration.k8s.io/v1/apiservices"
	FishService = ApiServices + "/v1.fish.example.com"
	MergeJSON   = "application/merge-patch+json"
)

// MustBe waits for the condition of an APIService.
func MustBe(t *testing.T, p *program.Program, want string) {
	t.Helper()
	last := ""
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var o struct {
			Status struct {
				Conditions []struct{ Type, Status, Reason, Message string }
			}
		}
		if err := json.Unmarshal([]byte(MustCall(t, 200, "GET", p.URL+FishService, "", "")), &o); err != nil {
			t.Fatal(err)
		}
		if c := o.Status.Conditions; len(c) == 1 {
			last = c[0].Status + " " + c[0].Reason + ": " + c[0].Message
		}
		if strings.HasPrefix(last, want) {
			return
		}
	}
	t.Fatalf("%s, want %s", last, want)
}

// A fishServer is a server behind an APIService, which trusts the CA that the ConfigMap of its Kubarium names.
type fishServer struct {
	*httptest.Server
	Away  atomic.Bool
	Trust string // the CA of front proxies
}

func (f *fishServer) Port() string { return f.URL[strings.LastIndex(f.URL, ":")+1:] }
