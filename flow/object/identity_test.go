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

// A list says of itself and of its items what a decoder finds, and of a list that is cut what there is.
func TestReadList(t *testing.T) {
	four := int64(4)
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "90", Continue: "more", RemainingItemCount: &four}}
	for i := range 3 {
		list.Items = append(list.Items, *pod(fmt.Sprint("p", i), 10+i))
	}
	for form, b := range encoded(t, list) {
		for cut := range len(b) {
			var names []string
			head, _ := object.ReadList(b[:cut:cut], func(raw []byte) {
				id := object.IdentifyItem(raw)
				if form == 0 {
					id = object.Identify(raw)
				}
				names = append(names, fmt.Sprint(id.Name, id.Version))
			})
			for i, n := range names {
				if want := fmt.Sprintf("p%d%d", i, 10+i); n != want {
					t.Fatalf("form %d cut at %d: item %d is %s", form, cut, i, n)
				}
			}
			if len(names) > 0 && (head.Version != 90 || head.Continue != "more" || head.Remaining != 4 || head.Kind != "PodList") {
				t.Fatalf("form %d cut at %d: %+v", form, cut, head)
			}
			if cut == len(b)-1 && len(names) < 2 {
				t.Errorf("form %d cut at the end: only %v", form, names)
			}
		}
		n := 0
		if head, ok := object.ReadList(b, func([]byte) { n++ }); !ok || n != 3 || head.Version != 90 {
			t.Errorf("form %d: %d items, %+v", form, n, head)
		}
	}
	if _, ok := object.ReadList(encoded(t, pod("a", 1))[1], func([]byte) { t.Error("an item of no list") }); ok {
		t.Error("a Pod is no list")
	}
}

// FuzzIdentify: nothing that comes from a server makes it panic, and of JSON it says what a decoder does.
func FuzzIdentify(f *testing.F) {
	for _, b := range encoded(f, pod("a", 12)) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		id := object.Identify(b)
		object.ReadList(b, func(raw []byte) { object.IdentifyItem(raw) })
		var o struct{ Metadata struct{ Name string } }
		plain := bytes.IndexByte(b, '\\') < 0 && bytes.Count(bytes.ToLower(b), []byte("metadata")) == 1 && bytes.Count(bytes.ToLower(b), []byte("name")) == 1
		if plain && json.Valid(b) && json.Unmarshal(b, &o) == nil && bytes.Contains(b, []byte(`"metadata"`)) && bytes.Contains(b, []byte(`"name"`)) && utf8.Valid(b) && id.Name != o.Metadata.Name {
			t.Errorf("%q: the name is %q, not %q", b, id.Name, o.Metadata.Name)
		}
	})
}
