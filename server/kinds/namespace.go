package kinds

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// namespace is the row of Namespace. Its spec.finalizers have a door of their own, the subresource finalize; through the
// main door they cannot change.
func namespace() *Kind {
	return &Kind{
		GroupVersionKind:       corev1.SchemeGroupVersion.WithKind("Namespace"),
		Resource:               "namespaces",
		Singular:               "namespace",
		ShortNames:             []string{"ns"},
		New:                    func() runtime.Object { return &corev1.Namespace{} },
		NewList:                func() runtime.Object { return &corev1.NamespaceList{} },
		UnconditionalUpdate:    true,
		ReturnDeleted:          true,
		Status:                 true,
		Default:                defaultNamespace,
		PrepareForCreate:       prepareNamespace,
		PrepareForUpdate:       keepNamespaceFinalizers,
		PrepareForStatusUpdate: keepNamespaceFinalizers,
		ValidateName:           apivalidation.ValidateNamespaceName,
		Validate:               validateNamespace,
		ValidateStatusUpdate:   validateNamespaceStatus,
		Fields: func(obj runtime.Object) fields.Set {
			ns := obj.(*corev1.Namespace)
			return fields.Set{"status.phase": string(ns.Status.Phase)}
		},
		FieldNames: []string{"status.phase"},
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Status", "The status of the namespace"), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				ns := obj.(*corev1.Namespace)
				return []any{ns.Name, string(ns.Status.Phase), age(ns.CreationTimestamp, now)}
			},
		},
	}
}

func defaultNamespace(obj runtime.Object) {
	ns := obj.(*corev1.Namespace)
	if ns.Status.Phase == "" {
		ns.Status.Phase = corev1.NamespaceActive
	}
	labelNamespace(ns)
}

// labelNamespace puts the namespace's own name among its labels, for selectors of network policies and webhooks. One
// with only a generateName gets its label after its name is made.
func labelNamespace(ns *corev1.Namespace) {
	if ns.Name == "" {
		return
	}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	ns.Labels[corev1.LabelMetadataName] = ns.Name
}

// prepareNamespace makes sure that a namespace cannot go before it is empty: that is what the finalizer holds.
func prepareNamespace(obj runtime.Object) {
	ns := obj.(*corev1.Namespace)
	ns.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	if !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
		ns.Spec.Finalizers = append(ns.Spec.Finalizers, corev1.FinalizerKubernetes)
	}
	labelNamespace(ns)
}

func keepNamespaceFinalizers(obj, old runtime.Object) {
	obj.(*corev1.Namespace).Spec.Finalizers = old.(*corev1.Namespace).Spec.Finalizers
}

func validateNamespace(obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec", "finalizers")
	for _, name := range obj.(*corev1.Namespace).Spec.Finalizers {
		errs = append(errs, validateFinalizer(string(name), path)...)
	}
	return errs
}

// validateFinalizer accepts the finalizers of Kubernetes itself, and others only with a domain.
func validateFinalizer(name string, path *field.Path) field.ErrorList {
	return append(apivalidation.ValidateFinalizerName(name, path), ValidateFinalizerDomain(name, path)...)
}

// ValidateFinalizerDomain refuses a finalizer that is neither one of Kubernetes' own nor has a domain. That it is a
// qualified name at all is checked elsewhere.
func ValidateFinalizerDomain(name string, path *field.Path) field.ErrorList {
	if strings.Contains(name, "/") || isStandardFinalizer(name) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")}
}

func isStandardFinalizer(name string) bool {
	switch name {
	case string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		return true
	}
	return false
}

// validateNamespaceStatus binds the phase to the deletion: Terminating means a deletionTimestamp, and the reverse.
func validateNamespaceStatus(obj, _ runtime.Object) field.ErrorList {
	ns := obj.(*corev1.Namespace)
	path := field.NewPath("status", "Phase")
	if ns.DeletionTimestamp.IsZero() {
		if ns.Status.Phase != corev1.NamespaceActive {
			return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Active' if `deletionTimestamp` is empty")}
		}
		return nil
	}
	if ns.Status.Phase != corev1.NamespaceTerminating {
		return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}
