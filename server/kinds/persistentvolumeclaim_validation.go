package kinds

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateClaim(obj runtime.Object) field.ErrorList {
	return validateClaimSpec(&obj.(*corev1.PersistentVolumeClaim).Spec, field.NewPath("spec"))
}

func validateClaimSpec(s *corev1.PersistentVolumeClaimSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(path.Child("accessModes"), "at least 1 access mode is required"))
	}
	if s.Selector != nil {
		errs = append(errs, validateSelector(s.Selector, path.Child("selector"))...)
	}
	errs = append(errs, validateAccessModes(s.AccessModes, path.Child("accessModes"))...)
	at := path.Child("resources").Key(string(corev1.ResourceStorage))
	if q, ok := s.Resources.Requests[corev1.ResourceStorage]; ok {
		errs = append(errs, validatePositive(q, at)...)
	} else {
		errs = append(errs, field.Required(at, ""))
	}
	errs = append(errs, validateClassName(s.StorageClassName, path.Child("storageClassName"))...)
	errs = append(errs, validateVolumeMode(s.VolumeMode, path.Child("volumeMode"))...)
	errs = append(errs, validateDataSources(s, path)...)
	return append(errs, validateClassName(s.VolumeAttributesClassName, path.Child("volumeAttributesClassName"))...)
}

// validateAccessModes checks the modes of a volume or claim. A volume for one pod alone is for no one else.
func validateAccessModes(modes []corev1.PersistentVolumeAccessMode, path *field.Path) field.ErrorList {
	known := []corev1.PersistentVolumeAccessMode{
		corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod}
	var errs field.ErrorList
	onePod, more := false, false
	for _, mode := range modes {
		if !slices.Contains(known, mode) {
			errs = append(errs, field.NotSupported(path, mode, known))
			continue
		}
		onePod = onePod || mode == corev1.ReadWriteOncePod
		more = more || mode != corev1.ReadWriteOncePod
	}
	if onePod && more {
		errs = append(errs, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func validatePositive(q resource.Quantity, path *field.Path) field.ErrorList {
	if q.Sign() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, q.String(), "must be greater than zero")}
}

// validateClassName checks the name of a class, of which nil and the empty one say that there is none.
func validateClassName(name *string, path *field.Path) field.ErrorList {
	if name == nil || *name == "" {
		return nil
	}
	return named(path, *name, apivalidation.NameIsDNSSubdomain(*name, false))
}

func validateVolumeMode(mode *corev1.PersistentVolumeMode, path *field.Path) field.ErrorList {
	known := []corev1.PersistentVolumeMode{corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem}
	if mode == nil || slices.Contains(known, *mode) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, *mode, known)}
}

// validateDataSources checks what a claim is to be filled from, and that both fields for it say the same.
func validateDataSources(s *corev1.PersistentVolumeClaimSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if from := s.DataSource; from != nil {
		errs = append(errs, validateDataSource(from.APIGroup, from.Kind, from.Name, path.Child("dataSource"))...)
	}
	ref := s.DataSourceRef
	if ref != nil {
		errs = append(errs, validateDataSource(ref.APIGroup, ref.Kind, ref.Name, path.Child("dataSourceRef"))...)
	}
	if isForeign(ref) {
		at := path.Child("dataSourceRef", "namespace")
		errs = append(errs, named(at, *ref.Namespace, apivalidation.ValidateNamespaceName(*ref.Namespace, false))...)
	}
	switch from := s.DataSource; {
	case from == nil || ref == nil:
	case isForeign(ref):
		errs = append(errs, field.Invalid(path, path.Child("dataSource"), "may not be specified when dataSourceRef.namespace is specified"))
	case !samePointed(from.APIGroup, ref.APIGroup) || from.Kind != ref.Kind || from.Name != ref.Name:
		errs = append(errs, field.Invalid(path, path.Child("dataSource"), "must match dataSourceRef"))
	}
	return errs
}

