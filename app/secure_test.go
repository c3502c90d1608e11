package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/pkg/serviceaccount"

	"kubarium/app"
	"kubarium/app/pki"
	"kubarium/server/controllers"
)

// secureConfig serves HTTPS beside the plain port, from a new database, and knows the token "s3same" of alice.
func secureConfig(t testing.TB) app.Config {
	t.Helper()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	write(t, tokens, "s3same,alice,a1,\"dev,ops\"\n")
	return app.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: 5 * time.Minute, Sync: "normal",
		Secure: app.Secure{Listen: "127.0.0.1:0"}, Authn: app.Authentication{Anonymous: true, TokenFile: tokens},
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// over is a client's configuration of HTTPS, with who asks set by as.
func over(p *app.Program, as func(*rest.Config)) *kubernetes.Clientset {
	c := &rest.Config{Host: p.Secure, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: p.CA}}
	if as != nil {
		as(c)
	}
	return kubernetes.NewForConfigOrDie(c)
}

func bearer(token string) func(*rest.Config) { return func(c *rest.Config) { c.BearerToken = token } }

// certificate is a client certificate of a CA's.
func certificate(t testing.TB, ca *pki.CA, user string, groups ...string) func(*rest.Config) {
	t.Helper()
	cert, key, err := ca.Client(user, groups)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *rest.Config) { c.CertData, c.KeyData = cert, key }
}

// whoAmI is what a server tells a client of itself, or the error.
func whoAmI(t testing.TB, c *kubernetes.Clientset) string {
	t.Helper()
	review, err := c.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err.Error()
	}
	u := review.Status.UserInfo
	return u.Username + " [" + strings.Join(u.Groups, " ") + "]"
}

// A client is known by its certificate or token, on HTTPS as on the plain port; who brings none is anonymous there and the administrator
// here, and who brings a wrong one is refused on both.
func TestSecure_who(t *testing.T) {
	c := secureConfig(t)
	p := mustStartConfig(t, c)
	ca, err := pki.ReadCA(pki.Folder(c.DB))
	if err != nil {
		t.Fatal(err)
	}
	other := mustCA(t)
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
		"nobody":                  {over(p, nil), "system:anonymous [system:unauthenticated]"},
		"certificate":             {over(p, certificate(t, ca, "carol", "dev")), "carol [dev system:authenticated]"},
		"another's certificate":   {over(p, certificate(t, other, "carol", "dev")), "Unauthorized"},
		"token":                   {over(p, bearer("s3same")), "alice [dev ops system:authenticated]"},
		"wrong token":             {over(p, bearer("nonsense")), "Unauthorized"},
		"impersonating":           {over(p, impersonate), "bob [g system:authenticated]"},
		"plain nobody":            {plain(func(*rest.Config) {}), "system:admin [system:masters system:authenticated]"},
		"plain token":             {plain(bearer("s3same")), "alice [dev ops system:authenticated]"},
		"plain wrong token":       {plain(bearer("nonsense")), "Unauthorized"},
		"plain and impersonating": {plain(impersonate), "bob [g system:authenticated]"},
	} {
		if got := whoAmI(t, c.client); got != c.want {
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
	config := secureConfig(t)
	ctx := context.Background()
	p, err := app.Start(ctx, config, discard())
	if err != nil {
		t.Fatal(err)
	}
	admin := over(p, bearer("s3same"))
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
	p = mustStartConfig(t, config)
	const till = "system:serviceaccount:default:till [system:serviceaccounts system:serviceaccounts:default system:authenticated]"
	for name, c := range map[string]struct{ token, want string }{
		"of before": {token, till}, "bound": {bound, till}, "another audience": {vault, "Unauthorized"},
	} {
		if got := whoAmI(t, over(p, bearer(c.token))); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if string(p.CA) != string(ca) {
		t.Error("another CA")
	}
	checkLegacy(t, p, config.DB, till)
}

// checkLegacy proves that a token of the old kind is believed while its Secret holds it, and that its use is noted there.
func checkLegacy(t *testing.T, p *app.Program, db, want string) {
	t.Helper()
	ctx := t.Context()
	admin := over(p, bearer("s3same")).CoreV1()
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
	if got := whoAmI(t, over(p, bearer(token))); got != "Unauthorized" {
		t.Errorf("without a Secret: %s", got)
	}
	secret.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token)}
	if _, err := admin.Secrets("default").Create(ctx, &secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := whoAmI(t, over(p, bearer(token))); got != want {
		t.Errorf("a token of the old kind: %s", got)
	}
	noted, err := admin.Secrets("default").Get(ctx, "old", metav1.GetOptions{})
	if err != nil || noted.Labels[serviceaccount.LastUsedLabelKey] == "" {
		t.Errorf("its use is not noted: %v %v", noted.Labels, err)
	}
}

// httpsOf is a plain HTTP client that believes the server's CA.
func httpsOf(p *app.Program) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
}

