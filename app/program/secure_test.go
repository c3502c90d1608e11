package program_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/serviceaccount"

	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// A client is known by its certificate or token, on HTTPS as on the plain port; who brings none is anonymous there and the administrator
// here, and who brings a wrong one is refused on both.
func TestSecure_who(t *testing.T) {
	c := programtest.SecureConfig(t)
	p := programtest.MustStartConfig(t, c)
	ca, err := pki.ReadCA(pki.Folder(c.DB))
	if err != nil {
		t.Fatal(err)
	}
	other := programtest.MustCA(t)
	impersonate := func(r *rest.Config) {
		r.BearerToken, r.Impersonate = "s3same", rest.ImpersonationConfig{UserName: "bob", Groups: []string{"g"}}
	}
	plain := func(as func(*rest.Config)) *kubernetes.Clientset {
		r := &rest.Config{Host: p.URL, QPS: -1}
		as(r)
		return kubernetes.NewForConfigOrDie(r)
	}
	for name, c := range map[string]struct {
		client *kubernetes.Clientset
		want   string
	}{
		"nobody":                  {programtest.Over(p, nil), "system:anonymous [system:unauthenticated]"},
		"certificate":             {programtest.Over(p, programtest.Certificate(t, ca, "carol", "dev")), "carol [dev system:authenticated]"},
		"another's certificate":   {programtest.Over(p, programtest.Certificate(t, other, "carol", "dev")), "Unauthorized"},
		"token":                   {programtest.Over(p, programtest.Bearer("s3same")), "alice [dev ops system:authenticated]"},
		"wrong token":             {programtest.Over(p, programtest.Bearer("nonsense")), "Unauthorized"},
		"impersonating":           {programtest.Over(p, impersonate), "bob [g system:authenticated]"},
		"plain nobody":            {plain(func(*rest.Config) {}), "system:admin [system:masters system:authenticated]"},
		"plain token":             {plain(programtest.Bearer("s3same")), "alice [dev ops system:authenticated]"},
		"plain wrong token":       {plain(programtest.Bearer("nonsense")), "Unauthorized"},
		"plain and impersonating": {plain(impersonate), "bob [g system:authenticated]"},
	} {
		if got := programtest.WhoAmI(t, c.client); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	flows, _ := p.Log.Since(0, 0)
	var impersonated, reason bool
	for _, f := range flows {
		impersonated = impersonated || f.Client.User == "bob" && f.Client.Impersonator == "alice" && f.RequestHeader.Get("Authorization") != ""
		reason = reason || f.Status == 401 && strings.Contains(f.Stations[2].Note, "invalid bearer token")
	}
	if !impersonated || !reason {
		t.Errorf("flows tell of the impersonator: %v; why a token was wrong: %v", impersonated, reason)
	}
}

// A ServiceAccount's token lives as long as it says and what it is bound to, across restarts of the server, and for its audiences alone.
func TestSecure_accounts(t *testing.T) {
	config := programtest.SecureConfig(t)
	ctx := context.Background()
	p, err := program.Start(ctx, config, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	admin := programtest.Over(p, programtest.Bearer("s3same"))
	accounts := admin.CoreV1().ServiceAccounts("default")
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "till"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ask := func(spec authenticationv1.TokenRequestSpec) string {
		t.Helper()
		request, err := accounts.CreateToken(ctx, "till", &authenticationv1.TokenRequest{Spec: spec}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return request.Status.Token
	}
	token, vault := ask(authenticationv1.TokenRequestSpec{}), ask(authenticationv1.TokenRequestSpec{Audiences: []string{"vault"}})
	if _, err := admin.CoreV1().Secrets("default").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bound := ask(authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: "s"}})
	ca := p.CA
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = programtest.MustStartConfig(t, config)
	const till = "system:serviceaccount:default:till [system:serviceaccounts system:serviceaccounts:default system:authenticated]"
	for name, c := range map[string]struct{ token, want string }{
		"of before": {token, till}, "bound": {bound, till}, "another audience": {vault, "Unauthorized"},
	} {
		if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Bearer(c.token))); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if string(p.CA) != string(ca) {
		t.Error("another CA")
	}
	checkLegacy(t, p, config.DB, till)
}

// checkLegacy proves that a token of the old kind is believed while its Secret holds it, and that its use is noted there.
func checkLegacy(t *testing.T, p *program.Program, db, want string) {
	t.Helper()
	ctx := t.Context()
	admin := programtest.Over(p, programtest.Bearer("s3same")).CoreV1()
	account, err := admin.ServiceAccounts("default").Get(ctx, "till", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := pki.ReadAccountKey(pki.Folder(db))
	if err != nil {
		t.Fatal(err)
	}
	generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
	if err != nil {
		t.Fatal(err)
	}
	secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "old", Namespace: "default"}}
	public, private := serviceaccount.LegacyClaims(*account, secret)
	token, err := generator.GenerateToken(ctx, public, private)
	if err != nil {
		t.Fatal(err)
	}
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Bearer(token))); got != "Unauthorized" {
		t.Errorf("without a Secret: %s", got)
	}
	secret.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token)}
	if _, err := admin.Secrets("default").Create(ctx, &secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Bearer(token))); got != want {
		t.Errorf("a token of the old kind: %s", got)
	}
	noted, err := admin.Secrets("default").Get(ctx, "old", metav1.GetOptions{})
	if err != nil || noted.Labels[serviceaccount.LastUsedLabelKey] == "" {
		t.Errorf("its use is not noted: %v %v", noted.Labels, err)
	}
}

