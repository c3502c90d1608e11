package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/flow"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/patch"
	"kubarium/server/storage"
)

// A Patch is a change to make to what is stored.
type Patch struct {
	Type types.PatchType
	Body []byte
	// Decode makes an object in its internal form of the patched one, with defaults. strict are the unknown fields in
	// it, none for Ignore.
	Decode func(k *kinds.Kind, patched patch.Result) (obj runtime.Object, strict []error, err error)
	Strict patch.Strictness
	Force  bool // for an apply: take conflicting fields over

	config patch.Config // of an apply; see read
}

// Patch changes an object as p says, and reports whether it created it, which only an apply does. It is an update
// whose new object is made of the old one, and made again when another writer was faster.
func (r *Registry) Patch(ctx context.Context, t Target, p Patch, o WriteOptions) (storage.Record, bool, error) {
	if err := p.read(); err != nil {
		return storage.Record{}, false, err
	}
	return r.change(ctx, edit{Target: t, WriteOptions: o, make: func(old runtime.Object) (runtime.Object, error) {
		obj, err := r.patched(ctx, t, p, o, old)
		if err != nil {
			return nil, err
		}
		if uid := objects.Meta(obj).GetUID(); uid != "" && objects.Meta(old).GetUID() == "" {
			return nil, apierrors.NewConflict(t.resource(), t.Name, fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		if err := matchNamespace(t, objects.Meta(obj)); err != nil {
			return nil, err
		}
		if err := matchName(t, objects.Meta(obj)); err != nil {
			return nil, err
		}
		return obj, nil
	}})
}

// patched makes the new object of the old one. Only an apply makes one of nothing, whatever PUT may create.
func (r *Registry) patched(ctx context.Context, t Target, p Patch, o WriteOptions, old runtime.Object) (obj runtime.Object, err error) {
	if !patch.IsApply(p.Type) && objects.Meta(old).GetUID() == "" {
		return nil, apierrors.NewNotFound(t.resource(), t.Name)
	}
	err = station(ctx, "patch", string(p.Type), func() error {
		if patch.IsApply(p.Type) {
			obj, err = r.applied(t, p, o, old.DeepCopyObject()) // it takes the owners out of what it is given
			noteOwners(ctx, t, old, err)
			return err
		}
		before, err := objects.EncodeServed(t.Kind, old)
		if err != nil {
			return err
		}
		result, err := patch.Apply(ctx, p.Type, before, p.Body, t.Kind.New(), p.Strict)
		if err != nil {
			return err
		}
		var unknown []error
		obj, unknown, err = p.Decode(t.Kind, result)
		return CheckPatched(result, unknown, err, p.Strict, o)
	})
	if err != nil || patch.IsApply(p.Type) {
		return obj, err
	}
	if err := boundMetadata(t, objects.Meta(obj)); err != nil {
		return nil, err
	}
	return r.Managers.Update(t.Kind, t.Subresource, old, obj, o.Manager), nil
}

// CheckPatched judges the decoding of a patch's result: err is its error, unknown are the fields that the kind does
// not have. These and the duplicate fields of the patch itself are one list, which is refused or warned of as s says.
func CheckPatched(result patch.Result, unknown []error, err error, s patch.Strictness, o WriteOptions) error {
	if err != nil {
		return invalidPatch(result, err)
	}
	strict := append(slices.Clip(result.Strict), unknown...)
	if len(strict) > 0 && s == patch.Strict {
		return invalidPatch(result, runtime.NewStrictDecodingError(strict))
	}
	for _, e := range strict {
		o.warn(e.Error())
	}
	return nil
}

// read checks the form of the body, before the object is looked up, and reads the configuration of an apply.
func (p *Patch) read() (err error) {
	if !patch.IsApply(p.Type) {
		return patch.Check(p.Body)
	}
	p.config, err = patch.Configuration(p.Type, p.Body, p.Strict)
	return err
}

// applied merges an apply configuration (Server-Side Apply).
func (r *Registry) applied(t Target, p Patch, o WriteOptions, old runtime.Object) (runtime.Object, error) {
	if p.config.Unfit != nil {
		return nil, p.config.Unfit
	}
	obj, err := r.Managers.Apply(t.Kind, t.Subresource, old, p.config.Object.DeepCopy(), o.Manager, p.Force)
	if err != nil {
		return nil, err
	}
	return obj, p.judge(o)
}

// judge refuses the configuration of a successful apply in which a key occurs twice, or warns of it.
func (p Patch) judge(o WriteOptions) error {
	warnings, err := p.config.Judge(p.Strict)
	for _, w := range warnings {
		o.warn(w)
	}
	return err
}

// invalidPatch is the 422 of a patch whose result is not an object of its kind.
func invalidPatch(result patch.Result, reason error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), result.Shown, reason.Error()),
	})
}

// noteOwners records whose fields an apply met, if that is why err refused it. live is the object that it met.
func noteOwners(ctx context.Context, t Target, live runtime.Object, err error) {
	f := flow.From(ctx)
	var status apierrors.APIStatus
	if f == nil || !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return
	}
	c := &flow.Conflict{Kind: flow.FieldOwnership}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			c.Causes = append(c.Causes, flow.Cause{Field: cause.Field, Message: cause.Message})
		}
	}
	if len(c.Causes) == 0 {
		return
	}
	if stored, err := objects.ParseRevision(objects.Meta(live).GetResourceVersion()); err == nil {
		c.Stored = int64(stored)
	}
	if value, err := objects.EncodeServed(t.Kind, live); err == nil {
		c.Object = value
	}
	f.Flow.Conflict = c
}
