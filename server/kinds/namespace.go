package kinds

import (
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
		subresources:  map[string]rest.RESTUpdateStrategy{"finalize": namespace.FinalizeStrategy},
		returnDeleted: true,
	}.kind()
	k.BeginDelete = holdNamespace
	k.Holds = func(obj runtime.Object) bool { return len(obj.(*core.Namespace).Spec.Finalizers) > 0 }
	return k
}

// holdNamespace begins the deletion of a namespace that its own finalizers still hold.
func holdNamespace(obj runtime.Object, now time.Time) bool {
	ns := obj.(*core.Namespace)
	if len(ns.Spec.Finalizers) == 0 {
		return false
	}
	if ns.DeletionTimestamp == nil {
		at := metav1.NewTime(now.UTC())
		ns.DeletionTimestamp = &at
	}
	ns.Status.Phase = core.NamespaceTerminating
	return true
}
