package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (s *containerScope) validateMounts(c *corev1.Container, path *field.Path) field.ErrorList {
	names, devices := map[string]bool{}, map[string]bool{}
	for _, d := range c.VolumeDevices {
		names[d.Name], devices[d.DevicePath] = true, true
	}
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range c.VolumeMounts {
		at := path.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !s.volumes[m.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		errs = append(errs, required(at.Child("mountPath"), m.MountPath)...)
		if paths[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths[m.MountPath] = true
		if names[m.Name] {
			errs = append(errs, field.Invalid(at.Child("name"), m.Name, "must not already exist in volumeDevices"))
		}
		if devices[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must not already exist as a path in volumeDevices"))
		}
		errs = append(errs, validateSubPaths(&m, path, at)...)
		errs = append(errs, validatePropagation(m.MountPropagation, c, path.Child("mountPropagation"))...)
		errs = append(errs, validateRecursiveReadOnly(&m, path.Child("recursiveReadOnly"))...)
	}
	return errs
}

// validateSubPaths names the list, not the mount, where a path itself is wrong, as Kubernetes does.
func validateSubPaths(m *corev1.VolumeMount, list, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.SubPath != "" {
		errs = append(errs, validateDescendingPath(m.SubPath, list.Child("subPath"))...)
	}
	if m.SubPathExpr == "" {
		return errs
	}
	if m.SubPath != "" {
		errs = append(errs, field.Invalid(at.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
	}
	return append(errs, validateDescendingPath(m.SubPathExpr, list.Child("subPathExpr"))...)
}

// validateRecursiveReadOnly lets only a mount that is read-only be so all the way down.
func validateRecursiveReadOnly(m *corev1.VolumeMount, path *field.Path) field.ErrorList {
	if m.RecursiveReadOnly == nil || *m.RecursiveReadOnly == corev1.RecursiveReadOnlyDisabled {
		return nil
	}
	mode := *m.RecursiveReadOnly
	if mode != corev1.RecursiveReadOnlyEnabled && mode != corev1.RecursiveReadOnlyIfPossible {
		return field.ErrorList{field.NotSupported(path, mode, []corev1.RecursiveReadOnlyMode{
			corev1.RecursiveReadOnlyDisabled, corev1.RecursiveReadOnlyEnabled, corev1.RecursiveReadOnlyIfPossible})}
	}
	var errs field.ErrorList
	if !m.ReadOnly {
		errs = append(errs, field.Forbidden(path, "may only be specified when readOnly is true"))
	}
	if m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone {
		errs = append(errs, field.Forbidden(path, "may only be specified when mountPropagation is None or not specified"))
	}
	return errs
}

func validatePropagation(mode *corev1.MountPropagationMode, c *corev1.Container, path *field.Path) field.ErrorList {
	if mode == nil {
		return nil
	}
	privileged := c.SecurityContext != nil && isTrue(c.SecurityContext.Privileged)
	if *mode == corev1.MountPropagationBidirectional && !privileged {
		return field.ErrorList{field.Forbidden(path, "Bidirectional mount propagation is available only to privileged containers")}
	}
	return oneOf(path, *mode, corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer, corev1.MountPropagationNone)
}

func (s *containerScope) validateDevices(c *corev1.Container, path *field.Path) field.ErrorList {
	names, mounts := map[string]bool{}, map[string]bool{}
	for _, m := range c.VolumeMounts {
		names[m.Name], mounts[m.MountPath] = true, true
	}
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, d := range c.VolumeDevices {
		at := path.Index(i)
		errs = append(errs, required(at.Child("name"), d.Name)...)
		if d.Name != "" && !s.volumes[d.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), d.Name))
		}
		errs = append(errs, required(at.Child("devicePath"), d.DevicePath)...)
		if paths[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must be unique"))
		}
		paths[d.DevicePath] = true
		if names[d.Name] {
			errs = append(errs, field.Invalid(at.Child("name"), d.Name, "must not already exist in volumeMounts"))
		}
		if mounts[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts"))
		}
	}
	return errs
}
