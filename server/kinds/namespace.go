package kinds

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
)

// namespaceRow is the row of Namespace. Its spec.finalizers hold it until it is empty; they change through the subresource
// finalize alone.
func namespaceRow() *Kind {
	k := row{
		gvk: gvk("", "v1", "Namespace"), resource: "namespaces", singular: "namespace", shortNames: []string{"ns"},
		strategy: namespace.Strategy, status: namespace.StatusStrategy, attributes: namespace.GetAttrs,
		subresources: map[string]rest.RESTUpdateStrategy{"finalize": namespace.FinalizeStrategy},
		tableless:    []string{"finalize"}, returnDeleted: true,
	}.kind()
	k.OneByOne = true
	k.BeginDelete, k.Precondition = holdNamespace, "Precondition failed"
	k.Holds = func(obj runtime.Object) bool { return len(obj.(*core.Namespace).Spec.Finalizers) > 0 }
	return k
}

// holdNamespace does what the deletion of a namespace does before it may be removed, and reports whether that is all:
// the first deletion makes it Terminating, and those that follow wait for its own finalizers. When these are gone, it
// is deleted like any other object.
func holdNamespace(obj runtime.Object, o metav1.DeleteOptions, now time.Time) (held bool) {
	ns := obj.(*core.Namespace)
	if ns.DeletionTimestamp != nil {
		return len(ns.Spec.Finalizers) > 0
	}
	at := metav1.NewTime(now.UTC())
	ns.DeletionTimestamp = &at
	ns.Status.Phase = core.NamespaceTerminating
	propagate(ns, o, metav1.DeletePropagationOrphan, metav1.FinalizerOrphanDependents)
	propagate(ns, o, metav1.DeletePropagationForeground, metav1.FinalizerDeleteDependents)
	return true
}

// propagate adds the finalizer of a policy if a deletion asks for that policy, and removes it if it asks for another.
// For a namespace, unlike other kinds, orphanDependents=false means the foreground.
func propagate(ns *core.Namespace, o metav1.DeleteOptions, policy metav1.DeletionPropagation, finalizer string) {
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