// HTTPS speaks HTTP/2 and HTTP/1.1, takes any Host and no foreign page, and gives who says nothing one request of a connection.
func TestSecure_HTTP(t *testing.T) {
	p := mustStartConfig(t, secureConfig(t))
	client := httpsOf(p)
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
	p := mustStartConfig(t, secureConfig(t))
	for token, kept := range map[string]bool{"": false, "nonsense": false, "s3same": true} {
		client := httpsOf(p)
		var used [2]bool
		for i := range used {
			trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { used[i] = c.Reused }}
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
		}
		if used[1] != kept {
			t.Errorf("%q: the connection was used again: %v", token, used[1])
		}
	}
}

// A browser's way to bring a token: as a subprotocol of a WebSocket, which is not echoed.
func TestSecure_webSocket(t *testing.T) {
	p := mustStartConfig(t, secureConfig(t))
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
		c := secureConfig(t)
		c.Listen, c.Authn.Anonymous, c.Controllers = "", false, controllers.All()
		if own {
			c.Secure.CertFile, c.Secure.KeyFile = foreignCertificate(t)
		}
		p := mustStartConfig(t, c)
		if p.URL != p.Secure || !strings.HasPrefix(p.URL, "https://127.0.0.1:") {
			t.Errorf("serves at %s", p.URL)
		}
		if got := whoAmI(t, over(p, insecurely(own, nil))); got != "Unauthorized" {
			t.Errorf("nobody is %s", got)
		}
		client := over(p, insecurely(own, bearer("s3same")))
		eventually(t, "the root certificate", func() bool {
			published, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				t.Fatal(err)
			}
			return err == nil && published.Data["ca.crt"] == string(p.CA)
		})
		eventually(t, "those who sign client certificates", func() bool {
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

// foreignCertificate is a serving certificate of another CA, for another name.
func foreignCertificate(t testing.TB) (certFile, keyFile string) {
	t.Helper()
	cert, key, err := certutil.GenerateSelfSignedCertKey("kubernetes.example", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write(t, certFile, string(cert))
	write(t, keyFile, string(key))
	return certFile, keyFile
}

// Beyond the loopback interface rows and changes are nobody's, and the certificate is for the machine's addresses.
func TestSecure_beyondLoopback(t *testing.T) {
	address := machineAddress(t)
	c := secureConfig(t)
	c.Secure.Listen = "0.0.0.0:0"
	p, err := app.StartAnywhere(t.Context(), c, discard())
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
			resp, err := httpsOf(p).Get("https://" + net.JoinHostPort(host, port) + path)
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
	first, second := mustCA(t), mustCA(t)
	c := secureConfig(t)
	c.Authn.ClientCA = filepath.Join(t.TempDir(), "ca.crt")
	write(t, c.Authn.ClientCA, string(first.PEM()))
	p := mustStartConfig(t, c)
	if got := whoAmI(t, over(p, certificate(t, first, "carol"))); got != "carol [system:authenticated]" {
		t.Error(got)
	}
	if got := whoAmI(t, over(p, certificate(t, second, "carol"))); got != "Unauthorized" {
		t.Error(got)
	}
	write(t, c.Authn.ClientCA, string(second.PEM()))
	eventually(t, "the new CA", func() bool {
		return whoAmI(t, over(p, certificate(t, second, "carol"))) == "carol [system:authenticated]"
	})
	own, err := pki.ReadCA(pki.Folder(c.DB))
	if err != nil {
		t.Fatal(err)
	}
	if got := whoAmI(t, over(p, certificate(t, own, "bob"))); got != "bob [system:authenticated]" {
		t.Errorf("the CA of the database: %s", got)
	}
}

func mustCA(t testing.TB) *pki.CA {
	t.Helper()
	ca, err := pki.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// A temporary database has its CA and keys in memory.
func TestSecure_memory(t *testing.T) {
	t.Chdir(t.TempDir())
	c := secureConfig(t)
	c.DB = ":memory:"
	p := mustStartConfig(t, c)
	if got := whoAmI(t, over(p, bearer("s3same"))); got != "alice [dev ops system:authenticated]" {
		t.Error(got)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left %v %v", entries, err)
	}
}

// A serving certificate that no longer fits is made again by the same CA; one that was put there stays.
func TestSecure_certificateMadeAgain(t *testing.T) {
	c := secureConfig(t)
	folder := pki.Folder(c.DB)
	read := func() string {
		t.Helper()
		p, err := app.Start(t.Context(), c, discard())
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
	write(t, filepath.Join(folder, "apiserver.crt"), string(cert))
	write(t, filepath.Join(folder, "apiserver.key"), string(key))
	if again := read(); again == string(cert) {
		t.Error("a certificate for another name stays")
	}
	c.Secure.CertDir = t.TempDir()
	certFile, keyFile := foreignCertificate(t)
	for from, to := range map[string]string{certFile: "apiserver.crt", keyFile: "apiserver.key"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(c.Secure.CertDir, to), string(text))
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

// Broken files end the start in one line, before anything is made.
func TestMain_brokenFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := func(name, text string) string {
		write(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	nonsense, missing := file("nonsense", "nonsense\n"), filepath.Join(dir, "missing")
	empty := file("empty", "")
	certFile, keyFile := foreignCertificate(t)
	_, otherKey := foreignCertificate(t)
	private := mustKeyFile(t, dir)
	short := file("short", "token,user\n")
	quote := file("quote", "token,\"user,uid\n")
	broken := filepath.Join(dir, "broken.db")
	for name, text := range map[string]string{"sa.key": "nonsense"} {
		if err := os.MkdirAll(pki.Folder(broken), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(pki.Folder(broken), name), text)
	}
	half := filepath.Join(dir, "half.db")
	if err := mustCA(t).Write(pki.Folder(half)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(pki.Folder(half), "ca.key")); err != nil {
		t.Fatal(err)
	}
	halfDir := filepath.Join(dir, "halfdir")
	if err := os.MkdirAll(halfDir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(halfDir, "apiserver.crt"), "x")
	secure := []string{"--secure-listen", "127.0.0.1:0"}
	kindless, audited := file("kindless", "rules: []\n"), file("policy", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--client-ca-file", missing}, 1, "--client-ca-file: open " + missing},
		{[]string{"--client-ca-file", nonsense}, 1, "--client-ca-file: error loading CA bundle"},
		{[]string{"--client-ca-file", empty}, 1, "--client-ca-file: missing content"},
		{[]string{"--token-auth-file", missing}, 1, "--token-auth-file: open " + missing},
		{[]string{"--token-auth-file", short}, 1, "must have at least 3 columns"},
		{[]string{"--token-auth-file", quote}, 1, "--token-auth-file: parse error on line 1"},
		{[]string{"--service-account-signing-key-file", nonsense, "--service-account-key-file", private}, 1, "--service-account-signing-key-file: error reading private key file"},
		{[]string{"--service-account-signing-key-file", private, "--service-account-key-file", nonsense}, 1, "--service-account-key-file: error reading public key file"},
		{[]string{"--service-account-signing-key-file", private, "--service-account-key-file", missing}, 1, "--service-account-key-file: open " + missing},
		{[]string{"--db", broken}, 1, "error reading private key file"},
		{append(secure, "--tls-cert-file", missing, "--tls-private-key-file", keyFile), 1, "--tls-cert-file: open " + missing},
		{append(secure, "--tls-cert-file", nonsense, "--tls-private-key-file", keyFile), 1, "--tls-cert-file: "},
		{append(secure, "--tls-cert-file", certFile, "--tls-private-key-file", otherKey), 1, "private key does not match public key"},
		{append(secure, "--cert-dir", halfDir), 1, "must be supplied as a pair"},
		{append(secure, "--db", half), 1, "the key of "},
		{[]string{"--admission-control-config-file", missing}, 1, missing},
		{[]string{"--admission-control-config-file", nonsense}, 1, "--admission-control-config-file: "},
		{[]string{"--audit-policy-file", missing}, 1, "audit: loading audit policy file: failed to read file path \"" + missing},
		{[]string{"--audit-policy-file", nonsense}, 1, "audit: loading audit policy file: "},
		{[]string{"--audit-policy-file", kindless}, 1, "audit: loading audit policy file: "},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(nonsense, "log")}, 1, "not a directory"},
		{[]string{"--audit-policy-file", audited, "--audit-webhook-config-file", missing}, 1, missing},
		{[]string{"--audit-log-path", filepath.Join(dir, "log")}, 2, "--audit-log-path and --audit-webhook-config-file need --audit-policy-file"},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(dir, "log"), "--audit-log-format", "x"}, 2, "invalid audit log format x"},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(dir, "log"), "--audit-log-mode", "x"}, 2, "invalid audit log mode x"},
		{[]string{"--service-account-signing-key-file", private}, 2, "must be set together"},
		{[]string{"--service-account-key-file", private}, 2, "must be set together"},
		{[]string{"--service-account-issuer", "a", "--service-account-issuer", "a"}, 2, `service-account-issuer "a" is already specified`},
		{[]string{"--service-account-issuer", ""}, 2, "service-account-issuer should not be an empty string"},
		{[]string{"--service-account-issuer", "http://a b:c"}, 2, "was not a valid URL"},
		{[]string{"--service-account-max-token-expiration", "5m"}, 2, "must be between 1 hour and 2^32 seconds"},
		{[]string{"--service-account-jwks-uri", "http://x"}, 2, "service-account-jwks-uri requires https scheme"},
		{append(secure, "--tls-cert-file", certFile), 2, "must be set together"},
		{[]string{"--cert-dir", dir}, 2, "need --secure-listen"},
		{[]string{"--secure-listen", "6443"}, 2, "--secure-listen must be HOST:PORT"},
		{[]string{"--secure-listen", "0.0.0.0:0"}, 2, "--authorization-mode AlwaysAllow would let everybody do everything there"},
		{[]string{"--listen", ""}, 2, "--listen must be HOST:PORT"},
	} {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(dir, "untouched", "k.db")}, c.args...)
		code, out, errs := run(args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
		for _, db := range []string{filepath.Join(dir, "untouched"), broken, half} {
			if _, err := os.Stat(db); !os.IsNotExist(err) {
				t.Fatalf("%q: %s was made", c.args, db)
			}
		}
	}
	if code, _, errs := run("--plain", "--listen", "", "--secure-listen", "127.0.0.1:0"); code != 2 || !strings.Contains(errs, "the UI needs the plain port") {
		t.Errorf("%d %s", code, errs)
	}
}

func mustKeyFile(t testing.TB, dir string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "private.key")
	write(t, file, string(text))
	return file
}
