package codecs_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

// A body of too many parts is refused with a 413 that names the bound, in every encoding and before it is decoded; one
// just below it is decoded.
func TestCodec_Bound(t *testing.T) {
	members := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	list := func(item string) func(n int) []byte {
		return func(n int) []byte { // the object, its metadata and the list have parts of their own
			return []byte(`{"kind":"X","apiVersion":"v1","a":[` + strings.Repeat(item+",", n-5) + item + `]}`)
		}
	}
	protobuf := func(obj runtime.Object) []byte {
		var b strings.Builder
		if err := codecs.Protobuf.Encode(&b, obj, false); err != nil {
			t.Fatal(err)
		}
		return []byte(b.String())
	}
	for _, c := range []struct {
		name  string
		codec *codecs.Codec
		into  func() runtime.Object
		body  func(n int) []byte
		most  int
		what  string
	}{
		{"objects", codecs.JSON, custom, list(`{"a":{}}`), codecs.MaxItems, "objects in one list"},
		{"lists", codecs.JSON, custom, list(`[]`), codecs.MaxContainers, "objects and lists"},
		{"lists in strings", codecs.JSON, custom, list(`["{[,\"{[,"]`), codecs.MaxContainers, "objects and lists"},
		{"numbers", codecs.JSON, custom, list(`1`), codecs.MaxValues, "values"},
		{"members", codecs.JSON, oneConfigMap, func(n int) []byte {
			return []byte(`{"kind":"ConfigMap","apiVersion":"v1","data":{` + members(n-1, `"k%d":"",`) + `"a":""}}`)
		}, codecs.MaxMembers, "members of one object"},
		{"YAML flow objects", codecs.YAML, custom, func(n int) []byte { return append([]byte("#\n"), list(`{}`)(n)...) }, codecs.MaxContainers, "objects and lists"},
		{"YAML numbers", codecs.YAML, custom, func(n int) []byte {
			return []byte("kind: X\napiVersion: v1\na:\n" + strings.Repeat("- 1\n", n/2-5)) // a dash and a line's end each
		}, codecs.MaxValues / 2, "values"},
		{"JSON as YAML", codecs.YAML, custom, list(`[]`), codecs.MaxContainers, "objects and lists"},
		{"CBOR lists", codecs.CBOR, custom, func(n int) []byte {
			return []byte("\xa3\x44kind\x41X\x4aapiVersion\x42v1\x41a\x9f" + strings.Repeat("\x80", n-2) + "\xff")
		}, codecs.MaxContainers, "objects and lists"},
		{"CBOR members", codecs.CBOR, custom, func(n int) []byte {
			return []byte("\xa3\x44kind\x41X\x4aapiVersion\x42v1\x41a" + string([]byte{0xb9, byte(n >> 8), byte(n)}) + members(n, "\x46%06d\x00"))
		}, codecs.MaxMembers, "members of one object"},
		{"Protobuf messages", codecs.Protobuf, func() runtime.Object { return &corev1.Pod{} }, func(n int) []byte {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: make([]corev1.Container, n)}}
			pod.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
			return protobuf(pod)
		}, codecs.MaxItems, "objects in one list"},
		{"Protobuf depth", codecs.Protobuf, func() runtime.Object { return &apiextensionsv1.CustomResourceDefinition{} }, func(n int) []byte {
			var schema *apiextensionsv1.JSONSchemaProps
			for range (n - 6) / 2 {
				schema = &apiextensionsv1.JSONSchemaProps{Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: schema}}
			}
			d := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}}}}}
			d.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
			return protobuf(d)
		}, codecs.MaxDepth, "levels of nesting"},
	} {
		if err := decodeBounded(c.codec, c.body(c.most), c.into()); err != nil {
			t.Errorf("%s: at the bound: %.200v", c.name, err)
		}
		err := decodeBounded(c.codec, c.body(c.most+c.most/16), c.into())
		if want := fmt.Sprintf("limit is %d %s", c.most, c.what); !apierrors.IsRequestEntityTooLargeError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: beyond it: %.200v, want %s", c.name, err, want)
		}
	}
}

func custom() runtime.Object       { return &unstructured.Unstructured{} }
func oneConfigMap() runtime.Object { return &corev1.ConfigMap{} }

func decodeBounded(c *codecs.Codec, body []byte, into runtime.Object) error {
	_, gvk, _, err := c.Decode(body, schema.GroupVersionKind{}, into, codecs.Ignore)
	if err != nil {
		return codecs.DecodeError(err, gvk, "X", body)
	}
	return nil
}

// Counting never panics and never takes long, whatever it is given.
func FuzzCodec_Bound(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":"\""}]}]]}`))
	f.Add([]byte("a: [1, {b: - - -}]\n"))
	f.Add([]byte("\xbf\x41a\x9f\x80\xff\xd9\xd9\xf7\x5b\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("k8s\x00\x12\x04\x0a\x02\x0a\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, c := range codecs.All {
			body := text
			for len(body) > 0 && len(body) <= codecs.MaxDepth { // a shorter one is not counted
				body = append(body, body...)
			}
			_ = c.Bound(body, &corev1.Pod{})
		}
	})
}
