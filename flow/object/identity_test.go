package object_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/flow/object"
)

// encoded are the forms of an object.
func encoded(t testing.TB, o runtime.Object) [][]byte {
	t.Helper()
	var inJSON, inProtobuf bytes.Buffer
	if err := codecs.JSON.Encode(&inJSON, o, false); err != nil {
		t.Fatal(err)
	}
	if err := codecs.Protobuf.Encode(&inProtobuf, o, false); err != nil {
		t.Fatal(err)
	}
	return [][]byte{inJSON.Bytes(), inProtobuf.Bytes()}
}

func pod(name string, version int) *corev1.Pod {
	now := metav1.Now()
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "u-1", ResourceVersion: fmt.Sprint(version),
			DeletionTimestamp: &now, Annotations: map[string]string{"k8s.io/initial-events-end": "true"},
			Labels: map[string]string{"name": `q"uote`}},
		Spec: corev1.PodSpec{NodeName: "resourceVersion"},
	}
}

// An object says the same of itself in both forms.
func TestIdentify(t *testing.T) {
	want := object.Identity{APIVersion: "v1", Kind: "Pod", Namespace: "default", Name: "a", UID: "u-1", Version: 12, Deleting: true, Initial: true}
	for _, b := range encoded(t, pod("a", 12)) {
		if got := object.Identify(b); got != want {
			t.Errorf("%.20q: %+v", b, got)
		}
	}
	for _, b := range []string{"", "{", "[]", `{"metadata":7}`, "k8s\x00", "k8s\x00\x0a\xff", "text"} {
		if got := object.Identify([]byte(b)); got.Name != "" || got.Version != 0 {
			t.Errorf("%q: %+v", b, got)
		}
	}
}

// FuzzIdentify: nothing that comes from a server makes it panic, and of JSON it says what a decoder does.
func FuzzIdentify(f *testing.F) {
	for _, b := range encoded(f, pod("a", 12)) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		id := object.Identify(b)
		var o struct{ Metadata struct{ Name string } }
		plain := bytes.IndexByte(b, '\\') < 0 && bytes.Count(bytes.ToLower(b), []byte("metadata")) == 1 && bytes.Count(bytes.ToLower(b), []byte("name")) == 1
		if plain && json.Valid(b) && json.Unmarshal(b, &o) == nil && bytes.Contains(b, []byte(`"metadata"`)) && bytes.Contains(b, []byte(`"name"`)) && utf8.Valid(b) && id.Name != o.Metadata.Name {
			t.Errorf("%q: the name is %q, not %q", b, id.Name, o.Metadata.Name)
		}
	})
}
