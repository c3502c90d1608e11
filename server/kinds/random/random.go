// Package random makes objects of kinds at random, for tests.
package random

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"kubarium/server/kinds"
)

// Filler fills objects at random, with what JSON can say.
func Filler(seed int64, nils float64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(nils).NumElements(1, 3).MaxDepth(12).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(c.Int63n(1000), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) { *v = intstr.FromInt32(c.Int31n(100)) },
		func(e *runtime.RawExtension, c randfill.Continue) { e.Raw = fmt.Appendf(nil, `{"a":%d}`, c.Intn(100)) },
		func(j *apiextensionsv1.JSON, c randfill.Continue) { j.Raw = fmt.Appendf(nil, `{"a":%d}`, c.Intn(100)) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(c.Int63n(1e9), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) { *t = metav1.MicroTime(metav1.Unix(c.Int63n(1e9), 0)) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawString("{}") },
	)
}

// Object makes a random object of a kind as a body would bring it; false if JSON cannot tell what has come up.
func Object(t *testing.T, k *kinds.Kind, fill *randfill.Filler) (runtime.Object, bool) {
	t.Helper()
	obj := k.New()
	fill.Fill(obj)
	body, err := json.Marshal(obj)
	if err != nil {
		return nil, false
	}
	obj = k.New()
	if err := json.Unmarshal(body, obj); err != nil {
		return nil, false
	}
	return obj, true
}
