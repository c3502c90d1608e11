package managers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"kubarium/codecs"
	"kubarium/server/calls"
	"kubarium/server/customresource"
	"kubarium/server/fields"
	"kubarium/server/kinds"
	"kubarium/server/kinds/random"
	"kubarium/server/managers"
	"kubarium/server/openapi"
	"kubarium/server/registry"
)

// checkCreated creates the same object in the short way and in the long one, which a single empty entry of managedFields
// leads to, and compares the owners.
func checkCreated(t *testing.T, ms registry.FieldManagers, k *kinds.Kind, obj runtime.Object) (owned bool) {
	t.Helper()
	short, long := obj.DeepCopyObject(), obj.DeepCopyObject()
	mustMeta(t, short).SetManagedFields(nil)
	mustMeta(t, long).SetManagedFields([]metav1.ManagedFieldsEntry{{}})
	blank := k.New()
	blank.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	short, long = ms.Update(k, "", blank, short, "somebody"), ms.Update(k, "", blank.DeepCopyObject(), long, "somebody")
	got, want := owners(t, short), owners(t, long)
	if got != want {
		t.Errorf("%s: %s, but going the long way %s", k.GroupVersionKind, got, want)
	}
	mustMeta(t, short).SetManagedFields(nil)
	mustMeta(t, long).SetManagedFields(nil)
	if a, b := mustJSON(t, short), mustJSON(t, long); a != b {
		t.Errorf("%s: the object is %s, but going the long way %s", k.GroupVersionKind, a, b)
	}
	return want != "null"
}

