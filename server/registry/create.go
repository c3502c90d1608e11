package registry

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/handlers"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// generateTries is how many names a create with generateName tries (API Concepts, "Generated names": up to 8).
const generateTries = 8

// Create stores a new object. obj is in its internal form and has its defaults. The name may be generated, and t.Name
// may be empty.
func (r *Registry) Create(ctx context.Context, t Target, obj runtime.Object, o WriteOptions) (storage.Record, error) {
	m := objects.Meta(obj)
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
	obj = r.Managers.Update(t.Kind, "", objects.Blank(t.Kind), obj, o.Manager)
	q := question{Target: t, op: admission.Create, WriteOptions: o}
	ctx = r.official(ctx, "create", t, o)
	if err := r.mutateObject(ctx, q, obj, nil); err != nil {
		return storage.Record{}, err
	}
	if err := r.refuseEscalation(ctx, q, obj, nil); err != nil {
		return storage.Record{}, err
	}
	if objects.Meta(obj).GetName() != "" || objects.Meta(obj).GetGenerateName() == "" {
		return r.insert(ctx, q, obj)
	}
	return r.createGenerated(ctx, q, obj)
}

// createGenerated tries names until one is free.
func (r *Registry) createGenerated(ctx context.Context, q question, obj runtime.Object) (rec storage.Record, err error) {
	for range generateTries {
		next := obj.DeepCopyObject()
		objects.Meta(next).SetName(q.Kind.Strategy.GenerateName(objects.Meta(next).GetGenerateName()))
		q.Name = objects.Meta(next).GetName()
		rec, err = r.insert(ctx, q, next)
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return rec, err
}

// insert is the part of a create after mutating admission. What another server of the store has taken since is
// allocated again.
func (r *Registry) insert(ctx context.Context, q question, obj runtime.Object) (rec storage.Record, err error) {
	if r.Allocators[q.Kind.StorageResource()] == nil {
		return r.insertOnce(ctx, q, obj)
	}
	err = r.retry(ctx, q.Target, func() (err error) {
		rec, err = r.insertOnce(ctx, q, obj.DeepCopyObject())
		return err
	})
	return rec, err
}

// insertOnce is one try: the server's own fields, the checks, validating admission, the store.
func (r *Registry) insertOnce(ctx context.Context, q question, obj runtime.Object) (storage.Record, error) {
	t, o, k := q.Target, q.WriteOptions, q.Kind
	m := objects.Meta(obj)
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
