package registry

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/fields"
	"kubarium/server/kinds"
)

// builtIn are the built-in rows, by the resource as which their objects are kept.
var builtIn = sync.OnceValue(func() map[string][]*kinds.Kind {
	rows := map[string][]*kinds.Kind{}
	for _, k := range kinds.BuiltIn() {
		rows[k.StorageResource()] = append(rows[k.StorageResource()], k)
	}
	return rows
})

// versions are the ways between the rows that show the same objects as k; nil if k alone does.
func (ms *managers) versions(k *kinds.Kind) *fields.Versions {
	rows := builtIn()[k.StorageResource()]
	if len(rows) < 2 {
		return nil
	}
	v := &fields.Versions{Scheme: ms.scheme}
	for _, row := range rows {
		v.Kinds = append(v.Kinds, row.GroupVersionKind)
	}
	v.Between = func(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
		return convert(rows, obj, to)
	}
	return v
}

// convert makes an object of one row one of another, through the form in which both are kept.
func convert(rows []*kinds.Kind, obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	from, into := rowOf(rows, obj.GetObjectKind().GroupVersionKind()), rowOf(rows, to)
	if from == nil || into == nil {
		return nil, fmt.Errorf("convert %s to %s: they are not the same objects", obj.GetObjectKind().GroupVersionKind(), to)
	}
	var err error
	if from.ToStored != nil {
		if obj, err = from.ToStored(obj); err != nil {
			return nil, err
		}
	}
	if into.FromStored == nil {
		return obj, nil
	}
	return into.FromStored(obj)
}

func rowOf(rows []*kinds.Kind, gvk schema.GroupVersionKind) *kinds.Kind {
	i := slices.IndexFunc(rows, func(k *kinds.Kind) bool { return k.GroupVersionKind == gvk })
	if i < 0 {
		return nil
	}
	return rows[i]
}
