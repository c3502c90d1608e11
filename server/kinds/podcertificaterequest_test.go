package kinds_test

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
)

// A request for the certificate of a Pod names all that it is about, and is decided once.
func TestPodCertificateRequest(t *testing.T) {
	k := mustKind(t, "PodCertificateRequest")
	text, certificate := mustCertify(t)
	block, _ := pem.Decode(text)
	good := mustParse[*certificatesv1.PodCertificateRequest](t, k, `{spec: {signerName: example.com/one, podName: p, podUID: u, serviceAccountName: s, serviceAccountUID: u, nodeName: one, nodeUID: u}}`)
	good.Spec.StubPKCS10Request = block.Bytes
	expectErrors(t, enter(k, good), nil)
	if life := good.Spec.MaxExpirationSeconds; life == nil || *life != 86400 {
		t.Errorf("it may live %v seconds", life)
	}
	bad := good.DeepCopy()
	bad.Spec.PodUID, bad.Spec.PodName, bad.Spec.MaxExpirationSeconds = "", "A", new(int32(3599))
	expectErrors(t, enter(k, bad), []string{`spec.podName: Invalid value: "A": ` + badSubdomain, `spec.podUID: Invalid value: "": must not be empty`,
		`spec.maxExpirationSeconds: Invalid value: 3599: must be in the range [3600, 7862400]`})
	if errs := replace(k, bad, good); len(errs) != 1 || errs[0].Field != "spec" || errs[0].Detail != "field is immutable" {
		t.Errorf("another request: %v", errs)
	}
	weak := good.DeepCopy()
	weak.Spec.SignerName, weak.Spec.MaxExpirationSeconds, weak.Spec.StubPKCS10Request = "kubernetes.io/kube-apiserver-client-pod", new(int32(90000)), []byte("x")
	expectErrors(t, enter(k, weak), []string{`spec.maxExpirationSeconds: Invalid value: 90000: must be in the range [3600, 86400]`,
		`spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR`})
	weak.Spec.MaxExpirationSeconds, weak.Spec.StubPKCS10Request = new(int32(3600)), nil
	expectErrors(t, enter(k, weak), []string{`spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set`})

	denied := good.DeepCopy()
	denied.Status.Conditions = []metav1.Condition{{Type: "Denied", Status: "True", Reason: "Test", LastTransitionTime: metav1.Now()}}
	expectErrors(t, k.ValidateStatusUpdate(denied, good), nil)
	runPodCertificateStatusTests(t, k, good, denied, certificate)
	runCellTests(t, []cellTest{{"pending", "PodCertificateRequest", `{metadata: {name: a}, spec: {podName: p, serviceAccountName: s, nodeName: one, signerName: b}}`,
		[]any{"a", "p", "s", "one", "b", "Pending", "<none>"}}})
	if got := k.Printer.Cells(runtime.Object(denied), metav1.Now().Time)[5]; got != "Denied" {
		t.Errorf("state %v", got)
	}
}

// runPodCertificateStatusTests changes the status of a request that is issued rightly, and wants the refusal to begin so.
func runPodCertificateStatusTests(t *testing.T, k *kinds.Kind, pending, denied *certificatesv1.PodCertificateRequest, chain []byte) {
	t.Helper()
	block, _ := pem.Decode(chain)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	begin, end, refresh := metav1.NewTime(leaf.NotBefore), metav1.NewTime(leaf.NotAfter), metav1.NewTime(leaf.NotBefore.Add(time.Hour))
	_, foreign := mustCertify(t)
	for _, tt := range []struct {
		name   string
		old    *certificatesv1.PodCertificateRequest
		change func(*certificatesv1.PodCertificateRequestStatus)
		want   []string
	}{
		{"issued", pending, func(*certificatesv1.PodCertificateRequestStatus) {}, nil},
		{"after a denial", denied, func(*certificatesv1.PodCertificateRequestStatus) {},
			[]string{"status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed"}},
		{"another key", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.CertificateChain = string(foreign) },
			[]string{"status.certificateChain: Invalid value: "}},
		{"no times", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.NotBefore, s.NotAfter = nil, nil },
			[]string{"status.notBefore: Required value: must be present", "status.notAfter: Required value: must be present"}},
		{"late refresh", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.BeginRefreshAt = &end },
			[]string{"status.beginRefreshAt: Invalid value: "}},
		{"denied with a chain", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.Conditions[0].Type = "Denied" },
			[]string{"status: Invalid value: non-condition status fields must be empty"}},
		{"undecided", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.Conditions = nil },
			[]string{`status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"`}},
		{"odd condition", pending, func(s *certificatesv1.PodCertificateRequestStatus) { s.Conditions[0].Type = "Odd" },
			[]string{`status.conditions.[0].type: Unsupported value: "Odd": supported values: "Issued", "Denied", "Failed"`}},
	} {
		r := pending.DeepCopy()
		r.Status = certificatesv1.PodCertificateRequestStatus{CertificateChain: string(chain), NotBefore: &begin, NotAfter: &end, BeginRefreshAt: &refresh,
			Conditions: []metav1.Condition{{Type: "Issued", Status: "True", Reason: "Test", LastTransitionTime: metav1.Now()}}}
		tt.change(&r.Status)
		errs := k.ValidateStatusUpdate(r, tt.old)
		if !slices.EqualFunc(errs, tt.want, func(err *field.Error, begin string) bool { return strings.HasPrefix(err.Error(), begin) }) {
			t.Errorf("%s: %v, want %q", tt.name, errs, tt.want)
		}
	}
}
