package fields

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Versions are the forms of a built-in kind that is served in several versions or groups, of which one is kept. Managers
// of different versions own fields of the same object, so each must be seen in the version that it wrote.
type Versions struct {
	Scheme *runtime.Scheme
	Kinds  []schema.GroupVersionKind
	// Between returns obj, which it may change, as another of Kinds.
	Between func(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)
}

var _ runtime.ObjectConvertor = (*Versions)(nil)

// ConvertToVersion fulfils runtime.ObjectConvertor. An unstructured object becomes one of its Go type.
func (v *Versions) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	gvk, err := v.kindOf(in)
	if err != nil {
		return nil, err
	}
	want, ok := to.KindForGroupVersionKinds(append([]schema.GroupVersionKind{gvk}, v.Kinds...))
	if !ok {
		return nil, fmt.Errorf("convert %s: there is no such kind in %s", gvk, to)
	}
	typed, err := runtime.UnsafeObjectConvertor(v.Scheme).ConvertToVersion(in, gvk.GroupVersion())
	if err != nil || want == gvk {
		return typed, err
	}
	typed = typed.DeepCopyObject()
	typed.GetObjectKind().SetGroupVersionKind(gvk)
	out, err := v.Between(typed, want)
	if err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(want)
	return out, nil
}

// kindOf is what an object is, whether it says so itself or is of a Go type that does.
func (v *Versions) kindOf(obj runtime.Object) (schema.GroupVersionKind, error) {
	if _, ok := obj.(runtime.Unstructured); ok {
		return obj.GetObjectKind().GroupVersionKind(), nil
	}
	gvks, _, err := v.Scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return gvks[0], nil
}

// Convert fulfils runtime.ObjectConvertor; field managers never ask for it.
func (v *Versions) Convert(in, _, _ any) error {
	return fmt.Errorf("convert %T into another object: field managers ask for versions", in)
}

// ConvertFieldLabel fulfils runtime.ObjectConvertor; field managers never ask for it either.
func (v *Versions) ConvertFieldLabel(gvk schema.GroupVersionKind, label, _ string) (string, string, error) {
	return "", "", fmt.Errorf("convert the field label %s of %s: field managers know none", label, gvk)
}

// filters leave the same fields alone in every version.
func (v *Versions) filters(reset []fieldpath.Path) map[fieldpath.APIVersion]fieldpath.Filter {
	if len(reset) == 0 {
		return nil
	}
	all := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, k := range v.Kinds {
		for version, filter := range filters(k.GroupVersion(), reset) {
			all[version] = filter
		}
	}
	return all
}
