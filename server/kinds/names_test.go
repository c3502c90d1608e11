package kinds_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// Some kinds take every name that fits into a path, and none that does not.
func TestKind_ValidateName_Any(t *testing.T) {
	for _, kind := range []string{"PodDisruptionBudget", "CertificateSigningRequest", "APIService"} {
		k := mustKind(t, kind)
		for _, name := range []string{"a", "A_b", "-a", "system:x"} {
			if reasons := k.ValidateName(name, false); reasons != nil {
				t.Errorf("%s %q: %q", kind, name, reasons)
			}
		}
		for _, name := range []string{"a/b", "..", "a%b"} {
			if k.ValidateName(name, false) == nil {
				t.Errorf("%s %q is taken", kind, name)
			}
		}
	}
}

// The metadata of the claims that a template makes is checked with it.
func TestResourceClaimTemplate_Metadata(t *testing.T) {
	k := mustKind(t, "ResourceClaimTemplate")
	obj := mustParse[runtime.Object](t, k, `{metadata: {name: a}, spec: {metadata: {labels: {a: "b "}, annotations: {"/": c}}, spec: {}}}`)
	want := map[string]bool{"spec.metadata.labels": true, "spec.metadata.annotations": true}
	for _, err := range enter(k, obj) {
		delete(want, err.Field)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
}
