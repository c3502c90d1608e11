package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"slices"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// mustCertify makes a certificate request and a certificate of an authority, both in PEM.
func mustCertify(t *testing.T) (request, certificate []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "a"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotBefore: now, NotAfter: now.Add(2 * time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})
}

func mustRequest(t *testing.T) (*certificatesv1.CertificateSigningRequest, []byte) {
	t.Helper()
	request, certificate := mustCertify(t)
	r := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	r.Spec = certificatesv1.CertificateSigningRequestSpec{Request: request, SignerName: "example.com/one",
		Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth}}
	return r, certificate
}

func condition(of certificatesv1.RequestConditionType) certificatesv1.CertificateSigningRequestCondition {
	return certificatesv1.CertificateSigningRequestCondition{Type: of, Status: corev1.ConditionTrue, Reason: "Test"}
}

// What a request for a certificate is refused for.
func TestCertificateSigningRequest_Validate(t *testing.T) {
	k := mustKind(t, "CertificateSigningRequest")
	good, _ := mustRequest(t)
	expectErrors(t, enter(k, good), nil)
	bad := good.DeepCopy()
	bad.Spec.Request = []byte("none")
	bad.Spec.Usages = []certificatesv1.KeyUsage{"signing", "signing"}
	bad.Spec.ExpirationSeconds = new(int32(599))
	bad.Spec.SignerName = "com/a/b"
	expectErrors(t, enter(k, bad), []string{
		`spec.request: Invalid value: "bm9uZQ==": PEM block type must be CERTIFICATE REQUEST`,
		`spec.usages[1]: Duplicate value: "signing"`,
		`spec.signerName: Invalid value: "com/a/b": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
		`spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)`})
	bad = good.DeepCopy()
	bad.Spec.Usages = nil
	bad.Spec.SignerName = "com/A"
	expectErrors(t, enter(k, bad), []string{`spec.usages: Required value`,
		`spec.signerName: Invalid value: "com": should be a domain with at least two segments separated by dots`,
		`spec.signerName: Invalid value: "A": validating label "A": ` + badSubdomain})
	bad.Spec.Usages, bad.Spec.SignerName = good.Spec.Usages, "kubernetes.io/legacy-unknown"
	expectErrors(t, enter(k, bad), []string{`spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version`})
}

const badSubdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`

// Each door of a request changes its own part, and decisions stay.
func TestCertificateSigningRequest_Doors(t *testing.T) {
	k := mustKind(t, "CertificateSigningRequest")
	old, certificate := mustRequest(t)
	approval := k.Doors["approval"]

	approved := old.DeepCopy()
	approved.Spec.SignerName, approved.Status.Certificate = "example.com/two", certificate
	approved.Status.Conditions = append(approved.Status.Conditions, condition(certificatesv1.CertificateApproved))
	approval.Prepare(approved, old)
	expectErrors(t, approval.Validate(approved, old), nil)
	if approved.Spec.SignerName != "example.com/one" || approved.Status.Certificate != nil || approved.Status.Conditions[0].LastTransitionTime.IsZero() {
		t.Errorf("approved as %+v", approved)
	}

	direct := approved.DeepCopy()
	k.PrepareForStatusUpdate(direct, old)
	expectErrors(t, k.ValidateStatusUpdate(direct, old), []string{`status.conditions: Forbidden: updates may not add a condition of type "Approved"`})

	signed := approved.DeepCopy()
	signed.Status.Certificate = certificate
	signed.Status.Conditions[0].Message = "changed"
	k.PrepareForStatusUpdate(signed, approved)
	expectErrors(t, k.ValidateStatusUpdate(signed, approved), nil)
	if signed.Status.Conditions[0].Message != "" {
		t.Error("a signer changed the approval")
	}

	lost := signed.DeepCopy()
	lost.Status = certificatesv1.CertificateSigningRequestStatus{Certificate: []byte("other"), Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Denied", Status: "False"}}}
	expectErrors(t, k.ValidateStatusUpdate(lost, signed), []string{
		`status.conditions[0].status: Unsupported value: "False": supported values: "True"`,
		`status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block`,
		`status.conditions: Forbidden: updates may not remove a condition of type "Approved"`,
		`status.conditions: Forbidden: updates may not add a condition of type "Denied"`,
		`status.certificate: Forbidden: updates may not modify existing certificate content`})

	both := approved.DeepCopy()
	both.Status.Conditions = append(both.Status.Conditions, condition(certificatesv1.CertificateDenied), condition(certificatesv1.CertificateDenied))
	expectErrors(t, approval.Validate(both, approved), []string{
		`status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`,
		`status.conditions[2].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`,
		`status.conditions[2].type: Duplicate value: "Denied"`})
}

// A request says who made it, whatever it brought; its spec does not change any more.
func TestCertificateSigningRequest_StampUser(t *testing.T) {
	k := mustKind(t, "CertificateSigningRequest")
	r, _ := mustRequest(t)
	r.Spec.Username, r.Spec.Extra = "somebody", map[string]certificatesv1.ExtraValue{"a": nil}
	k.StampUser(r, authenticationv1.UserInfo{Username: "system:admin", Groups: []string{"system:masters"}})
	if r.Spec.Username != "system:admin" || !slices.Equal(r.Spec.Groups, []string{"system:masters"}) || r.Spec.Extra != nil {
		t.Errorf("asked by %q of %v, %v", r.Spec.Username, r.Spec.Groups, r.Spec.Extra)
	}
	changed := r.DeepCopy()
	changed.Spec.SignerName = "example.com/two"
	expectErrors(t, replace(k, changed, r), nil)
	if changed.Spec.SignerName != r.Spec.SignerName {
		t.Error("an update changed the spec")
	}
}

func TestCertificateSigningRequest_Cells(t *testing.T) {
	created := `metadata: {name: a, creationTimestamp: "2026-01-02T11:55:00Z"}`
	runCellTests(t, []cellTest{
		{"new", "CertificateSigningRequest", `{` + created + `, spec: {signerName: example.com/one, username: u, expirationSeconds: 3600}}`,
			[]any{"a", "5m", "example.com/one", "u", "60m", "Pending"}},
		{"done", "CertificateSigningRequest", `{` + created + `, status: {certificate: YQ==, conditions: [{type: Approved}, {type: Failed}]}}`,
			[]any{"a", "5m", "<none>", "", "<none>", "Approved,Failed,Issued"}},
		{"denied", "CertificateSigningRequest", `{` + created + `, status: {conditions: [{type: Denied}]}}`, []any{"a", "5m", "<none>", "", "<none>", "Denied"}},
		{"bundle", "ClusterTrustBundle", `{` + created + `}`, []any{"a", "<none>"}},
	})
}

// What a bundle of trust anchors is refused for.
func TestClusterTrustBundle_Validate(t *testing.T) {
	k := mustKind(t, "ClusterTrustBundle")
	request, anchor := mustCertify(t)
	bundle := &certificatesv1.ClusterTrustBundle{ObjectMeta: metav1.ObjectMeta{Name: "example.com:one:a"}}
	bundle.Spec = certificatesv1.ClusterTrustBundleSpec{SignerName: "example.com/one", TrustBundle: string(anchor)}
	expectErrors(t, enter(k, runtime.Object(bundle)), nil)
	bundle.Spec = certificatesv1.ClusterTrustBundleSpec{TrustBundle: string(anchor) + string(request) + string(anchor)}
	expectErrors(t, enter(k, runtime.Object(bundle)), []string{
		`metadata.name: Invalid value: "example.com:one:a": ClusterTrustBundle without signer name must not have ":" in its name`,
		`spec.trustBundle: Invalid value: "<value omitted>": entry 1 has bad block type: CERTIFICATE REQUEST`,
	})
	bundle.Name, bundle.Spec.TrustBundle = "a", string(anchor)+string(anchor)
	expectErrors(t, enter(k, runtime.Object(bundle)), []string{
		`spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])`,
	})
	bundle.Name, bundle.Spec = "a", certificatesv1.ClusterTrustBundleSpec{}
	expectErrors(t, enter(k, runtime.Object(bundle)), []string{`spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided`})
}
