//go:build unix

package envtest_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/keyutil"
)

const configMaps = "/api/v1/namespaces/default/configmaps"

// The order in which envtest starts and asks, over real processes: what it needs is there, users are known by certificates that are
// made after the start, and have the rights that RBAC gives them.
func TestPlane(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start("")
	if out := p.api.out.String(); strings.Contains(out, "not acted on") {
		t.Errorf("envtest's own flags are named: %s", out)
	}
	admin := p.admin()
	for _, path := range []string{"/api", "/apis", "/api/v1/namespaces/default", "/readyz", "/version"} {
		p.expect(200, admin, "GET", path, "")
	}
	p.eventually(200, admin, "GET", "/api/v1/namespaces/default/services/kubernetes")
	if text := p.expect(200, admin, "GET", "/api/v1/namespaces/default/services/kubernetes", ""); !strings.Contains(text, `"clusterIP":"10.0.0.1"`) {
		t.Error(text)
	}
	p.eventually(200, admin, "GET", "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")
	p.expect(404, admin, "GET", "/api/v1/namespaces/default/serviceaccounts/default", "")

	alice := p.user("alice", "dev")
	p.expect(403, alice, "GET", configMaps, "")
	p.expect(201, admin, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
		`{"metadata":{"name":"read"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]}]}`)
	p.expect(201, admin, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
		`{"metadata":{"name":"read"},"subjects":[{"kind":"Group","name":"dev"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"read"}}`)
	p.eventually(200, alice, "GET", configMaps)
	p.expect(403, alice, "POST", configMaps, configMap("a"))

	stranger := newPlaneUser(p)
	p.expect(401, stranger, "GET", configMaps, "")
	p.stop()
}

// newPlaneUser is a client whose certificate somebody else has signed.
func newPlaneUser(p *plane) *http.Client {
	other := *p
	other.clients = newAuthority(p.t)
	return other.user("admin", "system:masters")
}

