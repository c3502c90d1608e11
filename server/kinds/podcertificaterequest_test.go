package kinds_test

import (
	"encoding/pem"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A request for the certificate of a Pod names all that it is about, and is decided once.
func TestPodCertificateRequest(t *testing.T) {
	k := mustKind(t, "PodCertificateRequest")
	text, _ := mustCertify(t)
	block, _ := pem.Decode(text)
	good := mustParse[*certificatesv1.PodCertificateRequest](t, k, `{spec: {signerName: example.com/one, podName: p, podUID: u, serviceAccountName: s, serviceAccountUID: u, nodeName: one, nodeUID: u}}`)
	good.Spec.StubPKCS10Request = block.Bytes
	expectErrors(t, enter(k, good), nil)
	if life := good.Spec.MaxExpirationSeconds; life == nil || *life != 86400 {
		t.Errorf("it may live %v seconds", life)
	}
	bad := good.DeepCopy()
	bad.Spec.PodUID, bad.Spec.PodName, bad.Spec.MaxExpirationSeconds = "", "A", new(int32(3599))
	expectErrors(t, enter(k, bad), []string{`spec.podName: Invalid value: "A": ` + badSubdomain, `spec.podUID: Required value`,
		`spec.maxExpirationSeconds: Invalid value: 3599: must be in the range [3600, 7862400]`})
	expectErrors(t, replace(k, bad, good), []string{`spec: Invalid value: null: field is immutable`})

	denied := good.DeepCopy()
	denied.Status.Conditions = []metav1.Condition{{Type: "Denied", Status: "True", Reason: "Test", LastTransitionTime: metav1.Now()}}
	expectErrors(t, k.ValidateStatusUpdate(denied, good), nil)
	issued := denied.DeepCopy()
	issued.Status.Conditions[0].Type = "Issued"
	expectErrors(t, k.ValidateStatusUpdate(issued, denied), []string{`status.conditions: Forbidden: a request that is denied may not change its state`})
	runCellTests(t, []cellTest{{"pending", "PodCertificateRequest", `{metadata: {name: a}, spec: {podName: p, serviceAccountName: s, nodeName: one, signerName: b}}`,
		[]any{"a", "p", "s", "one", "b", "Pending", "<none>"}}})
	if got := k.Printer.Cells(runtime.Object(denied), metav1.Now().Time)[5]; got != "Denied" {
		t.Errorf("state %v", got)
	}
}
