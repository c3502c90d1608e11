package codecs_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"kubarium/codecs"
)

// official are apimachinery's own serializers, which parse a body to find its kind.
var official = map[codecs.Validation]runtime.Serializer{
	codecs.Ignore: json.NewSerializerWithOptions(json.DefaultMetaFactory, codecs.Scheme(), codecs.Scheme(), json.SerializerOptions{}),
	codecs.Strict: json.NewSerializerWithOptions(json.DefaultMetaFactory, codecs.Scheme(), codecs.Scheme(), json.SerializerOptions{Strict: true}),
}

// Whatever the body is, it is found to be of the kind, and refused with the words, of which apimachinery finds it.
func FuzzCodec_Decode_Kind(f *testing.F) {
	for _, body := range []string{
		`{"kind":"ConfigMap","apiVersion":"v1","data":{"a":"b"}}`, ` { "metadata" : {"name":"}"} , "kind" : "ConfigMap" , "apiVersion" : "v1" } `,
		`{}`, `{ }`, ``, `null`, `[]`, `"a"`, `{"kind":"ConfigMap"}`, `{"apiVersion":"v1"}`, `{"kind":"Pod","kind":"ConfigMap","apiVersion":"v1"}`,
		`{"Kind":"Pod","apiVersion":"v1"}`, `{"KIND":"ConfigMap","apiversion":"v1"}`, "{\"\u212aind\":\"ConfigMap\",\"apiVersion\":\"v1\"}",
		`{"\u006bind":"ConfigMap","apiVersion":"v1"}`, `{"kind":"Config\u004dap","apiVersion":"v1"}`, `{"kind":null,"apiVersion":"v1"}`,
		`{"kind":7,"apiVersion":"v1"}`, `{"kind":{},"apiVersion":"v1"}`, `{"kind":"ConfigMap","apiVersion":"a/b/c"}`, `{"kind":"ConfigMap","apiVersion":"v1",}`,
		`{"kind":"ConfigMap","apiVersion":"v1"`, `{"kind":"ConfigMap","apiVersion":"v1"}}`, `{"kind":"ConfigMap" "x","apiVersion":"v1"}`,
		`{"kind":"ConfigMap","apiVersion":"v1","data":[}`, `{"kind":"ConfigMap","apiVersion":"v1","data":{"a":1}}`, `{"kind":"ConfigMap","apiVersion":"v1","b":1,"b":2}`,
		`{"kind":"ConfigMap","apiVersion":"v1","a":]`, `{"kind":"é","apiVersion":"v1"}`, "{\"kind\":\"\xff\",\"apiVersion\":\"v1\"}", `{kind:"ConfigMap"}`,
		`{"kind":"Nothing","apiVersion":"v1"}`, `{"data":{"kind":"Pod"},"kind":"ConfigMap","apiVersion":"v1"}`, `{"kind":"ConfigMap","apiVersion":"v1","data":"\q"}`,
	} {
		f.Add([]byte(body))
	}
	defaults := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	f.Fuzz(func(t *testing.T, body []byte) {
		for v, reference := range official {
			for _, into := range []func() runtime.Object{
				func() runtime.Object { return nil },
				func() runtime.Object { return &corev1.ConfigMap{} },
				func() runtime.Object { return &unstructured.Unstructured{} },
			} {
				want, wantKind, wantErr := reference.Decode(body, &defaults, into())
				got, gotKind, _, gotErr := codecs.JSON.Decode(body, defaults, into(), v)
				if target := into(); wantErr == nil && target != nil && fmt.Sprintf("%T", want) != fmt.Sprintf("%T", target) {
					continue // this codec refuses what does not fit the target
				}
				if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
					t.Fatalf("error %v, want %v", gotErr, wantErr)
				}
				if wantKind != nil && gotKind != *wantKind || wantKind == nil && !gotKind.Empty() {
					t.Fatalf("kind %v, want %v", gotKind, wantKind)
				}
				if wantErr == nil && fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		}
	})
}