// The tokens of ServiceAccounts are signed and checked by the keys that flags name, of which one is a certificate.
func TestPlane_serviceAccounts(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	admin := p.admin()
	p.expect(201, admin, "POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"a"}}`)
	text := p.expect(201, admin, "POST", "/api/v1/namespaces/default/serviceaccounts/a/token", `{"spec":{}}`)
	var request struct{ Status struct{ Token string } }
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(err)
	}
	review := p.expect(201, admin, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{"token":"`+request.Status.Token+`"}}`)
	if !strings.Contains(review, `"username":"system:serviceaccount:default:a"`) {
		t.Error(review)
	}
}

// Who does not say who they are may ask whether the server is healthy, and nothing of what it keeps.
func TestPlane_anonymous(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	anybody := p.anybody()
	for path, code := range map[string]int{
		"/healthz": 200, "/livez": 200, "/readyz": 200, "/version": 200,
		"/api/v1/secrets": 403, "/debug/rows": 403, "/debug/changes": 403, "/debug/plan": 403, "/metrics": 403,
	} {
		p.expect(code, anybody, "GET", path, "")
	}
	p.expect(403, anybody, "POST", "/debug/compact", "")
	p.expect(403, p.user("alice"), "GET", "/debug/rows", "")
}

// No controller runs: what was dependent stays, and a namespace stays Terminating.
func TestPlane_noControllers(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	admin := p.admin()
	p.expect(201, admin, "POST", "/api/v1/namespaces", `{"metadata":{"name":"a"}}`)
	p.expect(201, admin, "POST", "/api/v1/namespaces/a/configmaps", configMap("owned"))
	p.expect(200, admin, "DELETE", "/api/v1/namespaces/a", "")
	if text := p.expect(200, admin, "GET", "/api/v1/namespaces/a", ""); !strings.Contains(text, `"phase":"Terminating"`) || !strings.Contains(text, `"finalizers":["kubernetes"]`) {
		t.Error(text)
	}
	p.expect(200, admin, "GET", "/api/v1/namespaces/a/configmaps/owned", "")
}

// With AlwaysAllow everybody who says who they are may do everything, and nobody else may do anything, as with kube-apiserver.
func TestPlane_alwaysAllow(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	tokens := filepath.Join(p.certs, "tokens")
	write(t, tokens, `secret,bob,bob-uid,"a,b"`)
	p.api = begin(t, "kube-apiserver", "--authorization-mode", "AlwaysAllow", "--etcd-servers", p.etcdURL, "--cert-dir", p.certs,
		"--secure-port", p.port, "--token-auth-file", tokens, "--external-hostname", "localhost", "--enable-admission-plugins", "", "", "--allow-privileged")
	bob := &http.Client{Transport: withToken{p.anybody().Transport, "secret"}}
	p.api.await(bob, p.url+"/healthz")
	p.expect(200, bob, "GET", "/api/v1/secrets", "")
	p.expect(401, p.anybody(), "GET", "/api/v1/secrets", "")
	p.expect(401, p.anybody(), "GET", "/debug/rows", "")
}

// Where nothing is said of who decides, or where it is said in a way that is not here, what follows does not depend on other flags that
// are not acted on.
func TestPlane_whoDecides(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	tokens := filepath.Join(p.certs, "tokens")
	write(t, tokens, "secret,bob,bob-uid")
	bob := &http.Client{Transport: withToken{p.anybody().Transport, "secret"}}
	for flag, code := range map[string]int{
		"--feature-gates=NoSuchGate=true":       200,
		"--authorization-mode=Webhook":          403,
		"--authorization-config=/none.yaml":     403,
		"--service-cluster-ip-range=fd00::/112": 200,
	} {
		p.api = begin(t, "kube-apiserver", "--etcd-servers", p.etcdURL, "--cert-dir", p.certs, "--secure-port", p.port, "--token-auth-file", tokens, flag)
		p.api.await(bob, p.url+"/healthz")
		p.expect(code, bob, "GET", "/api/v1/secrets", "")
		if out := p.api.out.String(); !strings.Contains(out, "not acted on: "+flag+"\n") {
			t.Errorf("%s: %s", flag, out)
		}
		p.api.stop()
	}
}

// Of two ranges for Services that of IPv4 counts; without any it is kube-apiserver's own.
func TestPlane_serviceRange(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"fd00::/112,10.3.0.0/24": "10.3.0.1", "10.2.0.0/24,fd00::/112": "10.2.0.1", "": "10.0.0.1"} {
		p := newPlane(t)
		p.start("--service-cluster-ip-range=" + given)
		admin := p.admin()
		p.eventually(200, admin, "GET", "/api/v1/namespaces/default/services/kubernetes")
		if text := p.expect(200, admin, "GET", "/api/v1/namespaces/default/services/kubernetes", ""); !strings.Contains(text, `"clusterIP":"`+want+`"`) {
			t.Errorf("%q: %s", given, text)
		}
		p.stop()
	}
	wrong := begin(t, "kube-apiserver", "--etcd-servers=http://127.0.0.1:1", "--service-cluster-ip-range=10.2.0.0/24,10.3.0.0/24")
	if code, out := wrong.over(), wrong.out.String(); code != 2 || !strings.Contains(out, "one of IPv4 and one of IPv6") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// withToken adds a bearer token to what is sent.
type withToken struct {
	next  http.RoundTripper
	token string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.next.RoundTrip(r)
}

// A kube-apiserver that is started again, with new certificates and a new port, finds what was written; so does one on an etcd that
// was started again on the same data.
func TestPlane_restart(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	p.expect(201, p.admin(), "POST", configMaps, configMap("a"))
	before := p.admin()
	p.api.stop()
	p.prepare()
	p.start()
	p.expect(200, p.admin(), "GET", configMaps+"/a", "")
	if _, err := before.Get(p.url + "/healthz"); err == nil {
		t.Error("the old authority is believed")
	}
	p.expect(201, p.admin(), "POST", configMaps, configMap("b"))
	p.stop()
	p.startEtcd()
	p.prepare()
	p.start()
	for _, name := range []string{"a", "b"} {
		p.expect(200, p.admin(), "GET", configMaps+"/"+name, "")
	}
	p.stop()
}

// Programs that are killed leave nothing behind that a next start would stumble over.
func TestPlane_killed(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	p.expect(201, p.admin(), "POST", configMaps, configMap("a"))
	for _, process := range []*process{p.api, p.etcd} {
		if err := process.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		process.over()
	}
	p.startEtcd()
	p.prepare()
	p.start()
	p.expect(200, p.admin(), "GET", configMaps+"/a", "")
	p.stop()
}

// Two kube-apiservers with prefixes of their own share an etcd and no object; a second one with the same prefix is told that it
// cannot be.
func TestPlane_prefixes(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	other := *p
	other.certs = t.TempDir()
	other.prepare()
	other.start("--etcd-prefix=/other")
	p.expect(201, p.admin(), "POST", configMaps, configMap("a"))
	other.expect(404, other.admin(), "GET", configMaps+"/a", "")
	other.expect(201, other.admin(), "POST", configMaps, configMap("a"))

	third := *p
	third.certs = t.TempDir()
	third.prepare()
	third.api = begin(t, "kube-apiserver", third.args("--etcd-prefix=/other/")...)
	if code, out := third.api.over(), third.api.out.String(); code != 1 || !strings.Contains(out, "in use by another Kubarium") {
		t.Errorf("exit code %d: %s", code, out)
	}
	other.api.stop()
	p.stop()
}

// Without certificates of its own, a kube-apiserver makes them where it should, and others check it by them.
func TestPlane_madeCertificates(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	if err := os.Remove(filepath.Join(p.certs, "apiserver.key")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(p.certs, "apiserver.crt")); err != nil {
		t.Fatal(err)
	}
	p.start()
	p.serving = &authority{cert: mustReadLastCert(t, filepath.Join(p.certs, "apiserver.crt"))}
	p.expect(200, p.admin(), "GET", "/api/v1/namespaces/default", "")
	p.stop()
}

// A port that somebody has ends a start at once, so that envtest tries another.
func TestPlane_portInUse(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	taken, err := net.Listen("tcp", "127.0.0.1:"+p.port)
	if err != nil {
		t.Skip("somebody has taken the port")
	}
	defer taken.Close()
	api := begin(t, "kube-apiserver", p.args()...)
	etcd := begin(t, "etcd", "--data-dir="+t.TempDir(), "--listen-client-urls="+p.etcdURL)
	for _, process := range []*process{api, etcd} {
		if code, out := process.over(), process.out.String(); code != 1 || !strings.Contains(out, "port in use: something serves on 127.0.0.1:") {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
}

// With an etcd that is not Kubarium's, the data are beside the certificates, and one line says so.
func TestPlane_otherEtcd(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	s := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close() })
	p.etcdURL = "http://" + l.Addr().String()
	p.start()
	if out := p.api.out.String(); strings.Count(out, "level=WARN") != 1 || !strings.Contains(out, "the data is not kept by etcd") {
		t.Error(out)
	}
	p.expect(201, p.admin(), "POST", configMaps, configMap("a"))
	p.api.stop()
	if _, err := os.Stat(filepath.Join(p.certs, "kubarium.db")); err != nil {
		t.Error(err)
	}
	p.etcd.stop()
}

// The order of jenvtest: the kube-apiserver does not wait for the etcd, flags have one dash, values follow behind a space, the etcd
// listens on all interfaces and is killed in the end.
func TestPlane_jenvtest(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.etcd.stop()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.etcdURL, "http://"))
	key, cert := filepath.Join(p.certs, "accounts.key"), filepath.Join(p.certs, "apiserver.crt")
	private := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	write(t, key, string(must[[]byte](t)(keyutil.MarshalPrivateKeyToPEM(private))))
	p.api = begin(t, "kube-apiserver", "--min-request-timeout", "300", "--cert-dir", p.certs, "--secure-port", p.port, "--etcd-servers", "http://0.0.0.0:"+port,
		"--authorization-mode", "RBAC", "--service-account-issuer", "https://localhost", "--service-account-signing-key-file", key,
		"--service-account-signing-key-file", key, "--service-account-key-file", key, "--service-account-issuer", cert,
		"--disable-admission-plugins", "ServiceAccount", "--client-ca-file", filepath.Join(p.certs, "client-cert-auth-ca.crt"),
		"--service-cluster-ip-range", "10.0.0.0/24", "--allow-privileged")
	peer := freeURL(t)
	p.etcd = begin(t, "etcd", "-data-dir", p.data, "-wal-dir", t.TempDir(), "--listen-client-urls", "http://0.0.0.0:"+port,
		"--advertise-client-urls", "http://0.0.0.0:"+port, "--initial-cluster", "default="+peer, "--initial-advertise-peer-urls", peer, "--listen-peer-urls", peer)
	p.api.await(p.anybody(), p.url+"/readyz")
	if out := p.api.out.String(); !strings.Contains(out, "not acted on: --min-request-timeout=300\n") || strings.Contains(out, "WARN") {
		t.Error(out)
	}
	p.expect(200, p.admin(), "GET", "/api/v1/namespaces/default", "")
	if _, err := os.Stat(filepath.Join(p.data, "kubarium.db")); err != nil {
		t.Error(err)
	}
}

// Each admission plugin of kube-apiserver can be on, and the older flag turns on what it names alone.
func TestPlane_admission(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	args := slices.DeleteFunc(p.args(), func(arg string) bool { return strings.HasPrefix(arg, "--disable-admission-plugins") })
	p.api = begin(t, "kube-apiserver", append(args, "--admission-control=NamespaceAutoProvision,AlwaysPullImages")...)
	p.api.await(p.anybody(), p.url+"/healthz")
	p.expect(201, p.admin(), "POST", "/api/v1/namespaces/none/configmaps", configMap("a"))
	pod := `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"a:1","imagePullPolicy":"Never"}]}}`
	if text := p.expect(201, p.admin(), "POST", "/api/v1/namespaces/none/pods", pod); !strings.Contains(text, `"imagePullPolicy":"Always"`) {
		t.Error(text)
	}
	p.api.stop()
	p.api = begin(t, "kube-apiserver", append(args, "--disable-admission-plugins=")...)
	p.api.await(p.anybody(), p.url+"/healthz")
	if text := p.expect(403, p.admin(), "POST", "/api/v1/namespaces/none/pods", strings.Replace(pod, `"a"`, `"b"`, 1)); !strings.Contains(text, "service account") && !strings.Contains(text, "serviceaccount") {
		t.Error(text)
	}
}
