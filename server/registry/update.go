package registry

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/handlers"

	"kubarium/flow"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// Update replaces an object by obj, which is in its internal form and has its defaults, and reports whether it
// created it instead.
func (r *Registry) Update(ctx context.Context, t Target, obj runtime.Object, o WriteOptions) (storage.Record, bool, error) {
	m := objects.Meta(obj)
	if err := matchNamespace(t, m); err != nil {
		return storage.Record{}, false, err
	}
	if err := matchName(t, m); err != nil {
		return storage.Record{}, false, err
	}
	dedupOwners(m, o, handlers.DuplicateOwnerReferencesWarningFormat)
	if err := boundMetadata(t, m); err != nil {
		return storage.Record{}, false, err
	}
	again := triedAgain(ctx, t.Kind, m) || r.Allocators[t.Kind.StorageResource()] != nil
	return r.change(ctx, edit{Target: t, WriteOptions: o, uid: m.GetUID(), make: func(old runtime.Object) (runtime.Object, error) {
		next := obj
		if again {
			next = obj.DeepCopyObject()
		}
		return r.Managers.Update(t.Kind, t.Subresource, old, next, o.Manager), nil
	}})
}

// triedAgain reports whether an update may be tried again, with the same object. One that names a version is refused
// when another writer was faster, unless that one has deleted the object and it may be created.
func triedAgain(ctx context.Context, k *kinds.Kind, m metav1.Object) bool {
	sent, err := objects.ParseRevision(m.GetResourceVersion())
	return err != nil || sent == 0 || k.Strategy.AllowCreateOnUpdate(ctx)
}

// An edit is one way to change an object: an update, a patch, an apply, a scale and a finalize differ in make alone.
type edit struct {
	Target
	WriteOptions
	uid   types.UID // that the object must have; "" for any
	asked bool      // see question
	// view is what admission plugins see of an object where that is another one, with the target that it is of; make
	// has then asked the mutating ones. nil shows the object itself.
	view func(obj runtime.Object) (runtime.Object, error)
	seen Target
	// make makes the new object of the old one, which it leaves as it is; of an empty one in its served form if there
	// is none.
	make func(old runtime.Object) (runtime.Object, error)
}

// change is the one way in which an object that may exist is written: read it, make the new object of the old one,
// check it, and write it on the condition that the old one is still there; from the beginning again when it is not. A
// resourceVersion in the new object is the client's own condition and ends in a 409; without one it is tried again
// (see retry.go) until the write fits or ctx ends. created reports that there was no object.
func (r *Registry) change(ctx context.Context, e edit) (rec storage.Record, created bool, err error) {
	if e.Name == "" {
		return storage.Record{}, false, ErrNoName
	}
	if err := e.Check(); err != nil {
		return storage.Record{}, false, err
	}
	err = r.retry(ctx, e.Target, func() (err error) {
		rec, created, err = r.changeOnce(ctx, e)
		return err
	})
	return rec, created, err
}

// changeOnce is one try, on the version that is stored now.
func (r *Registry) changeOnce(ctx context.Context, e edit) (rec storage.Record, created bool, err error) {
	old, stored, err := r.latest(ctx, e.Target)
	if err != nil {
		return storage.Record{}, false, err
	}
	if old == nil {
		rec, err := r.changeMissing(ctx, e)
		return rec, err == nil, err
	}
	if found := objects.Meta(old).GetUID(); e.uid != "" && e.uid != found {
		noteUID(ctx, string(e.uid), string(found), stored)
		return storage.Record{}, false, uidConflict(e.Target, e.uid, found)
	}
	rec, err = r.changeStored(ctx, e, old, stored)
	return rec, false, err
}

// changeMissing is change for an object that does not exist: a create, where that is allowed.
func (r *Registry) changeMissing(ctx context.Context, e edit) (storage.Record, error) {
	if !e.mayCreate(ctx) {
		return storage.Record{}, apierrors.NewNotFound(e.resource(), e.Name)
	}
	if e.uid != "" {
		noteUID(ctx, string(e.uid), "", storage.Record{})
		return storage.Record{}, uidConflict(e.Target, e.uid, "")
	}
	obj, err := e.make(objects.Blank(e.Kind))
	if err != nil {
		return storage.Record{}, err
	}
	if err := closed(e.Target); err != nil {
		return storage.Record{}, err
	}
	q := question{Target: e.Target, op: admission.Create, WriteOptions: e.WriteOptions, further: true}
	ctx = r.official(ctx, "create", e.Target, e.WriteOptions)
	if err := r.mutateObject(ctx, q, obj, nil); err != nil {
		return storage.Record{}, err
	}
	if err := r.refuseEscalation(ctx, q, obj, e.Kind.NewInternal()); err != nil {
		return storage.Record{}, err
	}
	if _, err := objects.ParseRevision(objects.Meta(obj).GetResourceVersion()); err != nil {
		return storage.Record{}, err
	}
	if !e.DryRun {
		objects.Meta(obj).SetResourceVersion("") // only a POST is refused for naming one
	}
	rec, err := r.insert(ctx, q, obj)
	if apierrors.IsAlreadyExists(err) && !e.DryRun {
		return rec, errOutrun // it appeared since it was read
	}
	return rec, err
}

