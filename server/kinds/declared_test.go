package kinds_test

import (
	"testing"

	apioperation "k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/kinds"
	"kubarium/server/kinds/random"
)

// The short way to the declared rules finds faults where official code does, whatever an object is, and leaves the object as it was.
func TestAsDeclared(t *testing.T) {
	fine, faults := 0, 0
	for _, k := range kinds.BuiltIn() {
		s, ok := k.Strategy.(rest.DeclarativeValidationStrategy)
		if !ok {
			continue
		}
		for seed := range int64(8) {
			served, ok := random.Object(t, k, random.Filler(seed, 0.3+float64(seed)/16))
			if !ok {
				continue
			}
			obj, err := k.Internal(served)
			if err != nil {
				continue
			}
			next, err := k.Internal(served.DeepCopyObject())
			if err != nil {
				t.Fatal(err)
			}
			ctx := kinds.Context(t.Context(), kinds.Attributes{Kind: k, Verb: "create", Namespace: obj.(metav1.Object).GetNamespace()})
			before := mustJSON(t, obj)
			config := s.DeclarativeValidationConfig(ctx, obj, nil)
			created := len(s.ValidateDeclaratively(ctx, obj, nil, nil, apioperation.Create, config)) == 0
			if kinds.AsDeclared(ctx, obj, nil, config) && !created {
				t.Errorf("%s: a create is fine, but not to official code", k.GroupVersionKind)
			}
			if mustJSON(t, obj) != before {
				t.Errorf("%s: the object is another one", k.GroupVersionKind)
			}
			config = s.DeclarativeValidationConfig(ctx, next, obj)
			updated := len(s.ValidateDeclaratively(ctx, next, obj, nil, apioperation.Update, config)) == 0
			if kinds.AsDeclared(ctx, next, obj, config) {
				fine++
				if !updated {
					t.Errorf("%s: an update is fine, but not to official code", k.GroupVersionKind)
				}
			}
			if !created {
				faults++
			}
		}
	}
	if fine < 100 || faults < 50 {
		t.Errorf("%d updates without faults, %d creates with: too few to tell", fine, faults)
	}
}
