package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// A Deletion is what became of a delete.
type Deletion struct {
	Record  storage.Record // the object as it was last, or as it waits for its finalizers
	Deleted bool           // whether it is gone; false while finalizers or grace hold it
	UID     types.UID
	// Damaged says that it was a row that no longer decoded: its uid and its last state are unknown.
	Damaged bool
}

// Delete removes an object, or marks it as being deleted while finalizers or a grace period hold it (API Concepts,
// "Resource deletion").
func (r *Registry) Delete(ctx context.Context, t Target, o metav1.DeleteOptions, by Asker) (Deletion, error) {
	if t.Kind.Kept != nil {
		if why := t.Kind.Kept(t.Name); why != "" {
			return Deletion{}, apierrors.NewForbidden(t.resource(), t.Name, errors.New(why))
		}
	}
	return r.delete(ctx, deletion(t, o, by), o)
}

// deletion is what admission is asked about a delete.
func deletion(t Target, o metav1.DeleteOptions, by Asker) question {
	o.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("DeleteOptions"))
	return question{Target: t, op: admission.Delete, WriteOptions: WriteOptions{Asker: by, DryRun: len(o.DryRun) > 0, Options: &o}}
}

func (r *Registry) delete(ctx context.Context, q question, o metav1.DeleteOptions) (d Deletion, err error) {
	t := q.Target
	if unsafe := o.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe != nil && *unsafe {
		return r.deleteDamaged(ctx, t, q.DryRun)
	}
	ctx = r.official(ctx, "delete", t, q.WriteOptions)
	overtaken := false // by another write, since the object was read
	err = r.retry(ctx, t, func() error {
		old, stored, err := r.latest(ctx, t)
		switch {
		case err != nil:
			return unreadable(t, err)
		case d.Deleted && (old == nil || objects.Meta(old).GetUID() != d.UID):
			return nil // it was marked to go at once, and an update or another deletion has removed it
		case old == nil:
			return apierrors.NewNotFound(t.resource(), t.Name)
		}
		m := objects.Meta(old)
		if err := checkPreconditions(t, m, o.Preconditions); err != nil {
			r.notePreconditions(ctx, o.Preconditions, m, stored)
			if overtaken {
				return storeConflict(t, failedPrecondition("Precondition failed", m, o.Preconditions))
			}
			return err
		}
		d, err = r.deleteStored(ctx, q, *o.DeepCopy(), old, stored)
		overtaken = true
		return err
	})
	return d, err
}

// deleteStored is one try at deleting the version that was read. With an error, Deleted says that the object has been marked
// to go at once.
func (r *Registry) deleteStored(
	ctx context.Context, q question, o metav1.DeleteOptions, old runtime.Object, stored storage.Record,
) (d Deletion, err error) {
	t, dryRun := q.Target, q.DryRun
	d = Deletion{Record: stored, UID: objects.Meta(old).GetUID()}
	obj := old.DeepCopyObject()
	graceful, pending := r.grace(ctx, t, obj, &o)
	if pending {
		return d, nil
	}
	if !q.collection { // the reviews of a collection show the options that were sent
		o.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("DeleteOptions"))
		q.Options = &o
	}
	if err := r.admitDelete(ctx, q, old); err != nil {
		return d, err
	}
	if t.Kind.BeginDelete != nil && t.Kind.BeginDelete(obj, o, r.Now()) {
		return r.mark(ctx, t, obj, old, stored, d, dryRun)
	}
	objects.Meta(obj).SetFinalizers(gcFinalizers(ctx, t.Kind, objects.Meta(obj).GetFinalizers(), o))
	if len(objects.Meta(obj).GetFinalizers()) > 0 && !graceful {
		markDeleting(objects.Meta(obj), r.Now())
		return r.mark(ctx, t, obj, old, stored, d, dryRun)
	}
	if !graceful {
		d.Record, err = r.remove(ctx, t, old, stored, dryRun)
		d.Deleted = err == nil
		return d, err
	}
	d, err = r.mark(ctx, t, obj, old, stored, d, dryRun)
	if err != nil || len(objects.Meta(obj).GetFinalizers()) > 0 || *objects.Meta(obj).GetDeletionGracePeriodSeconds() > 0 {
		return d, err
	}
	// Without any grace the object goes at once. Watchers have seen it marked, as in kube-apiserver.
	d.Record, err = r.remove(ctx, t, obj, d.Record, dryRun)
	d.Deleted = true
	return d, err
}

// mark stores an object that is being deleted and still held.
func (r *Registry) mark(
	ctx context.Context, t Target, obj, old runtime.Object, stored storage.Record, d Deletion, dryRun bool,
) (Deletion, error) {
	rec, err := r.storeChanged(ctx, t, WriteOptions{DryRun: dryRun}, obj, old, stored, kinds.Allocation{})
	if err != nil {
		return d, err
	}
	d.Record = rec
	return d, nil
}

// checkPreconditions compares what a DeleteOptions demands with the stored object.
func checkPreconditions(t Target, m metav1.Object, p *metav1.Preconditions) error {
	kind := schema.GroupResource{Group: t.Kind.Group, Resource: t.Kind.Kind}
	switch {
	case p == nil:
	case t.Kind.Precondition != "":
		if text := failedPrecondition(t.Kind.Precondition, m, p); text != "" {
			return apierrors.NewConflict(t.resource(), t.Name, errors.New(text))
		}
	case p.UID != nil && *p.UID != m.GetUID():
		return apierrors.NewConflict(kind, m.GetName(), fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, m.GetUID()))
	case p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion():
		return apierrors.NewConflict(kind, m.GetName(), fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, m.GetResourceVersion()))
	}
	return nil
}

