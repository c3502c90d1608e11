package authn_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes/fake"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/kubernetes/pkg/serviceaccount"

	"kubarium/server/authn"
	"kubarium/server/route"
)

// objects are what tokens depend on: one ServiceAccount and one Secret.
type objects struct {
	account corev1.ServiceAccount
	secret  corev1.Secret
}

var errGone = errors.New("not there")

func (o *objects) GetServiceAccount(context.Context, string, string) (*corev1.ServiceAccount, error) {
	if o.account.Name == "" {
		return nil, errGone
	}
	return &o.account, nil
}

func (o *objects) GetSecret(context.Context, string, string) (*corev1.Secret, error) {
	if o.secret.Name == "" {
		return nil, errGone
	}
	return &o.secret, nil
}

func (o *objects) GetPod(context.Context, string, string) (*corev1.Pod, error) { return nil, errGone }

func (o *objects) GetNode(context.Context, string) (*corev1.Node, error) { return nil, errGone }

func (o *objects) GetValidatingWebhookConfiguration(context.Context, string) (*admissionregistrationv1.ValidatingWebhookConfiguration, error) {
	return nil, errGone
}

func (o *objects) GetMutatingWebhookConfiguration(context.Context, string) (*admissionregistrationv1.MutatingWebhookConfiguration, error) {
	return nil, errGone
}

// A house is a Station with what it believes.
type house struct {
	*authn.Station
	key     *ecdsa.PrivateKey
	objects *objects
	ca      *authority
}

func mustKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// mustStation is a Station that knows the token "s3same" of alice, with options changed by change.
func mustStation(t testing.TB, change func(*authn.Options)) house {
	t.Helper()
	h := house{key: mustKey(t), ca: newAuthority(t), objects: &objects{
		account: corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "till", UID: "u"}},
	}}
	h.objects.secret = corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "old"}}
	tokens, err := authn.NewTokens(authn.TokenOptions{
		SigningKey: h.key, Keys: []any{h.key}, Objects: h.objects, Server: "https://192.0.2.1:6443",
		Secrets: fake.NewClientset(&h.objects.secret).CoreV1(),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(`s3same,alice,a1,"dev,ops"`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	static, err := authn.ReadTokenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := dynamiccertificates.NewStaticCAContent("test", h.ca.pem)
	if err != nil {
		t.Fatal(err)
	}
	o := authn.Options{Tokens: tokens, ClientCA: ca, StaticTokens: static, Loopback: "loop", Anonymous: true}
	if change != nil {
		change(&o)
	}
	h.Station, err = authn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// An authority signs client certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key := mustKey(t)
	cert, err := certutil.NewSelfSignedCACert(certutil.Config{CommonName: "test", NotBefore: time.Now().Add(-time.Hour)}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: certutil.CertificateBlockType, Bytes: cert.Raw})}
}

func (a *authority) client(t testing.TB, until time.Duration, name string, groups ...string) *x509.Certificate {
	t.Helper()
	key := mustKey(t)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name, Organization: groups},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(until),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// token is a token of the ServiceAccount for a time from now on.
func (h house) token(t testing.TB, life time.Duration, audiences ...string) string {
	t.Helper()
	seconds := int64(3600)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds, Audiences: audiences}}
	if err := h.Tokens().Check(request); err != nil {
		t.Fatal(err)
	}
	*request.Spec.ExpirationSeconds = int64(life.Seconds())
	if err := h.Tokens().Sign(t.Context(), request, authn.Bound{Account: &h.objects.account}, time.Now()); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// asked is a request on the plain port, or on HTTPS with client certificates.
