package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/handlers"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// generateTries is how many names a create with generateName tries (API Concepts, "Generated names": up to 8).
const generateTries = 8

// Create stores a new object. obj is in its internal form and has its defaults. The name may be generated, and t.Name may be empty.
func (r *Registry) Create(ctx context.Context, t Target, obj runtime.Object, o WriteOptions) (storage.Record, error) {
	m := access(obj)
	wipeSystemFields(m)
	if err := matchNamespace(t, m); err != nil {
		return storage.Record{}, err
	}
	dedupOwners(m, o, handlers.DuplicateOwnerReferencesWarningFormat)
	if err := boundMetadata(t, m); err != nil {
		return storage.Record{}, err
	}
	t.Name = m.GetName()
	if err := closed(t); err != nil {
		return storage.Record{}, err
	}
	obj = r.Managers.Update(t.Kind, "", blank(t.Kind), obj, o.Manager)
	q := question{Target: t, op: admission.Create, WriteOptions: o}
	ctx = r.official(ctx, "create", t, o)
	if err := r.mutateObject(ctx, q, obj, nil); err != nil {
		return storage.Record{}, err
	}
	if err := r.refuseEscalation(ctx, q, obj, nil); err != nil {
		return storage.Record{}, err
	}
	if access(obj).GetName() != "" || access(obj).GetGenerateName() == "" {
		return r.insert(ctx, q, obj)
	}
	return r.createGenerated(ctx, q, obj)
}

// errRevisionAtCreate is what kube-apiserver's store says of a new object that names a version already. It is not a
// Status there either, so that clients see a 500.
var errRevisionAtCreate = errors.New("resourceVersion should not be set on objects to be created")

// refuseRevision refuses a create that names a resourceVersion, as a file from "kubectl get -o yaml" does. One that is
// not a number, or a dry run, passes.
func refuseRevision(m metav1.Object, o WriteOptions) error {
	sent, err := ParseRevision(m.GetResourceVersion())
	if err != nil || sent == 0 || o.DryRun {
		return nil
	}
	return errRevisionAtCreate
}

// createGenerated tries names until one is free.
func (r *Registry) createGenerated(ctx context.Context, q question, obj runtime.Object) (rec storage.Record, err error) {
	for range generateTries {
		next := obj.DeepCopyObject()
		access(next).SetName(q.Kind.Strategy.GenerateName(access(next).GetGenerateName()))
		q.Name = access(next).GetName()
		rec, err = r.insert(ctx, q, next)
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return rec, err
}

// insert is the part of a create behind mutating admission. What another server of the store may have been given meanwhile is allocated
// anew.
func (r *Registry) insert(ctx context.Context, q question, obj runtime.Object) (storage.Record, error) {
	if r.Allocators[q.Kind.StorageResource()] == nil {
		return r.insertOnce(ctx, q, obj)
	}
	for {
		rec, err := r.insertOnce(ctx, q, obj.DeepCopyObject())
		if !errors.Is(err, errOutrun) {
			return rec, err
		}
		if err := r.catchUp(ctx, q.Target); err != nil {
			return storage.Record{}, err
		}
	}
}

// insertOnce is one try: the server's own fields, the checks, validating admission, the store.
func (r *Registry) insertOnce(ctx context.Context, q question, obj runtime.Object) (storage.Record, error) {
	t, o, k := q.Target, q.WriteOptions, q.Kind
	m := access(obj)
	wipeSystemFields(m)
	r.fillSystemFields(m)
	if err := matchNamespace(t, m); err != nil {
		return storage.Record{}, err
	}
	t.Name = m.GetName()
	var given kinds.Allocation
	var err error
	if t.Name != "" || !o.DryRun { // a dry run draws nothing for an object without a name, which is refused for that
		given, err = r.allocate(ctx, k, obj, nil)
	}
	if err != nil {
		return storage.Record{}, err
	}
	var rec storage.Record
	if err = beforeCreate(ctx, t, obj, o); err == nil {
		t.Name = m.GetName() // some strategies give one to an object that has none
		q.Name = t.Name
		if err = r.authorizeCreate(ctx, q); err == nil {
			err = r.admit(ctx, q, obj, nil)
		}
		if err == nil {
			rec, err = r.storeNew(ctx, t, obj, o, given)
		}
	}
	if err != nil || o.DryRun {
		given.GiveBack()
	}
	return rec, err
}

// maxFaults is how many faults of an object are told. Each is told twice, as a cause and in the message, which is put
// together by copying it for each; a body of empty containers has a hundred thousand.
const maxFaults = 200

// firstFaults are the faults that are told, with one more that says how many there are.
func firstFaults(errs field.ErrorList) field.ErrorList {
	if len(errs) <= maxFaults {
		return errs
	}
	return append(slices.Clip(errs[:maxFaults]), &field.Error{
		Type: field.ErrorTypeTooMany, BadValue: len(errs), Detail: fmt.Sprintf("of all faults the first %d are told", maxFaults),
	})
}

// storeNew writes a checked object, or for a dry run only looks whether it could.
func (r *Registry) storeNew(ctx context.Context, t Target, obj runtime.Object, o WriteOptions, given kinds.Allocation) (storage.Record, error) {
	m := access(obj)
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
	w := storage.Write{Op: storage.OpCreate, Key: t.key(), Value: value, Summary: summary(obj), Pool: given.Pool, PoolAt: given.PoolAt}
	if !o.DryRun {
		rec, err := r.commitNew(ctx, t, w)
		if outrun(err, w) {
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
	sent, _ := ParseRevision(m.GetResourceVersion()) // which a dry run shows as it was sent
	return storage.Record{Key: w.Key, Value: value, Revision: sent}, nil
}

// alreadyExists is the 409 of a create whose name is taken. With a generateName it suggests another try, also where the
// client or a webhook chose the name. It says when the name will be free again by itself: the object that has it is being
// deleted.
func (r *Registry) alreadyExists(ctx context.Context, t Target, obj runtime.Object) error {
	taken := apierrors.NewAlreadyExists(t.resource(), t.Name)
	if access(obj).GetGenerateName() != "" {
		taken = apierrors.NewGenerateNameConflict(t.resource(), t.Name, 1)
	}
	if old, _, err := r.latest(ctx, t); err == nil && old != nil && access(old).GetDeletionTimestamp() != nil {
		taken.ErrStatus.Message = "object is being deleted: " + taken.ErrStatus.Message
	}
	return taken
}

// allocate fills what is unique in the cluster.
func (r *Registry) allocate(ctx context.Context, k *kinds.Kind, obj, old runtime.Object) (kinds.Allocation, error) {
	if a := r.Allocators[k.StorageResource()]; a != nil {
		return a.Allocate(ctx, obj, old)
	}
	return kinds.Allocation{}, nil
}

// errOutrun says that another server of the store has taken from the same pool meanwhile.
var errOutrun = errors.New("another server has allocated meanwhile")

// outrun tells whether a write failed for that.
func outrun(err error, w storage.Write) bool {
	var key *storage.KeyError
	return w.Pool != "" && errors.Is(err, storage.ErrConflict) && errors.As(err, &key) && key.Key == storage.Key{Resource: w.Pool}
}
