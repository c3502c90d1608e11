package registry

import (
	"bytes"
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// storeNew writes a checked object, or for a dry run only looks whether it could.
func (r *Registry) storeNew(
	ctx context.Context, t Target, obj runtime.Object, o WriteOptions, given kinds.Allocation,
) (storage.Record, error) {
	m := objects.Meta(obj)
	if err := refuseRevision(m, o); err != nil {
		return storage.Record{}, err
	}
	value, err := t.Kind.Encode(obj)
	if err != nil {
		return storage.Record{}, err
	}
	if err := checkSize(value); err != nil {
		return storage.Record{}, err
	}
	w := storage.Write{
		Op: storage.OpCreate, Key: t.key(), Value: value, Summary: summary(obj), Pool: given.Pool, PoolAt: given.PoolAt,
	}
	if !o.DryRun {
		rec, err := r.commitNew(ctx, t, w)
		if poolTaken(err, w) {
			return storage.Record{}, errOutrun
		}
		if errors.Is(err, storage.ErrExists) {
			return storage.Record{}, r.alreadyExists(ctx, t, obj)
		}
		if err != nil {
			return storage.Record{}, interpret(err, t)
		}
		return rec, nil
	}
	if err := r.Current(ctx); err != nil {
		return storage.Record{}, err
	}
	switch _, _, err := r.Cache.Get(ctx, w.Key, 0); {
	case err == nil:
		return storage.Record{}, r.alreadyExists(ctx, t, obj)
	case !errors.Is(err, storage.ErrNotFound):
		return storage.Record{}, interpret(err, t)
	}
	sent, _ := objects.ParseRevision(m.GetResourceVersion()) // which a dry run shows as it was sent
	return storage.Record{Key: w.Key, Value: value, Revision: sent}, nil
}

// errRevisionAtCreate is what kube-apiserver's store says of a new object that names a version already. It is not a
// Status there either, so that clients see a 500.
var errRevisionAtCreate = errors.New("resourceVersion should not be set on objects to be created")

// refuseRevision refuses a create that names a resourceVersion, as a file from "kubectl get -o yaml" does. One that is
// not a number, or a dry run, passes.
func refuseRevision(m metav1.Object, o WriteOptions) error {
	sent, err := objects.ParseRevision(m.GetResourceVersion())
	if err != nil || sent == 0 || o.DryRun {
		return nil
	}
	return errRevisionAtCreate
}

// alreadyExists is the 409 of a create whose name is taken. With a generateName it suggests another try, also where
// the client or a webhook chose the name. It says when the name will be free again by itself: the object that has it
// is being deleted.
func (r *Registry) alreadyExists(ctx context.Context, t Target, obj runtime.Object) error {
	taken := apierrors.NewAlreadyExists(t.resource(), t.Name)
	if objects.Meta(obj).GetGenerateName() != "" {
		taken = apierrors.NewGenerateNameConflict(t.resource(), t.Name, 1)
	}
	if old, _, err := r.latest(ctx, t); err == nil && old != nil && objects.Meta(old).GetDeletionTimestamp() != nil {
		taken.ErrStatus.Message = "object is being deleted: " + taken.ErrStatus.Message
	}
	return taken
}

// storeChanged writes a checked update. One that changes nothing keeps its revision and makes no event; one that takes
// the last finalizer from an object being deleted is the deletion.
func (r *Registry) storeChanged(
	ctx context.Context, t Target, o WriteOptions, obj, old runtime.Object, stored storage.Record, given kinds.Allocation,
) (storage.Record, error) {
	keepManagedTimes(objects.Meta(obj), objects.Meta(old))
	if deletedByUpdate(t, obj, old) {
		return r.removeUpdated(ctx, t, o, obj, stored)
	}
	value, err := t.Kind.Encode(obj)
	if err != nil {
		return storage.Record{}, err
	}
	if bytes.Equal(value, stored.Value) {
		return stored, nil
	}
	if err := checkSize(value); err != nil {
		return storage.Record{}, err
	}
	if o.DryRun {
		return storage.Record{Key: stored.Key, Revision: stored.Revision, Value: value}, nil
	}
	w := storage.Write{
		Op: storage.OpUpdate, Key: stored.Key, Value: value, Expect: stored.Revision, Summary: summary(obj), Since: t.Since,
		Pool: given.Pool, PoolAt: given.PoolAt,
	}
	rec, err := r.commit(ctx, w, stored.Value)
	if errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrNotFound) {
		return rec, err
	}
	if err != nil {
		return rec, interpret(err, t)
	}
	return rec, nil
}

// remove takes an object that nothing holds out of the store. A dry run returns what is stored.
func (r *Registry) remove(
	ctx context.Context, t Target, old runtime.Object, stored storage.Record, dryRun bool,
) (storage.Record, error) {
	if dryRun {
		return stored, nil
	}
	w := storage.Write{Op: storage.OpDelete, Key: stored.Key, Expect: stored.Revision, Since: t.Since}
	rec, err := r.commit(ctx, w, stored.Value)
	switch {
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
		return stored, err
	case err != nil:
		return stored, interpret(err, t)
	}
	if a := r.Allocators[t.Kind.StorageResource()]; a != nil {
		a.Deleted(old, rec.Revision)
	}
	return storage.Record{Key: stored.Key, Revision: rec.Revision, Value: stored.Value}, nil
}

// removeUpdated is the deletion that an update makes by taking the last finalizer. Watchers see the object as it was
// before, finalizer included; the client gets what it sent, as in kube-apiserver also where the object is gone already.
func (r *Registry) removeUpdated(
	ctx context.Context, t Target, o WriteOptions, obj runtime.Object, stored storage.Record,
) (storage.Record, error) {
	if _, err := r.remove(ctx, t, obj, stored, o.DryRun); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Record{}, err
	}
	value, err := t.Kind.Encode(obj)
	return storage.Record{Key: stored.Key, Revision: stored.Revision, Value: value}, err
}

// deletedByUpdate reports whether an update leaves nothing that holds an object that is being deleted.
func deletedByUpdate(t Target, obj, old runtime.Object) bool {
	m := objects.Meta(old)
	if len(objects.Meta(obj).GetFinalizers()) > 0 || m.GetDeletionTimestamp() == nil {
		return false
	}
	if t.Kind.Holds != nil && t.Kind.Holds(obj) {
		return false
	}
	return m.GetDeletionGracePeriodSeconds() == nil || *m.GetDeletionGracePeriodSeconds() == 0
}
