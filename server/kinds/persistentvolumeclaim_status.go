package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// resizeStates are the steps in which a volume grows.
var resizeStates = []corev1.ClaimResourceStatus{
	corev1.PersistentVolumeClaimControllerResizeInProgress,
	corev1.PersistentVolumeClaimControllerResizeInfeasible,
	corev1.PersistentVolumeClaimNodeResizeInProgress,
	corev1.PersistentVolumeClaimNodeResizeInfeasible,
	corev1.PersistentVolumeClaimNodeResizePending,
}

// validateClaimStatusUpdate checks what the binder and the resizer report.
func validateClaimStatusUpdate(obj, _ runtime.Object) field.ErrorList {
	s := &obj.(*corev1.PersistentVolumeClaim).Status
	path := field.NewPath("status")
	errs := validateBasicAmounts(s.Capacity, path.Child("capacity"))
	at := path.Child("allocatedResourceStatuses")
	for name, state := range s.AllocatedResourceStatuses {
		errs = append(errs, validateClaimResource(name, at)...)
		if !slices.Contains(resizeStates, state) {
			errs = append(errs, field.NotSupported(at, name, resizeStates))
		}
	}
	at = path.Child("allocatedResources")
	for _, name := range sortedResources(s.AllocatedResources) {
		errs = append(errs, validateClaimResource(name, at)...)
	}
	return append(errs, validateBasicAmounts(s.AllocatedResources, at)...)
}

// validateBasicAmounts only refuses what is below zero.
func validateBasicAmounts(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedResources(list) {
		if q := list[name]; q.Value() < 0 {
			errs = append(errs, field.Invalid(path.Key(string(name)), q.Value(), "must be a valid resource quantity"))
		}
	}
	return errs
}

// validateClaimResource knows of a claim storage alone; other resources carry the domain of whoever provides them.
func validateClaimResource(name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := named(path, string(name), validation.IsQualifiedName(string(name)))
	if len(errs) == 0 && isNative(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.NotSupported(path, name, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	return errs
}
