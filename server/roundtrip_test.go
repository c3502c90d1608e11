package server_test

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"kubarium/codecs"
	"kubarium/server/kinds"
)

// roundTripSeed makes the run repeatable; another one must do as well.
const roundTripSeed = 20260101

// roundTrips is how many objects of each kind are filled.
const roundTrips = 20

// Whatever stands in an object of any built-in kind, it comes back the same from each encoding, alone and one after the
// other, and is the same bytes when it is encoded again.
func TestRoundTrip(t *testing.T) {
	t.Logf("seed %d, %d objects of each kind", roundTripSeed, roundTrips)
	fill := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, oneForm), rand.NewSource(roundTripSeed), serializer.NewCodecFactory(codecs.Scheme()))
	for _, k := range kinds.BuiltIn() {
		t.Run(k.StorageResource(), func(t *testing.T) {
			for range roundTrips {
				obj := k.New()
				fill.Fill(obj)
				obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
				chained := runtime.Object(obj)
				for _, c := range codecs.All {
					mustReturn(t, c, obj)
					chained = mustReturn(t, c, chained)
				}
			}
		})
	}
}

// oneForm fills what has several forms of one meaning with that which every encoding gives back: embedded objects with
// sorted keys, and bytes that are there.
func oneForm(serializer.CodecFactory) []any {
	return []any{
		func(r *runtime.RawExtension, c randfill.Continue) {
			text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Any", "text": c.String(0), "whole": c.Int63(), "part": 0.5, "none": nil})
			if err != nil {
				panic(err) // a map of plain values
			}
			r.Raw = text
		},
		func(m *map[string][]byte, c randfill.Continue) {
			*m = map[string][]byte{c.String(0): {}, "x": {0, 255, byte(c.Uint64())}}
		},
		func(s *apiextensionsv1.JSONSchemaProps, c randfill.Continue) { *s = randomSchema(c, 3) },
	}
}

// randomSchema is a schema with every way to nest another one, a few levels deep: schemas have schemas without end.
func randomSchema(c randfill.Continue, depth int) apiextensionsv1.JSONSchemaProps {
	limit, flag, listType := c.Float64(), c.Bool(), "map"
	s := apiextensionsv1.JSONSchemaProps{
		Description: c.String(0), Type: "object", Format: c.String(0), Pattern: c.String(0), Maximum: &limit, Nullable: c.Bool(),
		Default:                &apiextensionsv1.JSON{Raw: []byte(`{"a":[1,null,"x"]}`)},
		Enum:                   []apiextensionsv1.JSON{{Raw: []byte(`"x"`)}, {Raw: []byte(`1.5`)}},
		XPreserveUnknownFields: &flag, XListType: &listType, XListMapKeys: []string{c.String(0)},
		XValidations: apiextensionsv1.ValidationRules{{Rule: c.String(0), Message: c.String(0), OptionalOldSelf: &flag}},
	}
	if depth == 0 {
		return s
	}
	nested := func() apiextensionsv1.JSONSchemaProps { return randomSchema(c, depth-1) }
	one, two := nested(), nested()
	switch c.Intn(4) {
	case 0:
		s.Properties = map[string]apiextensionsv1.JSONSchemaProps{"a": one, "b": two}
	case 1:
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &one}
		s.Not = &two
	case 2:
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &one}
		s.AdditionalItems = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: c.Bool()}
	case 3:
		s.AnyOf = []apiextensionsv1.JSONSchemaProps{one, two}
	}
	return s
}

// mustReturn encodes and decodes an object, twice to the same bytes, and compares what comes back.
func mustReturn(t *testing.T, c *codecs.Codec, obj runtime.Object) runtime.Object {
	t.Helper()
	var first, second bytes.Buffer
	if err := c.Encode(&first, obj, false); err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	back, _, _, err := c.Decode(first.Bytes(), schema.GroupVersionKind{}, nil, codecs.Strict)
	if err != nil {
		t.Fatalf("%s: %v\n%q", c.Name, err, first.Bytes())
	}
	if !apiequality.Semantic.DeepEqual(back, obj) {
		t.Fatalf("%s: sent\n%#v\ngot\n%#v", c.Name, obj, back)
	}
	if err := c.Encode(&second, back, false); err != nil {
		t.Fatalf("%s, again: %v", c.Name, err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("%s: first\n%q\nthen\n%q", c.Name, first.Bytes(), second.Bytes())
	}
	return back
}
