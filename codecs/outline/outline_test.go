package outline_test

import (
	"encoding/json"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/meta"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"kubarium/codecs"
	"kubarium/codecs/outline"
)

const version = "12345"

// check compares what Read says with the object that the official decoder makes.
func check(t *testing.T, blank runtime.Object, text []byte) (read bool) {
	t.Helper()
	o, ok := outline.Of(blank).Read(text, version)
	if !ok {
		return false
	}
	obj := blank.DeepCopyObject()
	if err := codecs.ReadStored(text, obj); err != nil {
		t.Fatalf("%s is read, but %v", text, err)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	if m.GetResourceVersion() != "" {
		t.Fatalf("%s is read with its resourceVersion", text)
	}
	m.SetResourceVersion(version)
	if n := obj.(interface{ Size() int }).Size(); n != o.Size {
		t.Errorf("%s has %d bytes, not %d", text, n, o.Size)
	}
	var labels map[string]string
	if o.Labels[1] > 0 {
		if err := json.Unmarshal(text[o.Labels[0]:o.Labels[1]], &labels); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if !maps.Equal(labels, m.GetLabels()) {
		t.Errorf("%s has the labels %v, not %v", text, m.GetLabels(), labels)
	}
	if at := outline.Find(text, labels); len(labels) > 0 && at != o.Labels && !maps.Equal(labels, lookups(text, at, labels)) {
		t.Errorf("%s has labels at %v, not %v", text, o.Labels, at)
	}
	if got := lookups(text, o.Labels, labels); !maps.Equal(got, labels) {
		t.Errorf("%s has the labels %v, not %v", text, labels, got)
	}
	if p := (&metav1.PartialObjectMetadata{ObjectMeta: *metadataOf(obj)}); p.Size() != o.Metadata {
		t.Errorf("the metadata of %s have %d bytes, not %d", text, p.Size(), o.Metadata)
	}
	return true
}

// lookups are the labels of those names that a text has.
func lookups(text []byte, at [2]int32, names map[string]string) map[string]string {
	found := map[string]string{}
	for name := range names {
		if value, has := lookup(text, at, name); has {
			found[name] = value
		}
	}
	if _, has := lookup(text, at, "no such label"); has {
		found["no such label"] = ""
	}
	return found
}

// lookup looks in the text from the labels on.
func lookup(text []byte, at [2]int32, name string) (string, bool) {
	if at[1] == 0 {
		return "", false
	}
	return outline.Lookup(text[at[0]:], name)
}

func metadataOf(obj runtime.Object) *metav1.ObjectMeta {
	return obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}

// Generated objects of all types have the size that Read returns; and the encoder's text is read for every type that
// has a form.
func TestForm_Read(t *testing.T) {
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(20260101), serializer.NewCodecFactory(codecs.Scheme()))
	read := map[string]int{}
	for _, gvk := range sorted(codecs.Scheme().AllKnownTypes()) {
		blank, err := codecs.Scheme().New(gvk)
		if err != nil || !hasMetadata(blank) || outline.Of(blank) == nil {
			continue
		}
		for range 30 {
			obj := blank.DeepCopyObject()
			fill.Fill(obj)
			m, _ := meta.Accessor(obj)
			m.SetResourceVersion("")
			m.SetLabels(map[string]string{"app": "web", "a.example/b": ""})
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			if check(t, blank, text) {
				read[gvk.Kind]++
			}
		}
	}
	t.Logf("%v", read)
	for _, kind := range []string{"ConfigMap", "Secret", "Pod", "Deployment", "Node", "Service", "Lease", "Role", "ServiceAccount"} {
		if read[kind] < 10 {
			t.Errorf("%d of 30 objects of the kind %s are read", read[kind], kind)
		}
	}
}

func sorted(types map[schema.GroupVersionKind]reflect.Type) []schema.GroupVersionKind {
	return slices.SortedFunc(maps.Keys(types), func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
}

func hasMetadata(obj runtime.Object) bool {
	_, err := meta.Accessor(obj)
	_, size := obj.(interface{ Size() int })
	return err == nil && size
}

// kept is a ConfigMap as the store has it.
const kept = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"1","b":"2"},"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{},"k:{\"x\":\"y\"}":{}}}}]},"data":{"a":"x\nü","k":"v"},"binaryData":{"b":"AAEC"},"immutable":true}`

// What no encoder has written is left to those who make the object.
func TestForm_Read_odd(t *testing.T) {
	blank := &corev1.ConfigMap{}
	if !check(t, blank, []byte(kept)) {
		t.Fatalf("%s is not read", kept)
	}
	for _, change := range [][2]string{
		{`"immutable":true`, `"immutable":"true"`},
		{`"immutable":true`, `"immutable":true,"immutable":false`},
		{`"immutable":true`, `"more":true`},
		{`"immutable":true`, `"immutable": true`},
		{`"immutable":true}`, `"immutable":true,}`},
		{`"immutable":true}`, `"immutable":true} `},
		{`"immutable":true}`, `"immutable":true`},
		{`"kind":"ConfigMap"`, `"kind":7`},
		{`"k":"v"`, `"A":"v"`},
		{`"k":"v"`, `"a":"v"`},
		{`"k":"v"`, `"k":null`},
		{`"k":"v"`, `"k":"\ud"`},
		{`"k":"v"`, "\"k\":\"\t\""},
		{`"k":"v"`, "\"k\":\"\xff\""},
		{`"AAEC"`, `"A"`},
		{`"a":"1"`, `"a":"\n"`},
		{`"uid":"u"`, `"uid":"u","resourceVersion":"7"`},
		{`"uid":"u"`, `"uid":"u","generation":1.5`},
		{`"uid":"u"`, `"uid":"u","generation":01`},
		{`2026-01-01T00:00:00Z"`, `2026-01-01"`},
		{`"f:k":{}`, `"f:k":[]`},
		{`"f:k":{}`, `"f:k":{`},
		{`"metadata":{`, `"spec":{`},
	} {
		text := strings.Replace(kept, change[0], change[1], 1)
		if text == kept || check(t, blank, []byte(text)) {
			t.Errorf("%s is read", text)
		}
	}
}

// Labels are found where they are, and not where others or an escape are.
func TestFind(t *testing.T) {
	labels := map[string]string{"a": "1", "b": "2"}
	for _, tt := range []struct {
		text, want string
	}{
		{kept, `{"a":"1","b":"2"}`},
		{`{"metadata":{"labels":{"b":"2","a":"1"}}}`, `{"b":"2","a":"1"}`},
		{`{"metadata":{"annotations":{"x":"{\"labels\":{}}"},"labels":{"a":"1","b":"2"}}}`, `{"a":"1","b":"2"}`},
		{`{"data":{"labels":{"a":"1"}},"metadata":{"labels":{"a":"1","b":"2"}}}`, ""},
		{`{"metadata":{"labels":{"a":"1","b":"\u0032"}}}`, ""},
		{`{"metadata":{"labels":{"a":"1","b":"2","c":"3"}}}`, ""},
		{`{"metadata":{"labels":{"a":"1","b":"2"`, ""},
		{`{"metadata":{"labels":{"a":1,"b":"2"}}}`, ""},
		{`{"metadata":{"labels":`, ""},
		{`{"metadata":{}}`, ""},
	} {
		at := outline.Find([]byte(tt.text), labels)
		if got := tt.text[at[0]:at[1]]; got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.text, got, tt.want)
		}
	}
	if at := outline.Find([]byte(`{"metadata":{"labels":{}}}`), nil); at != [2]int32{} {
		t.Errorf("no labels at %v", at)
	}
}

// Whatever a text is: what is read of it is true.
func FuzzForm_Read(f *testing.F) {
	f.Add([]byte(kept))
	f.Add([]byte(`{"metadata":{"name":"a","creationTimestamp":null,"generation":-0},"data":{}}`))
	f.Add([]byte(`{"metadata":{"deletionGracePeriodSeconds":30,"finalizers":["a","b"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"","controller":true}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) { check(t, &corev1.ConfigMap{}, text) })
}

// One ConfigMap of 1 KB: its outline, and the object with its size.
func BenchmarkForm_Read(b *testing.B) {
	text := []byte(strings.Replace(kept, `"v"`, `"`+strings.Repeat("x", 500)+`"`, 1))
	form := outline.Of(&corev1.ConfigMap{})
	b.Run("outline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := form.Read(text, version); !ok {
				b.Fatal("not read")
			}
		}
	})
	b.Run("object", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			obj := &corev1.ConfigMap{}
			if err := codecs.ReadStored(text, obj); err != nil || obj.Size() == 0 {
				b.Fatal(err)
			}
		}
	})
	b.Run("labels", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var obj struct {
				Metadata struct{ Labels map[string]string }
			}
			if err := codecs.ReadStored(text, &obj); err != nil {
				b.Fatal(err)
			}
		}
	})
}
