package fields

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Custom is what the Manager of a custom resource needs in place of a Scheme: the ways between its versions.
type Custom struct {
	// InVersion returns obj, which it may change, in another version of the kind, with fields that its schema may not
	// know. After an error, as for a version that is gone, an apply fails, and an update leaves the owners as they
	// were.
	InVersion func(obj runtime.Object, to schema.GroupVersion) (runtime.Object, error)
}

// New fulfils runtime.ObjectCreater.
func (c *Custom) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// ConvertToVersion fulfils runtime.ObjectConvertor.
func (c *Custom) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("convert a custom object: %T is none", in)
	}
	gvk := u.GroupVersionKind()
	want, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{gvk})
	if !ok {
		return nil, fmt.Errorf("convert a custom object: %s is not in %s", gvk, to)
	}
	if want == gvk {
		return u, nil
	}
	return c.InVersion(u.DeepCopy(), want.GroupVersion())
}

// Convert fulfils runtime.ObjectConvertor; field managers never ask for it.
func (c *Custom) Convert(in, _, _ any) error {
	return fmt.Errorf("convert a custom object: %T into another", in)
}

// ConvertFieldLabel fulfils runtime.ObjectConvertor; field managers never ask for it.
func (c *Custom) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return "", "", fmt.Errorf("convert a field label: %s has none", gvk)
}
