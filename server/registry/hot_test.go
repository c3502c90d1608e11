package registry

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// What hot has kept is decoded as if it were not kept, also after what was decoded before has been changed.
func FuzzHot(f *testing.F) {
	var rows []*kinds.Kind
	for _, k := range kinds.BuiltIn() {
		rows = append(rows, k.Stored())
		meta := `"metadata":{"name":"a","namespace":"b","uid":"u","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"x":"y"},"annotations":{},` +
			`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]}`
		head := `{"kind":"` + k.Kind + `","apiVersion":"` + k.Stored().GroupVersion().String() + `",`
		f.Add(uint16(len(rows)-1), []byte(head+meta+`}`))
		f.Add(uint16(len(rows)-1), []byte(head+meta+`,"type":"Opaque","data":{"a":"YQ=="},"spec":{"replicas":3,"nodeName":"n","containers":[{"name":"c",`+
			`"resources":{"limits":{"cpu":"0.5","memory":"1e3"}}}]},"status":{"phase":"Running","replicas":0,"conditions":[]}}`))
	}
	f.Fuzz(func(t *testing.T, which uint16, value []byte) {
		k := rows[int(which)%len(rows)]
		r := storage.Record{Key: storage.NewKey(k.StorageResource(), "b", "a"), Revision: 7, Value: value}
		_, read := objects.Index(k, r, &storage.Summary{})
		var h hot
		h.keep(k, r, read)
		want, failed := objects.Decode(k, r)
		for range 2 {
			got, err := h.decode(k, r)
			if failed != nil || err != nil {
				if failed == nil || err == nil || err.Error() != failed.Error() {
					t.Fatalf("%s: %v, not %v", k.Kind, err, failed)
				}
				return
			}
			if !reflect.DeepEqual(got, want) && !equality.Semantic.DeepEqual(got, want) {
				t.Fatalf("%s: %+v\nnot %+v", k.Kind, got, want)
			}
			if is, was := encoded(t, k, got), encoded(t, k, want); is != was {
				t.Fatalf("%s: %s\nnot %s", k.Kind, is, was)
			}
			spoil(reflect.ValueOf(got).Elem())
		}
	})
}

// encoded is a copy of an object as it is stored.
func encoded(t *testing.T, k *kinds.Kind, obj runtime.Object) string {
	value, err := k.Encode(obj.DeepCopyObject())
	if err != nil {
		return err.Error()
	}
	return string(value)
}

// spoil changes all that can be reached of a value.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.Zero(v.Type().Elem()))
		}
	}
	if v.CanSet() {
		v.SetZero()
	}
}

// Hot keeps what was written a moment ago, and nothing long.
func TestHot(t *testing.T) {
	k, h := &kinds.Kind{}, hot{}
	for revision, size := range map[storage.Revision]int{1: 100, 2: maxHot + 1} {
		r := storage.Record{Revision: revision, Value: make([]byte, size)}
		h.keep(k, r, &corev1.Secret{})
		if kept := h.slot(revision).Load() != nil; kept != (size <= maxHot) {
			t.Errorf("%d bytes are kept: %v", size, kept)
		}
	}
	h.keep(k, storage.Record{Revision: 1 + storage.Revision(len(h))}, &corev1.Secret{})
	if r := h.slot(1).Load().Revision; r == 1 {
		t.Error("the slot has the older object")
	}
}

// BenchmarkHot decodes a Pod as an update does, that was kept and that was not.
func BenchmarkHot(b *testing.B) {
	row := slices.IndexFunc(kinds.BuiltIn(), func(k *kinds.Kind) bool { return k.Resource == "pods" })
	k := kinds.BuiltIn()[row]
	container := `{"name":"c","image":"registry.example/c:1","resources":{"limits":{"cpu":"500m","memory":"64Mi"}},"env":[{"name":"A","value":"b"}]}`
	r := storage.Record{Key: storage.NewKey(k.StorageResource(), "b", "a"), Revision: 7, Value: []byte(
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","labels":{"app":"a"}},"spec":{"nodeName":"n","containers":[` +
			container + `,` + container + `]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)}
	_, read := objects.Index(k, r, nil)
	for _, kept := range []bool{true, false} {
		b.Run(fmt.Sprintf("kept=%v", kept), func(b *testing.B) {
			var h hot
			if kept {
				h.keep(k, r, read)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.decode(k, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