func asked(t testing.TB, secure bool, header http.Header, certs ...*x509.Certificate) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/namespaces/shop/pods", nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		r.Header = header
	}
	if secure {
		r.TLS = &tls.ConnectionState{PeerCertificates: certs}
	}
	return r
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// Everybody is who they prove to be; who proves nothing is the administrator on the plain port, and anonymous on HTTPS.
func TestIdentity(t *testing.T) {
	h := mustStation(t, nil)
	other := mustStation(t, nil)
	old := h.legacy(t)
	socket := func(protocols string) http.Header {
		return http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Protocol": {protocols}}
	}
	encoded := "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte("s3same"))
	alice := "alice a1 [dev ops system:authenticated]"
	till := "system:serviceaccount:shop:till u [system:serviceaccounts system:serviceaccounts:shop system:authenticated]"
	for _, c := range []struct {
		name   string
		secure bool
		header http.Header
		certs  []*x509.Certificate
		want   string // who, or why not
	}{
		{"plain", false, nil, nil, "system:admin  [system:masters system:authenticated]"},
		{"plain, no bearer", false, http.Header{"Authorization": {"Basic eDp5"}}, nil, "system:admin  [system:masters system:authenticated]"},
		{"plain, a file's token", false, bearer("s3same"), nil, alice},
		{"plain, garbage", false, bearer("nonsense"), nil, "401 invalid bearer token"},
		{"anonymous", true, nil, nil, "system:anonymous  [system:unauthenticated]"},
		{"garbage", true, bearer("nonsense"), nil, "401 invalid bearer token"},
		{"a file's token", true, bearer("s3same"), nil, alice},
		{"loopback", true, bearer("loop"), nil, "system:apiserver  [system:authenticated system:masters]"},
		{"an account", true, bearer(h.token(t, time.Hour)), nil, till},
		{"an account's old token", true, bearer(old), nil, till},
		{"expired", true, bearer(h.token(t, -2*time.Minute)), nil, "401 service account token has expired"},
		{"another audience", true, bearer(h.token(t, time.Hour, "vault")), nil,
			`401 token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]`},
		{"another key", true, bearer(other.token(t, time.Hour)), nil, "401 invalid signature, no keys found"},
		{"a certificate", true, nil, []*x509.Certificate{h.ca.client(t, time.Hour, "bob", "dev", "ops")}, "bob  [dev ops system:authenticated]"},
		{"a certificate without a name", true, nil, []*x509.Certificate{h.ca.client(t, time.Hour, "", "dev")}, "system:anonymous  [system:unauthenticated]"},
		{"an expired certificate", true, nil, []*x509.Certificate{h.ca.client(t, -time.Hour, "bob")}, "401 x509: certificate has expired or is not yet valid"},
		{"another's certificate", true, nil, []*x509.Certificate{other.ca.client(t, time.Hour, "bob")}, "401 x509: certificate signed by unknown authority"},
		{"a WebSocket", false, socket(encoded + ", v4.channel.k8s.io"), nil, alice},
		{"a WebSocket with nothing else", true, socket(encoded), nil, "401 missing additional subprotocol"},
		{"a WebSocket with a bad token", true, socket("base64url.bearer.authorization.k8s.io.eA, x"), nil, "401 invalid bearer token"},
		{"a WebSocket with no token", false, socket("v4.channel.k8s.io"), nil, "system:admin  [system:masters system:authenticated]"},
	} {
		r := asked(t, c.secure, c.header, c.certs...)
		before := r.Header.Clone()
		who, next, err := whose(h.Station, r)
		if got := told(who, err); !strings.HasPrefix(got, c.want[:3]) || !strings.Contains(got, strings.TrimPrefix(c.want, "401 ")) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if !reflect.DeepEqual(r.Header, before) {
			t.Errorf("%s: the request was changed: %v", c.name, r.Header)
		}
		if err == nil && (next.Context() != r.Context() || strings.Contains(next.Header.Get("Authorization")+next.Header.Get("Sec-Websocket-Protocol"), "earer")) {
			t.Errorf("%s: goes on with %v", c.name, next.Header)
		}
	}
}

// legacy is a token of the old kind, which its Secret holds.
func (h house) legacy(t testing.TB) string {
	t.Helper()
	generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, h.key)
	if err != nil {
		t.Fatal(err)
	}
	public, private := serviceaccount.LegacyClaims(h.objects.account, h.objects.secret)
	token, err := generator.GenerateToken(t.Context(), public, private)
	if err != nil {
		t.Fatal(err)
	}
	h.objects.secret.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token)}
	return token
}

