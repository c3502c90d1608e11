package kinds

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// Bounds of what an attacher reports.
const (
	maxAttachmentMetadata = 256 << 10 // bytes, keys and values together
	maxVolumeErrorText    = 1024      // bytes
)

// volumeAttachment is the row of VolumeAttachment: that a volume is to be attached to a node.
func volumeAttachment() *Kind {
	return &Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"),
		Resource:         "volumeattachments",
		Singular:         "volumeattachment",
		New:              func() runtime.Object { return &storagev1.VolumeAttachment{} },
		NewList:          func() runtime.Object { return &storagev1.VolumeAttachmentList{} },
		Status:           true,
		StatusAlone:      true,
		ReturnDeleted:    true,
		Default: func(obj runtime.Object) {
			if inline := obj.(*storagev1.VolumeAttachment).Spec.Source.InlineVolumeSpec; inline != nil {
				roundToMilli(inline.Capacity)
				defaultVolumeOrigin(&inline.PersistentVolumeSource)
			}
		},
		Validate:       validateVolumeAttachment,
		ValidateCreate: validateNewAttachment,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			is, was := obj.(*storagev1.VolumeAttachment), old.(*storagev1.VolumeAttachment)
			return frozen(field.NewPath("spec"), is.Spec, was.Spec)
		},
		ValidateStatusUpdate: func(obj, _ runtime.Object) field.ErrorList { return validateVolumeAttachment(obj) },
		Printer:              table.Printer{Columns: volumeAttachmentColumns(), Cells: volumeAttachmentCells},
	}
}

func validateVolumeAttachment(obj runtime.Object) field.ErrorList {
	a := obj.(*storagev1.VolumeAttachment)
	spec, status := field.NewPath("spec"), field.NewPath("status")
	errs := validateAttacher(a.Spec.Attacher, spec.Child("attacher"))
	errs = append(errs, validateAttachmentSource(&a.Spec.Source, spec.Child("source"))...)
	errs = append(errs, named(spec.Child("nodeName"), a.Spec.NodeName, apivalidation.NameIsDNSSubdomain(a.Spec.NodeName, false))...)
	size := 0
	for key, value := range a.Status.AttachmentMetadata {
		size += len(key) + len(value)
	}
	if size > maxAttachmentMetadata {
		errs = append(errs, field.TooLong(status.Child("attachmentMetadata"), "", maxAttachmentMetadata))
	}
	errs = append(errs, validateVolumeError(a.Status.AttachError, status.Child("attachError"))...)
	return append(errs, validateVolumeError(a.Status.DetachError, status.Child("detachError"))...)
}

// validateAttacher checks the name of a CSI driver, in which capitals do not matter.
func validateAttacher(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > mostDriverName {
		errs = append(errs, field.TooLongCharacters(at, name, mostDriverName))
	}
	return append(errs, named(at, name, content.IsDNS1123SubdomainCaseless(name))...)
}

// validateAttachmentSource wants one volume: a PersistentVolume by its name, or one described in place.
func validateAttachmentSource(s *storagev1.VolumeAttachmentSource, at *field.Path) field.ErrorList {
	const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	switch {
	case s.InlineVolumeSpec == nil && s.PersistentVolumeName == nil:
		return field.ErrorList{field.Required(at, one)}
	case s.InlineVolumeSpec != nil && s.PersistentVolumeName != nil:
		return field.ErrorList{field.Forbidden(at, one)}
	case s.InlineVolumeSpec != nil:
		return validateInlineVolume(s.InlineVolumeSpec, at.Child("inlineVolumeSpec"))
	case *s.PersistentVolumeName == "":
		return field.ErrorList{field.Required(at.Child("persistentVolumeName"), "must specify non empty persistentVolumeName")}
	}
	return nil
}

// validateInlineVolume checks a volume that no PersistentVolume stands for: it is a CSI driver's, and nobody claims it.
func validateInlineVolume(s *corev1.PersistentVolumeSpec, at *field.Path) field.ErrorList {
	const inline = "in the context of inline volumes"
	var errs field.ErrorList
	if s.ClaimRef != nil {
		errs = append(errs, field.Forbidden(at.Child("claimRef"), "may not be specified "+inline))
	}
	if len(s.Capacity) > 0 {
		errs = append(errs, field.Forbidden(at.Child("capacity"), "may not be specified "+inline))
	}
	if s.CSI == nil {
		errs = append(errs, field.Required(at.Child("csi"), "has to be specified "+inline))
	}
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	errs = append(errs, validateAccessModes(s.AccessModes, at.Child("accessModes"))...)
	errs = append(errs, validateVolumeAffinity(s.NodeAffinity, at.Child("nodeAffinity"))...)
	errs = append(errs, validateVolumeOrigin(&s.PersistentVolumeSource, at)...)
	errs = append(errs, validateClassName(&s.StorageClassName, at.Child("storageClassName"))...)
	errs = append(errs, validateVolumeMode(s.VolumeMode, at.Child("volumeMode"))...)
	return append(errs, validateAttributesClass(s, at)...)
}

// validateNewAttachment asks more of the name of a volume than was once asked.
func validateNewAttachment(obj runtime.Object) field.ErrorList {
	name := obj.(*storagev1.VolumeAttachment).Spec.Source.PersistentVolumeName
	if name == nil {
		return nil
	}
	return named(field.NewPath("spec.source.persistentVolumeName"), *name, validation.IsDNS1123Subdomain(*name))
}

func validateVolumeError(e *storagev1.VolumeError, at *field.Path) field.ErrorList {
	if e == nil {
		return nil
	}
	var errs field.ErrorList
	if len(e.Message) > maxVolumeErrorText {
		errs = append(errs, field.TooLong(at.Child("message"), "", maxVolumeErrorText))
	}
	if e.ErrorCode != nil && *e.ErrorCode < 0 {
		errs = append(errs, field.Invalid(at.Child("errorCode"), *e.ErrorCode, validation.InclusiveRangeError(0, math.MaxInt32)))
	}
	return errs
}

func volumeAttachmentColumns() []metav1.TableColumnDefinition {
	spec := storagev1.VolumeAttachmentSpec{}.SwaggerDoc()
	attacher := column("Attacher", spec["attacher"])
	attacher.Format = "name"
	return []metav1.TableColumnDefinition{
		nameColumn(),
		attacher,
		column("PV", storagev1.VolumeAttachmentSource{}.SwaggerDoc()["persistentVolumeName"]),
		column("Node", spec["nodeName"]),
		typedColumn("Attached", "boolean", storagev1.VolumeAttachmentStatus{}.SwaggerDoc()["attached"]),
		ageColumn(),
	}
}

func volumeAttachmentCells(obj runtime.Object, now time.Time) []any {
	a := obj.(*storagev1.VolumeAttachment)
	volume := ""
	if name := a.Spec.Source.PersistentVolumeName; name != nil {
		volume = *name
	}
	return []any{a.Name, a.Spec.Attacher, volume, a.Spec.NodeName, a.Status.Attached, age(a.CreationTimestamp, now)}
}
