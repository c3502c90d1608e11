package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
	"kubarium/server/patch"
	"kubarium/server/storage"
)

// A Patch is a change to make to whatever is stored.
type Patch struct {
	Type types.PatchType
	Body []byte
	// Decode makes an object of the patched one, with defaults. strict are the unknown fields in it, none for Ignore.
	Decode func(k *kinds.Kind, patched patch.Result) (obj runtime.Object, strict []error, err error)
	Strict patch.Strictness
	Force  bool // for an apply: take conflicting fields over
}

// Patch changes an object as p says, and tells whether it created it, which only an apply does. It is an update whose
// new object is made of the old one, made again when somebody else was faster.
func (r *Registry) Patch(ctx context.Context, t Target, p Patch, o WriteOptions) (storage.Record, bool, error) {
	return r.change(ctx, edit{Target: t, WriteOptions: o, make: func(old runtime.Object) (runtime.Object, error) {
		obj, err := r.patched(ctx, t, p, o, old)
		if err != nil {
			return nil, err
		}
		if uid := access(obj).GetUID(); uid != "" && access(old).GetUID() == "" {
			return nil, apierrors.NewConflict(t.resource(), t.Name, fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		if err := matchNamespace(t, access(obj)); err != nil {
			return nil, err
		}
		if err := matchName(t, access(obj)); err != nil {
			return nil, err
		}
		dedupOwners(access(obj), o)
		return obj, nil
	}})
}

// patched makes the new object of the old one.
func (r *Registry) patched(ctx context.Context, t Target, p Patch, o WriteOptions, old runtime.Object) (obj runtime.Object, err error) {
	err = station(ctx, "patch", string(p.Type), func() error {
		if patch.IsApply(p.Type) {
			obj, err = r.applied(t, p, o, old)
			return err
		}
		before, err := encodeVersioned(t.Kind, old)
		if err != nil {
			return err
		}
		result, err := patch.Apply(p.Type, before, p.Body, t.Kind.New(), p.Strict)
		if err != nil {
			return err
		}
		obj, err = p.decode(t.Kind, result, o)
		return err
	})
	if err != nil || patch.IsApply(p.Type) {
		return obj, err
	}
	return r.Managers.Update(t.Kind, t.Subresource, old, obj, o.Manager), nil
}

// decode makes the object of a patch's result. Unknown and duplicate fields, of the patch and of the result, are one list.
func (p Patch) decode(k *kinds.Kind, result patch.Result, o WriteOptions) (runtime.Object, error) {
	obj, strict, err := p.Decode(k, result)
	if err != nil {
		return nil, InvalidPatch(result, err)
	}
	strict = append(slices.Clip(result.Strict), strict...)
	if len(strict) > 0 && p.Strict == patch.Strict {
		return nil, InvalidPatch(result, runtime.NewStrictDecodingError(strict))
	}
	for _, e := range strict {
		o.warn(e.Error())
	}
	return obj, nil
}

// applied merges an apply configuration (Server-Side Apply).
func (r *Registry) applied(t Target, p Patch, o WriteOptions, old runtime.Object) (runtime.Object, error) {
	config, warnings, err := patch.Configuration(p.Type, p.Body, p.Strict)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		o.warn(w)
	}
	obj, err := r.Managers.Apply(t.Kind, t.Subresource, old, config, o.Manager, p.Force)
	if err != nil {
		return nil, err
	}
	if t.Kind.Default != nil {
		t.Kind.Default(obj)
	}
	return obj, nil
}

// InvalidPatch is the 422 of a patch whose result is no object of its kind.
func InvalidPatch(result patch.Result, reason error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), result.Shown, reason.Error()),
	})
}

// encodeVersioned is the object as a client sees it: with its resourceVersion.
func encodeVersioned(k *kinds.Kind, obj runtime.Object) ([]byte, error) {
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return json.Marshal(obj)
}