// told is the user, or the code and the reason of the refusal.
func told(who authn.Identity, err error) string {
	if err == nil {
		return strings.Join([]string{who.User.GetName(), who.User.GetUID(), "[" + strings.Join(who.User.GetGroups(), " ") + "]"}, " ")
	}
	var u *authn.Unauthorized
	if errors.As(err, &u) && apierrors.IsUnauthorized(err) {
		return "401 " + u.Reason.Error()
	}
	return err.Error()
}

// whose does with a request what the line does.
func whose(s *authn.Station, r *http.Request) (authn.Identity, *http.Request, error) {
	requestor, r, err := s.Authenticate(r)
	if err != nil {
		return authn.Identity{}, r, err
	}
	target := route.Read(r.Method, r.URL.Path, r.URL.Query())
	return s.Impersonate(r, &target, requestor)
}

// Without --anonymous-auth, who does not say who they are is refused on HTTPS, and still is the administrator on the plain port.
func TestIdentity_noAnonymous(t *testing.T) {
	h := mustStation(t, func(o *authn.Options) { o.Anonymous = false })
	if who, _, err := whose(h.Station, asked(t, true, nil)); !apierrors.IsUnauthorized(err) {
		t.Errorf("%v %v", who, err)
	}
	if who, _, err := whose(h.Station, asked(t, false, nil)); err != nil || who.User != authn.Admin {
		t.Errorf("%v %v", who, err)
	}
}

// The impersonator and the user that they act as are kept apart, and the station removes all headers of impersonation.
func TestIdentity_impersonation(t *testing.T) {
	h := mustStation(t, nil)
	header := bearer("s3same")
	for name, values := range map[string][]string{
		"Impersonate-User": {"bob"}, "Impersonate-Group": {"g1", "g2"}, "Impersonate-Uid": {"b1"}, "Impersonate-Extra-Example.com%2fscope": {"a", "b"},
		"Accept": {"application/yaml"},
	} {
		header[name] = values
	}
	who, next, err := whose(h.Station, asked(t, true, header))
	if err != nil || !who.Impersonated() || who.Requestor.GetName() != "alice" || told(who, nil) != "bob b1 [g1 g2 system:authenticated]" {
		t.Fatalf("%+v %v", who, err)
	}
	if extra := who.Info().Extra["example.com/scope"]; !reflect.DeepEqual(extra, authenticationv1.ExtraValue{"a", "b"}) {
		t.Errorf("extra %q", extra)
	}
	if want := (http.Header{"Accept": {"application/yaml"}}); !reflect.DeepEqual(next.Header, want) {
		t.Errorf("goes on with %v", next.Header)
	}
	// Rights to impersonate users are enough for a user.
	users := mustStation(t, func(o *authn.Options) { o.Authorizer = onlyUsers{authorizerfactory.NewAlwaysDenyAuthorizer()} })
	if who, _, err := whose(users.Station, asked(t, false, http.Header{"Impersonate-User": {"bob"}})); told(who, err) != "bob  [system:authenticated]" {
		t.Error(told(who, err))
	}
	for as, want := range map[string]string{
		"system:anonymous":                "system:anonymous  [system:unauthenticated]",
		"system:serviceaccount:shop:till": "system:serviceaccount:shop:till  [system:serviceaccounts system:serviceaccounts:shop system:authenticated]",
	} {
		who, _, err := whose(h.Station, asked(t, false, http.Header{"Impersonate-User": {as}}))
		if got := told(who, err); got != want || who.Requestor != authn.Admin {
			t.Errorf("%s: %s", as, got)
		}
	}
}