// mayCreate reports whether an edit creates a missing object.
func (e edit) mayCreate(ctx context.Context) bool {
	applies := e.ForceCreate && (e.Subresource == "" || e.Subresource == "status" && e.Kind.StatusCreates)
	return applies || e.strategy().AllowCreateOnUpdate(ctx)
}

// changeStored is change for an object that exists. It returns storage.ErrConflict or ErrNotFound as they are when
// another writer was faster.
func (r *Registry) changeStored(ctx context.Context, e edit, old runtime.Object, stored storage.Record) (storage.Record, error) {
	t := e.Target
	obj, err := e.make(old)
	if err != nil {
		return storage.Record{}, err
	}
	q := question{Target: t, op: admission.Update, WriteOptions: e.WriteOptions, asked: e.asked}
	ctx = r.official(ctx, "update", t, e.WriteOptions)
	if e.view == nil {
		if err := r.mutateObject(ctx, q, obj, old); err != nil {
			return storage.Record{}, err
		}
	}
	if err := r.refuseEscalation(ctx, q, obj, old); err != nil {
		return storage.Record{}, err
	}
	if err := r.checkRevision(ctx, t, objects.Meta(obj), stored); err != nil {
		return storage.Record{}, err
	}
	if err := matchNamespace(t, objects.Meta(obj)); err != nil {
		return storage.Record{}, err
	}
	given, err := r.allocate(ctx, t.Kind, obj, old)
	if err != nil {
		return storage.Record{}, err
	}
	var rec storage.Record
	if err = beforeUpdate(ctx, t, obj, old, e.WriteOptions); err == nil {
		if err = r.admitEdit(ctx, e, q, obj, old); err == nil {
			rec, err = r.storeChanged(ctx, t, e.WriteOptions, obj, old, stored, given)
		}
	}
	if err != nil || e.DryRun {
		given.GiveBack()
	}
	return rec, err
}

// admitEdit asks the validating plugins about what an edit shows them.
func (r *Registry) admitEdit(ctx context.Context, e edit, q question, obj, old runtime.Object) error {
	if e.view == nil {
		return r.admit(ctx, q, obj, old)
	}
	is, err := e.view(obj)
	if err != nil {
		return err
	}
	was, err := e.view(old)
	if err != nil {
		return err
	}
	q.Target = e.seen
	return r.admit(ctx, q, is, was)
}

// checkRevision compares the resourceVersion that the client sent with the stored one (API Concepts, "Updates to
// existing resources"). Without one an update is unconditional, where the kind allows it.
func (r *Registry) checkRevision(ctx context.Context, t Target, m metav1.Object, stored storage.Record) (err error) {
	f := flow.From(ctx)
	if err := r.beforeCheck(ctx, stored); err != nil {
		return err
	}
	f.Enter("rv check")
	sent, err := objects.ParseRevision(m.GetResourceVersion())
	defer func() { f.Leave(compared(sent, stored.Revision), err) }()
	if err != nil {
		return err
	}
	if sent == stored.Revision {
		return nil
	}
	if sent == 0 && t.Kind.Strategy.AllowUnconditionalUpdate(ctx) {
		m.SetResourceVersion(objects.FormatRevision(stored.Revision))
		return nil
	}
	if sent == 0 {
		kind := schema.GroupKind{Group: t.Kind.Group, Kind: t.Kind.Resource}
		return apierrors.NewInvalid(kind, t.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update"),
		})
	}
	r.noteStale(ctx, sent, stored)
	return apierrors.NewConflict(t.resource(), t.Name, errOptimisticLock)
}

// beforeCheck is the gate before the version check. A request that was held there is tried again if the object has
// changed since: the check is against what is stored then.
func (r *Registry) beforeCheck(ctx context.Context, stored storage.Record) error {
	f := flow.From(ctx)
	if f == nil || f.Gate == nil {
		return nil
	}
	if err := f.Before(ctx, "rv check"); err != nil {
		return err
	}
	now, _, err := r.Cache.Get(ctx, stored.Key, 0)
	if err == nil && now.Revision != stored.Revision {
		return storage.ErrConflict
	}
	return err
}

// compared is the note of a version check: "15 = 15", "15 ≠ 18", "none sent".
func compared(sent, stored storage.Revision) string {
	switch sent {
	case 0:
		return "none sent"
	case stored:
		return fmt.Sprintf("%d = %d", sent, stored)
	}
	return fmt.Sprintf("%d ≠ %d", sent, stored)
}