func validateDataSource(group *string, kind, name string, path *field.Path) field.ErrorList {
	errs := append(required(path.Child("name"), name), required(path.Child("kind"), kind)...)
	if group != nil && *group != "" {
		return append(errs, named(path.Child("apiGroup"), *group, validation.IsDNS1123Subdomain(*group))...)
	}
	if kind != "PersistentVolumeClaim" {
		errs = append(errs, field.Invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
	}
	return errs
}

// validateClaimUpdate lets a claim change once in its volume and its class, and when bound in how much it asks for.
func validateClaimUpdate(obj, old runtime.Object) field.ErrorList {
	c, was := obj.(*corev1.PersistentVolumeClaim), old.(*corev1.PersistentVolumeClaim)
	path := field.NewPath("spec")
	masked, before := maskClaim(c, was)
	var errs field.ErrorList
	if c.Annotations[corev1.BetaStorageClassAnnotation] != was.Annotations[corev1.BetaStorageClassAnnotation] && !movesClass(c, was) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "annotations", corev1.BetaStorageClassAnnotation),
			c.Annotations[corev1.BetaStorageClassAnnotation], "field is immutable"))
	}
	if !equality.Semantic.DeepEqual(*masked, *before) {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("spec is immutable after creation except resources.requests and "+
			"volumeAttributesClassName for bound claims\n%v", diff.Diff(internalForm(*before), internalForm(*masked)))))
	}
	size, held := c.Spec.Resources.Requests.Storage(), was.Status.Capacity.Storage()
	if size.Cmp(*was.Spec.Resources.Requests.Storage()) < 0 && size.Cmp(*held) <= 0 {
		errs = append(errs, field.Forbidden(path.Child("resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	errs = append(errs, apivalidation.ValidateImmutableField(c.Spec.VolumeMode, was.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	return append(errs, validateAttributesClassUpdate(c.Spec.VolumeAttributesClassName, was,
		path.Child("volumeAttributesClassName"))...)
}

// maskClaim returns both specs made alike in what may change.
func maskClaim(c, was *corev1.PersistentVolumeClaim) (masked, before *corev1.PersistentVolumeClaimSpec) {
	masked, before = c.Spec.DeepCopy(), was.Spec.DeepCopy()
	if before.VolumeName == "" {
		before.VolumeName = masked.VolumeName
	}
	beta, hasBeta := was.Annotations[corev1.BetaStorageClassAnnotation]
	if before.StorageClassName == nil && masked.StorageClassName != nil && (!hasBeta || *masked.StorageClassName == beta) {
		masked.StorageClassName = nil
	}
	if c.Status.Phase == corev1.ClaimBound && masked.Resources.Requests != nil {
		masked.Resources.Requests[corev1.ResourceStorage] = *before.Resources.Requests.Storage()
	}
	if c.Status.Phase == corev1.ClaimBound {
		masked.VolumeAttributesClassName = before.VolumeAttributesClassName
	}
	return masked, before
}

// movesClass tells whether an update writes the class of the old annotation into the field, after which the annotation
// may go.
func movesClass(c, was *corev1.PersistentVolumeClaim) bool {
	beta, had := was.Annotations[corev1.BetaStorageClassAnnotation]
	is, has := c.Annotations[corev1.BetaStorageClassAnnotation]
	class := c.Spec.StorageClassName
	return had && was.Spec.StorageClassName == nil && class != nil && *class == beta && (!has || is == beta)
}

// validateAttributesClassUpdate lets a class be taken back only as long as none is in effect.
func validateAttributesClassUpdate(is *string, was *corev1.PersistentVolumeClaim, path *field.Path) field.ErrorList {
	if was.Status.CurrentVolumeAttributesClassName == nil || equality.Semantic.DeepEqual(is, was.Spec.VolumeAttributesClassName) {
		return nil
	}
	const inEffect = " is forbidden when status.currentVolumeAttributesClassName is not nil"
	switch {
	case is == nil:
		return field.ErrorList{field.Forbidden(path, "update to nil"+inEffect)}
	case *is == "":
		return field.ErrorList{field.Forbidden(path, "update to empty string"+inEffect)}
	}
	return nil
}
