package kinds

import (
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateVolume(obj runtime.Object) field.ErrorList {
	s := &obj.(*corev1.PersistentVolume).Spec
	at := field.NewPath("spec")
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	errs = append(errs, validateAccessModes(s.AccessModes, at.Child("accessModes"))...)
	errs = append(errs, validateCapacity(s.Capacity, at.Child("capacity"))...)
	errs = append(errs, validateReclaim(s, at.Child("persistentVolumeReclaimPolicy"))...)
	errs = append(errs, validateVolumeAffinity(s.NodeAffinity, at.Child("nodeAffinity"))...)
	errs = append(errs, validateVolumeOrigin(&s.PersistentVolumeSource, at)...)
	if s.Local != nil && (s.NodeAffinity == nil || s.NodeAffinity.Required == nil) {
		errs = append(errs, field.Required(at.Child("nodeAffinity"), "Local volume requires node affinity"))
	}
	errs = append(errs, validateClassName(&s.StorageClassName, at.Child("storageClassName"))...)
	errs = append(errs, validateVolumeMode(s.VolumeMode, at.Child("volumeMode"))...)
	return append(errs, validateAttributesClass(s, at)...)
}

// validateCapacity wants the size of the volume, and nothing else.
func validateCapacity(list corev1.ResourceList, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(list) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	if _, ok := list[corev1.ResourceStorage]; !ok || len(list) > 1 {
		errs = append(errs, field.NotSupported(at, list, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	errs = append(errs, validateBasicAmounts(list, at)...)
	for _, name := range sortedResources(list) {
		errs = append(errs, validatePositive(list[name], at.Key(string(name)))...)
	}
	return errs
}

func validateReclaim(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	known := []corev1.PersistentVolumeReclaimPolicy{
		corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRecycle, corev1.PersistentVolumeReclaimRetain}
	policy := s.PersistentVolumeReclaimPolicy
	var errs field.ErrorList
	if policy != "" && !slices.Contains(known, policy) {
		errs = append(errs, field.NotSupported(at, policy, known))
	}
	if s.HostPath != nil && path.Clean(s.HostPath.Path) == "/" && policy == corev1.PersistentVolumeReclaimRecycle {
		errs = append(errs, field.Forbidden(at, "may not be 'recycle' for a hostPath mount of '/'"))
	}
	return errs
}

func validateVolumeAffinity(a *corev1.VolumeNodeAffinity, at *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	at = at.Child("required")
	if a.Required == nil {
		return field.ErrorList{field.Required(at, "must specify required node constraints")}
	}
	terms := at.Child("nodeSelectorTerms")
	if len(a.Required.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(terms, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i := range a.Required.NodeSelectorTerms {
		errs = append(errs, validateNodeTerm(&a.Required.NodeSelectorTerms[i], terms.Index(i))...)
	}
	return errs
}

// validateAttributesClass checks a class that only the volumes of a CSI driver can have.
func validateAttributesClass(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	name := s.VolumeAttributesClassName
	if name == nil {
		return nil
	}
	errs := validateClassName(name, at.Child("volumeAttributesClassName"))
	if *name == "" {
		errs = append(errs, field.Required(at.Child("volumeAttributesClassName"), "an empty string is disallowed"))
	}
	if s.CSI == nil {
		errs = append(errs, field.Required(at.Child("csi"), "has to be specified when using volumeAttributesClassName"))
	}
	return errs
}

// validateVolumeUpdate keeps what a volume is; a secret for its growth may come later.
func validateVolumeUpdate(obj, old runtime.Object) field.ErrorList {
	spec, was := &obj.(*corev1.PersistentVolume).Spec, &old.(*corev1.PersistentVolume).Spec
	source := spec.PersistentVolumeSource
	if was.CSI != nil && was.CSI.ControllerExpandSecretRef == nil && source.CSI != nil {
		source.CSI = source.CSI.DeepCopy()
		source.CSI.ControllerExpandSecretRef = nil
	}
	var errs field.ErrorList
	if !equality.Semantic.DeepEqual(source, was.PersistentVolumeSource) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "persistentvolumesource"), fmt.Sprintf(
			"spec.persistentvolumesource is immutable after creation\n%v", diff.Diff(internalForm(was.PersistentVolumeSource), internalForm(source)))))
	}
	errs = append(errs, apivalidation.ValidateImmutableField(spec.VolumeMode, was.VolumeMode, field.NewPath("volumeMode"))...)
	if was.NodeAffinity != nil {
		errs = append(errs, validateVolumeNodes(spec.NodeAffinity, was.NodeAffinity)...)
	}
	if was.VolumeAttributesClassName != nil && spec.VolumeAttributesClassName == nil {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// validateVolumeNodes keeps a volume on the nodes that can reach it.
func validateVolumeNodes(is, was *corev1.VolumeNodeAffinity) field.ErrorList {
	if equality.Semantic.DeepEqual(is, was) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("nodeAffinity"), internalForm(is),
		"field is immutable, except for updating from beta label to GA")}
}
