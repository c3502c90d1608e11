package registry

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// beginNamespaceDelete does what the deletion of a namespace does before it may be removed, and tells whether that is all:
// the first deletion makes it Terminating, and those that follow wait for its own finalizers. When these are gone, it is
// deleted like any other object.
func beginNamespaceDelete(ns *corev1.Namespace, o metav1.DeleteOptions, now time.Time) (held bool) {
	if ns.DeletionTimestamp != nil {
		return len(ns.Spec.Finalizers) > 0
	}
	at := metav1.NewTime(now.UTC())
	ns.DeletionTimestamp = &at
	ns.Status.Phase = corev1.NamespaceTerminating
	propagate(ns, o, metav1.DeletePropagationOrphan, metav1.FinalizerOrphanDependents)
	propagate(ns, o, metav1.DeletePropagationForeground, metav1.FinalizerDeleteDependents)
	return true
}

// propagate makes the finalizer of a policy be there if a deletion asks for that policy, and go if it asks for another. A
// namespace takes orphanDependents=false for the foreground, unlike other kinds.
func propagate(ns *corev1.Namespace, o metav1.DeleteOptions, policy metav1.DeletionPropagation, finalizer string) {
	have := slices.Contains(ns.Finalizers, finalizer)
	want := have
	switch {
	case o.OrphanDependents != nil:
		want = *o.OrphanDependents == (policy == metav1.DeletePropagationOrphan)
	case o.PropagationPolicy != nil:
		want = *o.PropagationPolicy == policy
	}
	switch {
	case want && !have:
		ns.Finalizers = append(ns.Finalizers, finalizer)
	case have && !want:
		ns.Finalizers = slices.DeleteFunc(ns.Finalizers, func(f string) bool { return f == finalizer })
	}
}

// namespacePreconditions is checkPreconditions in the words that a namespace has for it.
func namespacePreconditions(t Target, m metav1.Object, p *metav1.Preconditions) error {
	switch {
	case p.UID != nil && *p.UID != m.GetUID():
		return apierrors.NewConflict(t.resource(), t.Name, fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", *p.UID, m.GetUID())) //nolint:staticcheck // the official text
	case p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion():
		return apierrors.NewConflict(t.resource(), t.Name, fmt.Errorf("Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", *p.ResourceVersion, m.GetResourceVersion())) //nolint:staticcheck // the official text
	}
	return nil
}