// A user who may not impersonate is refused in the official words, and so is one who names no user.
func TestIdentity_impersonationRefused(t *testing.T) {
	nobody := mustStation(t, func(o *authn.Options) { o.Authorizer = authorizerfactory.NewAlwaysDenyAuthorizer() })
	users := mustStation(t, func(o *authn.Options) { o.Authorizer = onlyUsers{authorizerfactory.NewAlwaysDenyAuthorizer()} })
	all := mustStation(t, nil)
	const pods = `resource "pods" in API group "" in the namespace "shop": Everything is forbidden.`
	for _, c := range []struct {
		name   string
		by     house
		header http.Header
		code   int32
		want   string
	}{
		{"user", nobody, http.Header{"Impersonate-User": {"bob"}}, 403, `pods is forbidden: User "alice" cannot impersonate-on:user-info:list ` + pods},
		{"account", nobody, http.Header{"Impersonate-User": {"system:serviceaccount:shop:till"}}, 403, `pods is forbidden: User "alice" cannot impersonate-on:serviceaccount:list ` + pods},
		{"node", nobody, http.Header{"Impersonate-User": {"system:node:n"}}, 403, `pods is forbidden: User "alice" cannot impersonate-on:arbitrary-node:list ` + pods},
		{"group", users, http.Header{"Impersonate-User": {"bob"}, "Impersonate-Group": {"g"}}, 403, `pods is forbidden: User "alice" cannot impersonate-on:user-info:list ` + pods},
		{"group alone", all, http.Header{"Impersonate-Group": {"g"}}, 400, `requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name`},
		{"uid alone", all, http.Header{"Impersonate-Uid": {"u"}}, 400, `requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name`},
	} {
		c.header.Set("Authorization", "Bearer s3same")
		c.header.Set("Accept", "application/vnd.kubernetes.protobuf")
		c.header.Set("Accept-Encoding", "gzip")
		who, _, err := whose(c.by.Station, asked(t, true, c.header))
		var api apierrors.APIStatus
		if !errors.As(err, &api) || api.Status().Code != c.code || api.Status().Message != c.want {
			t.Errorf("%s: %v; want %d %s", c.name, err, c.code, c.want)
		}
		if who.User != nil || who.Requestor == nil || who.Requestor.GetName() != "alice" {
			t.Errorf("%s: asked by %v as %v", c.name, who.Requestor, who.User)
		}
	}
}

// A refusal that would be long enough to be compressed is read all the same.
func TestIdentity_longRefusal(t *testing.T) {
	h := mustStation(t, nil)
	header := http.Header{"Accept-Encoding": {"gzip"}}
	for i := range 10_000 {
		header.Set(fmt.Sprint("Impersonate-Extra-A", i), "b")
	}
	if _, _, err := whose(h.Station, asked(t, true, header)); !apierrors.IsBadRequest(err) {
		t.Errorf("%.200v", err)
	}
}

// onlyUsers lets users be impersonated, and nothing else.
type onlyUsers struct{ authorizer.Authorizer }

func (o onlyUsers) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if a.GetVerb() == "impersonate" && a.GetResource() == "users" {
		return authorizer.DecisionAllow, "", nil
	}
	return o.Authorizer.Authorize(ctx, a)
}

// A review says whose a token is, for the audiences that it asks about.
func TestStation_Review(t *testing.T) {
	h := mustStation(t, nil)
	vault := h.token(t, time.Hour, "vault", "https://kubernetes.default.svc")
	for _, c := range []struct {
		token     string
		audiences []string
		who, err  string
		want      []string
	}{
		{"s3same", nil, "alice", "", []string{"https://kubernetes.default.svc"}},
		{"nonsense", nil, "", "invalid bearer token", nil},
		{vault, nil, "system:serviceaccount:shop:till", "", []string{"https://kubernetes.default.svc"}},
		{vault, []string{"a", "vault"}, "system:serviceaccount:shop:till", "", []string{"vault"}},
		{vault, []string{"a"}, "", "is invalid for the target audiences", nil},
	} {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: c.token, Audiences: c.audiences}}
		err := h.Review(t.Context(), review)
		s := review.Status
		if err != nil || s.User.Username != c.who || s.Authenticated != (c.who != "") || !strings.Contains(s.Error, c.err) || (c.err == "") != (s.Error == "") || !reflect.DeepEqual(s.Audiences, c.want) {
			t.Errorf("%.10s for %q: %+v %v", c.token, c.audiences, s, err)
		}
	}
}