func mustMeta(t *testing.T, obj runtime.Object) metav1.Object {
	t.Helper()
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// owners are the managed fields without their time.
func owners(t *testing.T, obj runtime.Object) string {
	t.Helper()
	entries := mustMeta(t, obj).GetManagedFields()
	for i := range entries {
		if entries[i].Time.IsZero() {
			t.Error("an entry without a time")
		}
		entries[i].Time = nil
	}
	return mustJSON(t, entries)
}

// What a new object's owners are does not depend on the way in which they are found, whatever the object is.
func TestManagers_Create(t *testing.T) {
	ms := managers.New(codecs.Scheme())
	for _, k := range kinds.BuiltIn() {
		owned := checkCreated(t, ms, k, k.New())
		for seed := range int64(12) {
			if obj, ok := random.Object(t, k, random.Filler(seed, float64(seed)/12)); ok {
				owned = checkCreated(t, ms, k, obj) || owned
			}
		}
		if !owned {
			t.Errorf("%s: nobody has ever owned anything", k.GroupVersionKind)
		}
	}
}

// An object of a Go type that its schema refuses is refused when it is compared, if it was not checked before.
func TestConverter_Refuses(t *testing.T) {
	converter, refused := fields.NewConverter(codecs.Scheme()), 0
	for _, k := range kinds.BuiltIn() {
		blank, checking := k.New(), mustChecking(t, k)
		blank.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
		nothing, err := converter.ObjectToTyped(blank, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range int64(24) {
			obj, ok := random.Object(t, k, random.Filler(seed, float64(seed)/24))
			if !ok {
				continue
			}
			obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
			_, want := checking.ObjectToTyped(obj, typed.AllowDuplicates)
			object, err := converter.ObjectToTyped(obj, typed.AllowDuplicates)
			if err != nil {
				t.Fatal(err)
			}
			if _, got := nothing.Compare(object); (got == nil) != (want == nil) {
				t.Errorf("%s: got %v, want %v", k.GroupVersionKind, got, want)
			}
			if want != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// mustChecking returns the official converter of a kind.
func mustChecking(t *testing.T, k *kinds.Kind) managedfields.TypeConverter {
	t.Helper()
	name, err := codecs.Scheme().ToOpenAPIDefinitionName(k.GroupVersionKind)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := openapi.Types(name)
	if err != nil {
		t.Fatal(err)
	}
	converter, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		t.Fatal(err)
	}
	return converter
}

// The owners of a new object of a custom resource are found in both ways, too, also where their objects do not fit the schema.
func TestManagers_Create_Custom(t *testing.T) {
	k := customKind(t)
	ms := managers.New(codecs.Scheme())
	for _, body := range []string{
		`{"metadata":{"name":"a"}}`,
		`{"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"size":3,"ports":[{"name":"a","port":1},{"name":"b"}],"tags":["x","y"]}}`,
		`{"metadata":{"name":"a"},"spec":{"free":{"a":{"b":[1,2]}},"tags":[]},"status":{"phase":"ready"}}`,
		`{"metadata":{"name":"a"},"spec":{"size":"three"}}`,
		`{"metadata":{"name":"a"},"spec":{"ports":[{"port":1}]}}`,
		`{"metadata":{"name":"a"},"spec":{"ports":[{"name":"a"},{"name":"a"}]}}`,
		`{"metadata":{"name":"a"},"spec":null}`,
	} {
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(body), &u.Object); err != nil {
			t.Fatal(err)
		}
		u.SetGroupVersionKind(k.GroupVersionKind)
		checkCreated(t, ms, k, u)
		u.SetKind("Other")
		checkCreated(t, ms, k, u)
	}
}

// customKind is the row of a custom resource.
func customKind(t *testing.T) *kinds.Kind {
	t.Helper()
	d, err := customresource.Read([]byte(thingDefinition), 1, nil, calls.Way{})
	if err != nil || d.Stored == nil {
		t.Fatal(err)
	}
	return d.Stored
}

const thingDefinition = `{"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster",
 "names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
 "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
  "spec":{"type":"object","properties":{
   "size":{"type":"integer"},
   "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"port":{"type":"integer"}}}},
   "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
   "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
  "status":{"type":"object","properties":{"phase":{"type":"string"}}}}}}}]},
 "status":{"acceptedNames":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
  "conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"True"}]}}`

// BenchmarkManagers_Create finds the owners of a new ConfigMap in the short and in the long way.
func BenchmarkManagers_Create(b *testing.B) {
	ms := managers.New(codecs.Scheme())
	k := kinds.BuiltIn()[0]
	for _, way := range []struct {
		name    string
		entries []metav1.ManagedFieldsEntry
	}{{"short", nil}, {"long", []metav1.ManagedFieldsEntry{{}}}} {
		b.Run(way.name, func(b *testing.B) {
			obj := k.New()
			if err := json.Unmarshal([]byte(`{"metadata":{"name":"a","namespace":"b","labels":{"app":"bench"}},"data":{"k":"v"}}`), obj); err != nil {
				b.Fatal(err)
			}
			m := obj.(metav1.Object)
			b.ReportAllocs()
			for b.Loop() {
				m.SetManagedFields(way.entries)
				ms.Update(k, "", k.New(), obj, "somebody")
			}
		})
	}
}

// Nobody owns what a write leaves alone, and the server's own count of a DaemonSet's templates belongs to who creates it.
func TestManagers_Reset(t *testing.T) {
	ms := managers.New(codecs.Scheme())
	for _, tt := range []struct{ kind, text, want string }{
		{"CertificateSigningRequest", `{"metadata":{"name":"a"},"spec":{"signerName":"a.b/c","usages":["client auth"]}}`, ""},
		{"DaemonSet", `{"metadata":{"name":"a"}}`, `"f:deprecated.daemonset.template.generation":{}`},
	} {
		for _, k := range kinds.BuiltIn() {
			if k.Kind != tt.kind || k.StoredAs != nil {
				continue
			}
			obj := k.New()
			if err := json.Unmarshal([]byte(tt.text), obj); err != nil {
				t.Fatal(err)
			}
			k.Default(obj)
			obj, err := k.Internal(obj)
			if err != nil {
				t.Fatal(err)
			}
			got := owners(t, ms.Update(k, "", k.New(), obj, "one"))
			if tt.want == "" && got != "null" || !strings.Contains(got, tt.want) {
				t.Errorf("%s: owners %s", tt.kind, got)
			}
		}
	}
}
