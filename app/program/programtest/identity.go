package programtest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"

	"kubarium/app/pki"
	"kubarium/app/program"
)

// SecureConfig serves HTTPS and the plain port, from a new database, and knows the token "s3same" of alice.
func SecureConfig(t testing.TB) program.Config {
	t.Helper()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	WriteFile(t, tokens, "s3same,alice,a1,\"dev,ops\"\n")
	return program.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: 5 * time.Minute, Sync: "normal",
		Secure: program.Secure{Listen: "127.0.0.1:0"}, Authn: program.Authentication{Anonymous: true, TokenFile: tokens},
	}
}

func WriteFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Over is a client's configuration of HTTPS, with who asks set by as.
func Over(p *program.Program, as func(*rest.Config)) *kubernetes.Clientset {
	c := &rest.Config{Host: p.Secure, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: p.CA}}
	if as != nil {
		as(c)
	}
	return kubernetes.NewForConfigOrDie(c)
}

func Bearer(token string) func(*rest.Config) { return func(c *rest.Config) { c.BearerToken = token } }

// Certificate is a client certificate of a CA's.
func Certificate(t testing.TB, ca *pki.CA, user string, groups ...string) func(*rest.Config) {
	t.Helper()
	cert, key, err := ca.Client(user, groups)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *rest.Config) { c.CertData, c.KeyData = cert, key }
}

// WhoAmI is the user that a server sees, or the error.
func WhoAmI(t testing.TB, c *kubernetes.Clientset) string {
	t.Helper()
	review, err := c.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err.Error()
	}
	u := review.Status.UserInfo
	return u.Username + " [" + strings.Join(u.Groups, " ") + "]"
}

// HTTPSOf is a plain HTTP client that believes the server's CA.
func HTTPSOf(p *program.Program) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
}

// ForeignCertificate is a serving certificate of another CA, for another name.
func ForeignCertificate(t testing.TB) (certFile, keyFile string) {
	t.Helper()
	cert, key, err := certutil.GenerateSelfSignedCertKey("kubernetes.example", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	WriteFile(t, certFile, string(cert))
	WriteFile(t, keyFile, string(key))
	return certFile, keyFile
}

func MustCA(t testing.TB) *pki.CA {
	t.Helper()
	ca, err := pki.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}
