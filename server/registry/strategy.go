package registry

import (
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
)

// prepareCreate sets what the server decides about a new object of a kind: no status, generation 1.
func prepareCreate(k *kinds.Kind, obj runtime.Object) {
	if k.Status && !k.StatusAtCreate {
		part(obj, "Status").SetZero()
	}
	if k.Generation {
		access(obj).SetGeneration(1)
	}
	if k.PrepareForCreate != nil {
		k.PrepareForCreate(obj)
	}
}

// prepareUpdate lets through what the door of the update is for: spec and metadata by the main one, status by its own
// (API conventions, "Spec and Status").
func prepareUpdate(t Target, obj, old runtime.Object) {
	k := t.Kind
	access(obj).SetGeneration(access(old).GetGeneration())
	if t.Subresource == "finalize" {
		return // its own function has made the object of the old one
	}
	if t.Subresource == "status" {
		if spec := part(obj, "Spec"); spec.IsValid() {
			spec.Set(part(old, "Spec"))
		}
		if k.PrepareForStatusUpdate != nil {
			k.PrepareForStatusUpdate(obj, old)
		}
		return
	}
	if k.Status {
		part(obj, "Status").Set(part(old, "Status"))
	}
	if k.PrepareForUpdate != nil {
		k.PrepareForUpdate(obj, old)
	}
	if k.Generation && access(obj).GetGeneration() == access(old).GetGeneration() && specChanged(obj, old) {
		access(obj).SetGeneration(access(old).GetGeneration() + 1)
	}
}

func specChanged(obj, old runtime.Object) bool {
	return !apiequality.Semantic.DeepEqual(part(obj, "Spec").Interface(), part(old, "Spec").Interface())
}

// part is a field of a typed object by its Go name; the zero Value if it has none.
func part(obj runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}