// The documents say where the keys are, and suffice to check a token; an issuer that cannot be looked up has none.
func TestTokens_documents(t *testing.T) {
	key := mustKey(t)
	for _, c := range []struct{ issuer, server, want string }{
		{"", "https://192.0.2.1:6443", `"issuer":"https://kubernetes.default.svc","jwks_uri":"https://192.0.2.1:6443/openid/v1/jwks"`},
		{"https://example.com", "http://127.0.0.1:8080", `"issuer":"https://example.com","jwks_uri":"http://127.0.0.1:8080/openid/v1/jwks"`},
		{"http://example.com", "https://192.0.2.1:6443", ""},
	} {
		o := authn.TokenOptions{SigningKey: key, Keys: []any{key}, Server: c.server}
		if c.issuer != "" {
			o.Issuers = []string{c.issuer}
		}
		tokens, err := authn.NewTokens(o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := tokens.Configuration()
		if (err != nil) != (c.want == "") || !strings.Contains(string(d.JSON), c.want) {
			t.Errorf("%+v: %s %v", c, d.JSON, err)
		}
		if keys, err := tokens.KeySet(); c.want != "" && (err != nil || keys.MaxAge != 3600 || !strings.Contains(string(keys.JSON), `"alg":"ES256"`)) {
			t.Errorf("%+v: %s %v", c, keys.JSON, err)
		}
	}
	if _, err := authn.NewTokens(authn.TokenOptions{SigningKey: "none"}); err == nil {
		t.Error("a text signs")
	}
}

// A token lives no longer than is allowed; a pod's lives for a year where its kubelet asks for an hour, unless it is to be exact.
func TestTokens_lifetimes(t *testing.T) {
	key := mustKey(t)
	object := &metav1.ObjectMeta{Namespace: "shop", Name: "till", UID: "u"}
	const year = 365 * 24 * 3600
	for _, c := range []struct {
		o       authn.TokenOptions
		asked   int64
		bound   authn.Bound
		lives   int64 // by its claims
		told    int64 // in the request
		warning string
	}{
		{authn.TokenOptions{}, 3600, authn.Bound{}, 3600, 3600, ""},
		{authn.TokenOptions{MaxExpiration: time.Hour}, 7200, authn.Bound{}, 3600, 3600, "requested expiration of 7200 seconds shortened to 3600 seconds"},
		{authn.TokenOptions{}, 3607, authn.Bound{Pod: object}, year, 3607, ""},
		{authn.TokenOptions{}, 3607, authn.Bound{Secret: object}, 3607, 3607, ""},
		{authn.TokenOptions{Exact: true}, 3607, authn.Bound{Pod: object}, 3607, 3607, ""},
	} {
		c.o.SigningKey, c.o.Keys, c.o.Server = key, []any{key}, "https://192.0.2.1"
		tokens, err := authn.NewTokens(c.o)
		if err != nil {
			t.Fatal(err)
		}
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &c.asked}}
		c.bound.Account = object
		if err := tokens.Check(request); err != nil {
			t.Fatal(err)
		}
		warning := tokens.Shorten(request)
		if err := tokens.Sign(t.Context(), request, c.bound, time.Now()); err != nil {
			t.Fatal(err)
		}
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(request.Status.Token, ".")[1])
		if err != nil {
			t.Fatal(err)
		}
		var claims struct{ Exp, Iat int64 }
		if err := json.Unmarshal(payload, &claims); err != nil {
			t.Fatal(err)
		}
		if lives := claims.Exp - claims.Iat; warning != c.warning || lives != c.lives || *request.Spec.ExpirationSeconds != c.told {
			t.Errorf("%+v: lives %d s, announced %d s, %q", c, lives, *request.Spec.ExpirationSeconds, warning)
		}
	}
}
