package kinds

import (
	"maps"
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Parts reaches into objects of a row without knowing their type: the spec is what users want, the status what was
// found (API conventions, "Spec and Status").
type Parts interface {
	ClearStatus(obj runtime.Object)
	KeepStatus(obj, old runtime.Object) // give obj the status of old
	// KeepRest gives obj all of old but the status, as far as the status's own door leaves it alone.
	KeepRest(obj, old runtime.Object)
	// WithoutSpec is a copy of obj without its spec, for what only looks at the rest. It shares what both have.
	WithoutSpec(obj runtime.Object) runtime.Object
	SpecChanged(obj, old runtime.Object) bool // whether the generation grows; the status is the same
}

// Parts returns the way into the row's objects.
func (k *Kind) Parts() Parts {
	if k.Custom != nil {
		return unstructuredParts{}
	}
	return typedParts{}
}

// typedParts finds the Go fields Spec and Status of a type of k8s.io/api.
type typedParts struct{}

func (typedParts) ClearStatus(obj runtime.Object) { part(obj, "Status").SetZero() }

func (typedParts) KeepStatus(obj, old runtime.Object) { part(obj, "Status").Set(part(old, "Status")) }

func (typedParts) KeepRest(obj, old runtime.Object) {
	if spec := part(obj, "Spec"); spec.IsValid() {
		spec.Set(part(old, "Spec"))
	}
}

func (typedParts) WithoutSpec(obj runtime.Object) runtime.Object {
	rest := reflect.New(reflect.TypeOf(obj).Elem())
	rest.Elem().Set(reflect.ValueOf(obj).Elem())
	if spec := rest.Elem().FieldByName("Spec"); spec.IsValid() {
		spec.SetZero()
	}
	return rest.Interface().(runtime.Object)
}

func (typedParts) SpecChanged(obj, old runtime.Object) bool {
	return !apiequality.Semantic.DeepEqual(part(obj, "Spec").Interface(), part(old, "Spec").Interface())
}

// part is a field of a typed object by its Go name; the zero Value if it has none.
func part(obj runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}

// unstructuredParts finds the members of an unstructured object. All that is neither metadata nor status counts as spec.
type unstructuredParts struct{}

func members(obj runtime.Object) map[string]any { return obj.(*unstructured.Unstructured).Object }

func (unstructuredParts) ClearStatus(obj runtime.Object) { delete(members(obj), "status") }

func (unstructuredParts) KeepStatus(obj, old runtime.Object) {
	if status, ok := members(old)["status"]; ok {
		members(obj)["status"] = status
		return
	}
	delete(members(obj), "status")
}

// KeepRest keeps the metadata too, but for who owns which field.
func (unstructuredParts) KeepRest(obj, old runtime.Object) {
	u := obj.(*unstructured.Unstructured)
	status, ok := u.Object["status"]
	managed := u.GetManagedFields()
	u.Object = old.(*unstructured.Unstructured).DeepCopy().Object
	u.SetManagedFields(managed)
	delete(u.Object, "status")
	if ok {
		u.Object["status"] = status
	}
}

func (unstructuredParts) WithoutSpec(obj runtime.Object) runtime.Object {
	rest := maps.Clone(members(obj))
	delete(rest, "spec")
	if metadata, ok := rest["metadata"].(map[string]any); ok {
		rest["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: rest}
}

func (unstructuredParts) SpecChanged(obj, old runtime.Object) bool {
	return !apiequality.Semantic.DeepEqual(withoutMetadata(members(obj)), withoutMetadata(members(old)))
}

func withoutMetadata(all map[string]any) map[string]any {
	rest := make(map[string]any, len(all))
	for name, value := range all {
		if name != "metadata" {
			rest[name] = value
		}
	}
	return rest
}
