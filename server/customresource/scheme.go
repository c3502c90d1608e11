package customresource

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/kinds"
)

// A scheme makes, names, defaults and converts the objects of one definition, which have no Go type.
type scheme struct {
	*kind
	ctx context.Context // of the request for which it converts
}

var _ kinds.ObjectScheme = scheme{}

// New fulfils runtime.ObjectCreater.
func (scheme) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(gvk)
	return u, nil
}

// ObjectKinds fulfils runtime.ObjectTyper: an object is what it says. Others, such as a Scale, are built in.
func (scheme) ObjectKinds(obj runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	if _, ok := obj.(runtime.Unstructured); !ok {
		return kinds.Scheme.ObjectKinds(obj)
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Kind == "" {
		return nil, false, runtime.NewMissingKindErr("unstructured object has no kind")
	}
	if gvk.Version == "" {
		return nil, false, runtime.NewMissingVersionErr("unstructured object has no version")
	}
	return []schema.GroupVersionKind{gvk}, false, nil
}

// Recognizes fulfils runtime.ObjectTyper.
func (s scheme) Recognizes(gvk schema.GroupVersionKind) bool {
	return gvk.Group == s.crd.Spec.Group && s.versions[gvk.Version] != nil || kinds.Scheme.Recognizes(gvk)
}

// Default fulfils runtime.ObjectDefaulter: an object gets the defaults of the version that it is in.
func (s scheme) Default(obj runtime.Object) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		kinds.Scheme.Default(obj)
		return
	}
	if v := s.versionOf(u); v != nil {
		v.setDefaults(u)
	}
}

// Convert fulfils runtime.ObjectConvertor.
func (s scheme) Convert(in, out, context any) error {
	from, ok := in.(*unstructured.Unstructured)
	to, also := out.(*unstructured.Unstructured)
	if !ok || !also {
		return kinds.Scheme.Convert(in, out, context)
	}
	obj := from.DeepCopy()
	if gv := to.GroupVersionKind().GroupVersion(); !gv.Empty() {
		converted, err := s.inVersion(s.ctx, obj, gv)
		if err != nil {
			return err
		}
		obj = converted.(*unstructured.Unstructured)
	}
	to.Object = obj.Object
	return nil
}

// ConvertToVersion fulfils runtime.ObjectConvertor.
func (s scheme) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return kinds.Scheme.ConvertToVersion(in, target)
	}
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{u.GroupVersionKind()})
	if !ok {
		return nil, runtime.NewNotRegisteredErrForTarget(s.crd.Name, nil, target)
	}
	return s.inVersion(s.ctx, u.DeepCopy(), to.GroupVersion())
}

// ConvertFieldLabel fulfils runtime.ObjectConvertor.
func (s scheme) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	v := s.versions[gvk.Version]
	if v == nil || v.row == nil {
		return runtime.DefaultMetaV1FieldSelectorConversion(label, value)
	}
	return v.row.ConvertFieldLabel(label, value)
}