// HTTPS speaks HTTP/2 and HTTP/1.1, takes any Host and no foreign page, and gives who says nothing one request of a connection.
func TestSecure_HTTP(t *testing.T) {
	p := programtest.MustStartConfig(t, programtest.SecureConfig(t))
	client := programtest.HTTPSOf(p)
	for _, c := range []struct {
		name, path string
		header     http.Header
		host       string
		code       int
		want       string
	}{
		{"livez", "/livez", nil, "", 200, "ok"},
		{"version", "/version", nil, "", 200, `"minor": "37"`},
		{"api", "/api", nil, "", 200, "APIVersions"},
		{"any host", "/livez", nil, "kubernetes.example", 200, "ok"},
		{"garbage", "/livez", http.Header{"Authorization": {"Bearer x"}}, "", 401,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`},
		{"garbage nowhere", "/nope", http.Header{"Authorization": {"Bearer x"}}, "", 401, `"message":"Unauthorized"`},
		{"another page", "/api", http.Header{"Origin": {"http://evil.example"}}, "", 403, "other origins"},
		{"an image", "/api", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, "", 403, "other origins"},
		{"group alone", "/api", http.Header{"Impersonate-Group": {"g"}}, "", 400, "without impersonating a user name"},
		{"documents", "/.well-known/openid-configuration", nil, "", 200, `"jwks_uri":"` + p.Secure + `/openid/v1/jwks"`},
		{"debug", "/debug/changes", nil, "", 200, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Secure+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range c.header {
			req.Header[name] = values
		}
		req.Host = c.host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.code || resp.ProtoMajor != 2 || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s %d %.300s %v; want %d %s", c.name, resp.Proto, resp.StatusCode, body, err, c.code, c.want)
		}
	}
}

// Who does not say who they are gets a connection of HTTP/2 for one request, and everybody else keeps theirs.
func TestSecure_connections(t *testing.T) {
	p := programtest.MustStartConfig(t, programtest.SecureConfig(t))
	for token, kept := range map[string]bool{"": false, "nonsense": false, "s3same": true} {
		client := programtest.HTTPSOf(p)
		ask := func() (reused bool) {
			trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}
			req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, p.Secure+"/livez", nil)
			if err != nil {
				t.Fatal(err)
			}
			if token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			time.Sleep(50 * time.Millisecond) // for the server's goodbye
			return reused
		}
		ask()
		if kept && !ask() {
			t.Errorf("%q: the connection was not used again", token)
		}
		for begin := time.Now(); !kept && ask(); { // the goodbye may be late
			if time.Since(begin) > time.Minute {
				t.Fatalf("%q: the connection was used again", token)
			}
		}
	}
}

// A browser's way to bring a token: as a subprotocol of a WebSocket, which is not echoed.
func TestSecure_webSocket(t *testing.T) {
	p := programtest.MustStartConfig(t, programtest.SecureConfig(t))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	for token, code := range map[string]int{"s3same": 101, "nonsense": 401} {
		dialer.Subprotocols = []string{"base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(token)), "base64.binary.k8s.io"}
		ws, resp, err := dialer.DialContext(t.Context(), "wss"+strings.TrimPrefix(p.Secure, "https")+"/api/v1/namespaces?watch=1", http.Header{"Origin": {p.Secure}})
		if resp == nil || resp.StatusCode != code {
			t.Fatalf("%s: %v %v", token, resp, err)
		}
		if ws == nil {
			continue
		}
		if _, message, err := ws.ReadMessage(); err != nil || !strings.Contains(string(message), `"ADDED"`) || ws.Subprotocol() != "base64.binary.k8s.io" {
			t.Errorf("%s: %.100s %v, subprotocol %q", token, message, err, ws.Subprotocol())
		}
		ws.Close()
	}
}

// Without a plain port everything is HTTPS, Kubarium's own loops too, whatever certificate is served.
func TestSecure_alone(t *testing.T) {
	for _, own := range []bool{false, true} {
		c := programtest.SecureConfig(t)
		c.Listen, c.Authn.Anonymous, c.Controllers = "", false, controllers.All()
		if own {
			c.Secure.CertFile, c.Secure.KeyFile = programtest.ForeignCertificate(t)
		}
		p := programtest.MustStartConfig(t, c)
		if p.URL != p.Secure || !strings.HasPrefix(p.URL, "https://127.0.0.1:") {
			t.Errorf("serves at %s", p.URL)
		}
		if got := programtest.WhoAmI(t, programtest.Over(p, insecurely(own, nil))); got != "Unauthorized" {
			t.Errorf("nobody is %s", got)
		}
		client := programtest.Over(p, insecurely(own, programtest.Bearer("s3same")))
		programtest.Eventually(t, "the root certificate", func() bool {
			published, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				t.Fatal(err)
			}
			return err == nil && published.Data["ca.crt"] == string(p.CA)
		})
		programtest.Eventually(t, "those who sign client certificates", func() bool {
			published, err := client.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "extension-apiserver-authentication", metav1.GetOptions{})
			return err == nil && strings.HasPrefix(published.Data["client-ca-file"], "-----BEGIN CERTIFICATE-----")
		})
	}
}

// insecurely does not look at the name in a certificate that is for another.
func insecurely(not bool, as func(*rest.Config)) func(*rest.Config) {
	return func(c *rest.Config) {
		if not {
			c.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
		}
		if as != nil {
			as(c)
		}
	}
}

// Beyond the loopback interface rows and changes are nobody's, and the certificate is for the machine's addresses.
func TestSecure_beyondLoopback(t *testing.T) {
	address := machineAddress(t)
	c := programtest.SecureConfig(t)
	c.Secure.Listen = "0.0.0.0:0"
	p, err := program.StartAnywhere(t.Context(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, port, _ := strings.Cut(strings.TrimPrefix(p.Secure, "https://"), ":")
	for host, code := range map[string]int{"127.0.0.1": 200, address: 404} {
		for path, want := range map[string]int{"/livez": 200, "/debug/changes": code} {
			resp, err := programtest.HTTPSOf(p).Get("https://" + net.JoinHostPort(host, port) + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s at %s: %d, want %d", path, host, resp.StatusCode, want)
			}
		}
	}
}

// machineAddress is an address of this machine beyond the loopback interface.
func machineAddress(t testing.TB) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("the machine has no address but the loopback interface's")
	return ""
}

// Who may sign client certificates is read again when the file changes.
func TestSecure_clientCAFollowed(t *testing.T) {
	first, second := programtest.MustCA(t), programtest.MustCA(t)
	c := programtest.SecureConfig(t)
	c.Authn.ClientCA = filepath.Join(t.TempDir(), "ca.crt")
	programtest.WriteFile(t, c.Authn.ClientCA, string(first.PEM()))
	p := programtest.MustStartConfig(t, c)
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Certificate(t, first, "carol"))); got != "carol [system:authenticated]" {
		t.Error(got)
	}
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Certificate(t, second, "carol"))); got != "Unauthorized" {
		t.Error(got)
	}
	programtest.WriteFile(t, c.Authn.ClientCA, string(second.PEM()))
	programtest.Eventually(t, "the new CA", func() bool {
		return programtest.WhoAmI(t, programtest.Over(p, programtest.Certificate(t, second, "carol"))) == "carol [system:authenticated]"
	})
	own, err := pki.ReadCA(pki.Folder(c.DB))
	if err != nil {
		t.Fatal(err)
	}
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Certificate(t, own, "bob"))); got != "bob [system:authenticated]" {
		t.Errorf("the CA of the database: %s", got)
	}
}

// A temporary database has its CA and keys in memory.
func TestSecure_memory(t *testing.T) {
	t.Chdir(t.TempDir())
	c := programtest.SecureConfig(t)
	c.DB = ":memory:"
	p := programtest.MustStartConfig(t, c)
	if got := programtest.WhoAmI(t, programtest.Over(p, programtest.Bearer("s3same"))); got != "alice [dev ops system:authenticated]" {
		t.Error(got)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left %v %v", entries, err)
	}
}

// A serving certificate that no longer fits is made again by the same CA; one that was put there stays.
func TestSecure_certificateMadeAgain(t *testing.T) {
	c := programtest.SecureConfig(t)
	folder := pki.Folder(c.DB)
	read := func() string {
		t.Helper()
		p, err := program.Start(t.Context(), c, programtest.Discard())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "apiserver.crt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := read()
	if read() != first {
		t.Error("a certificate that fits was made again")
	}
	ca, err := pki.ReadCA(folder)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Serve([]string{"elsewhere"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	programtest.WriteFile(t, filepath.Join(folder, "apiserver.crt"), string(cert))
	programtest.WriteFile(t, filepath.Join(folder, "apiserver.key"), string(key))
	if again := read(); again == string(cert) {
		t.Error("a certificate for another name stays")
	}
	c.Secure.CertDir = t.TempDir()
	certFile, keyFile := programtest.ForeignCertificate(t)
	for from, to := range map[string]string{certFile: "apiserver.crt", keyFile: "apiserver.key"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		programtest.WriteFile(t, filepath.Join(c.Secure.CertDir, to), string(text))
	}
	before, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatal(err)
	}
	read()
	if after, err := os.ReadFile(filepath.Join(c.Secure.CertDir, "apiserver.crt")); err != nil || string(after) != string(before) {
		t.Errorf("a certificate that was put there was made again: %v", err)
	}
}