// failedPrecondition says in the words of kube-apiserver's store which precondition does not hold; "" if all do.
func failedPrecondition(prefix string, m metav1.Object, p *metav1.Preconditions) string {
	switch {
	case p.UID != nil && *p.UID != m.GetUID():
		return fmt.Sprintf("%s: UID in precondition: %v, UID in object meta: %v", prefix, *p.UID, m.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion():
		return fmt.Sprintf("%s: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", prefix, *p.ResourceVersion, m.GetResourceVersion())
	}
	return ""
}

// grace sets the deletion time of a kind that is deleted gracefully, and the grace period in the options. pending
// says that the object waits already, and that this request changes nothing about it.
func (r *Registry) grace(ctx context.Context, t Target, obj runtime.Object, o *metav1.DeleteOptions) (graceful, pending bool) {
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		one := int64(1)
		o.GracePeriodSeconds = &one
	}
	strategy, ok := t.Kind.Strategy.(rest.RESTGracefulDeleteStrategy)
	if !ok {
		return false, false
	}
	m := objects.Meta(obj)
	if m.GetDeletionTimestamp() != nil {
		return r.shortenGrace(m, o.GracePeriodSeconds)
	}
	if !strategy.CheckGracefulDelete(ctx, obj, o) || o.GracePeriodSeconds == nil {
		return false, false
	}
	seconds := o.GracePeriodSeconds
	at := metav1.NewTime(r.Now().Add(time.Duration(*seconds) * time.Second).UTC())
	m.SetDeletionTimestamp(&at)
	m.SetDeletionGracePeriodSeconds(seconds)
	if m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	return true, false
}

// shortenGrace lets a second deletion end a grace period earlier, never later.
func (r *Registry) shortenGrace(m metav1.Object, wish *int64) (graceful, pending bool) {
	left := m.GetDeletionGracePeriodSeconds()
	if left == nil || *left == 0 {
		return false, false
	}
	if wish == nil || *wish >= *left {
		return false, true
	}
	seconds := *wish
	at := metav1.NewTime(m.GetDeletionTimestamp().Add(time.Duration(seconds-*left) * time.Second))
	if now := metav1.NewTime(r.Now().UTC()); at.Before(&now) {
		at = now
		seconds = min(seconds, 1)
	}
	m.SetDeletionTimestamp(&at)
	m.SetDeletionGracePeriodSeconds(&seconds)
	return true, false
}

// markDeleting begins the first phase of a deletion.
func markDeleting(m metav1.Object, now time.Time) {
	if m.GetDeletionTimestamp() == nil && m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	if at := m.GetDeletionTimestamp(); at == nil || at.After(now) {
		t := metav1.NewTime(now.UTC())
		m.SetDeletionTimestamp(&t)
	}
	zero := int64(0)
	m.SetDeletionGracePeriodSeconds(&zero)
}

// gcFinalizers are an object's finalizers with those that the propagation policy of its deletion asks for.
func gcFinalizers(ctx context.Context, k *kinds.Kind, have []string, o metav1.DeleteOptions) []string {
	orphan, foreground := propagation(ctx, k, have, o)
	var out []string
	for _, f := range have {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			out = append(out, f)
		}
	}
	if orphan {
		out = append(out, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		out = append(out, metav1.FinalizerDeleteDependents)
	}
	return out
}

// propagation says what becomes of dependents: the older option first, then the policy, then what the object's
// finalizers ask for already, then what the kind does by default.
func propagation(ctx context.Context, k *kinds.Kind, have []string, o metav1.DeleteOptions) (orphan, foreground bool) {
	policy := rest.DeleteDependents
	if s, ok := k.Strategy.(rest.GarbageCollectionDeleteStrategy); ok {
		policy = s.DefaultGarbageCollectionPolicy(ctx)
	}
	if policy == rest.Unsupported {
		return false, false
	}
	if o.OrphanDependents != nil {
		return *o.OrphanDependents, false
	}
	if o.PropagationPolicy != nil {
		return *o.PropagationPolicy == metav1.DeletePropagationOrphan, *o.PropagationPolicy == metav1.DeletePropagationForeground
	}
	i := slices.IndexFunc(have, func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if i < 0 {
		return policy == rest.OrphanDependents, false
	}
	return have[i] == metav1.FinalizerOrphanDependents, have[i] == metav1.FinalizerDeleteDependents
}

// deleteDamaged takes a row out of the store that no longer decodes, without looking at finalizers or at
// preconditions, which cannot be read, and without admission (API Concepts, "Force deletion"). An object that decodes
// is refused.
func (r *Registry) deleteDamaged(ctx context.Context, t Target, dryRun bool) (Deletion, error) {
	err := r.retry(ctx, t, func() error {
		found, _, err := r.Cache.Get(ctx, t.key(), 0)
		if err != nil {
			return interpret(err, t)
		}
		rec := found.Record()
		if _, err := objects.Decode(t.Kind, rec); err == nil {
			return decodable(t)
		}
		if dryRun {
			return nil
		}
		w := storage.Write{Op: storage.OpDelete, Key: rec.Key, Expect: rec.Revision, Since: t.Since}
		if _, err = r.commit(ctx, w, rec.Value); errors.Is(err, storage.ErrConflict) {
			return err
		}
		return interpret(err, t)
	})
	if err != nil {
		return Deletion{}, err
	}
	return Deletion{Deleted: true, Damaged: true}, nil
}

// decodable is the 409 of an unsafe deletion of a sound object.
func decodable(t Target) error {
	return storeConflict(t, "unsafe deletion is not allowed because the object is decodable from storage")
}
