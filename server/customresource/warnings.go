package customresource

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
)

// finalizerWarnings tells of new finalizers that have no domain: other writers might choose the same.
func finalizerWarnings(obj, old runtime.Object) (warnings []string) {
	var had []string
	if old != nil {
		had = old.(metav1.Object).GetFinalizers()
	}
	added := slices.DeleteFunc(slices.Clone(obj.(metav1.Object).GetFinalizers()), func(f string) bool { return slices.Contains(had, f) })
	slices.Sort(added)
	for _, name := range slices.Compact(added) {
		for _, reason := range append(validation.IsQualifiedName(name), domainAdvice(name)...) {
			warnings = append(warnings, fmt.Sprintf("metadata.finalizers: %q: %s", name, reason))
		}
	}
	return warnings
}

func domainAdvice(finalizer string) []string {
	standard := []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes)}
	switch {
	case strings.Contains(finalizer, "/"), slices.Contains(standard, finalizer):
		return nil
	case strings.Contains(finalizer, "."):
		return []string{"prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"}
	}
	return []string{"prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"}
}
