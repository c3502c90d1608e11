package customresource

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fromStored is a stored object in this version. It is read in the version in which it was stored, then converted.
func (v *version) fromStored(ctx context.Context, stored runtime.Object) (runtime.Object, error) {
	if err := v.kind.restore(stored); err != nil {
		return nil, err
	}
	return v.kind.inVersion(ctx, stored, v.row.GroupVersion())
}

// restore reads an object by the schema of the version in which it was stored, which may have changed since: it is pruned
// and gets that version's defaults ("Custom Resource Definitions", "Defaulting").
func (k *kind) restore(stored runtime.Object) error {
	u := stored.(*unstructured.Unstructured)
	if err := k.defines(u.GetAPIVersion()); err != nil {
		return err
	}
	v := k.versionOf(u)
	if v == nil { // plain SQL may write an object without a version
		v = k.versions[k.storage.Version]
		u.SetAPIVersion(k.storage.GroupVersion().String())
	}
	if _, err := v.coerce(u, coercion{stored: true}); err != nil {
		return err
	}
	if err := v.boundDefaults(u); err != nil {
		return err
	}
	v.setDefaults(u)
	return nil
}

// A VersionGone is why an object cannot be read: it is stored in a version that its definition does not have any more.
type VersionGone struct{ Version string }

func (e *VersionGone) Error() string {
	return "request to convert CR from an invalid group/version: " + e.Version
}

// defines returns an error if an object is stored in a version that the definition does not have.
func (k *kind) defines(apiVersion string) error {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if apiVersion == "" || err == nil && gv.Group == k.crd.Spec.Group && k.versions[gv.Version] != nil {
		return nil
	}
	k.outdated.Store(true)
	return &VersionGone{apiVersion}
}

// versionOf is the version that an object says it is in; nil if the definition has no such version.
func (k *kind) versionOf(u *unstructured.Unstructured) *version {
	gv, err := schema.ParseGroupVersion(u.GetAPIVersion())
	if err != nil || gv.Group != k.crd.Spec.Group {
		return nil
	}
	return k.versions[gv.Version]
}

// toStored is the object in the storage version.
func (k *kind) toStored(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
	obj.(*unstructured.Unstructured).SetResourceVersion("") // a stored object has none, so a webhook sees none
	return k.inVersion(ctx, obj, k.storage.GroupVersion())
}

// inVersion is the object in another version. The other version's schema drops what it does not know ("Versions in
// CustomResourceDefinitions").
func (k *kind) inVersion(ctx context.Context, obj runtime.Object, to schema.GroupVersion) (runtime.Object, error) {
	u := obj.(*unstructured.Unstructured)
	if u.GetAPIVersion() == to.String() {
		return u, nil
	}
	v := k.versions[to.Version]
	if v == nil || to.Group != k.crd.Spec.Group {
		return nil, runtime.NewNotRegisteredErrForKind(k.crd.Name, to.WithKind(u.GetKind()))
	}
	converted, err := k.convert(ctx, u, to)
	if err != nil {
		return nil, err
	}
	_, err = v.coerce(converted, coercion{})
	return converted, err
}

// owned is the object in another version as the field manager sees it. kube-apiserver neither prunes it nor lets a
// version pass that is gone: an owner that has written an older version may then make an apply fail, and an update keep
// all owners as they were. All requests share a field manager, so the call to a webhook belongs to no request.
func (k *kind) owned(obj runtime.Object, to schema.GroupVersion) (runtime.Object, error) {
	u := obj.(*unstructured.Unstructured)
	if to.Group != k.crd.Spec.Group || k.versions[to.Version] == nil {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", to)
	}
	if err := k.defines(u.GetAPIVersion()); err != nil {
		return nil, err
	}
	return k.convert(context.Background(), u, to)
}

// convert does what the definition's strategy says: None changes the apiVersion alone, a webhook anything except the
// object's identity. The flow in ctx notes the call to the webhook.
func (k *kind) convert(ctx context.Context, u *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	if !k.hasWebhook() {
		u.SetAPIVersion(to.String())
		return u, nil
	}
	converted, err := k.webhooks.convert(ctx, u, to)
	if err != nil {
		return nil, err
	}
	return converted.(*unstructured.Unstructured), nil
}

// hasWebhook reports whether a webhook converts the objects.
func (k *kind) hasWebhook() bool {
	c := k.crd.Spec.Conversion
	return c != nil && c.Strategy == apiextensionsv1.WebhookConverter
}
