package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validatePodSecurity(s *corev1.PodSecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateUser(s.RunAsUser, path.Child("runAsUser"))
	errs = append(errs, validateGroup(s.RunAsGroup, path.Child("runAsGroup"))...)
	errs = append(errs, validateGroup(s.FSGroup, path.Child("fsGroup"))...)
	for i := range s.SupplementalGroups {
		errs = append(errs, validateGroup(&s.SupplementalGroups[i], path.Child("supplementalGroups").Index(i))...)
	}
	if s.FSGroupChangePolicy != nil {
		errs = append(errs, oneOf(path.Child("fsGroupChangePolicy"), *s.FSGroupChangePolicy, corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch)...)
	}
	names := map[string]bool{}
	for i, sysctl := range s.Sysctls {
		at := path.Child("sysctls").Index(i).Child("name")
		errs = append(errs, required(at, sysctl.Name)...)
		if names[sysctl.Name] {
			errs = append(errs, field.Duplicate(at, sysctl.Name))
		}
		names[sysctl.Name] = true
	}
	return append(errs, validateSeccomp(s.SeccompProfile, path.Child("seccompProfile"))...)
}

func validateContainerSecurity(s *corev1.SecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateUser(s.RunAsUser, path.Child("runAsUser"))
	errs = append(errs, validateGroup(s.RunAsGroup, path.Child("runAsGroup"))...)
	if s.ProcMount != nil {
		errs = append(errs, oneOf(path.Child("procMount"), *s.ProcMount, corev1.DefaultProcMount, corev1.UnmaskedProcMount)...)
	}
	errs = append(errs, validateSeccomp(s.SeccompProfile, path.Child("seccompProfile"))...)
	if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
		return errs
	}
	if isTrue(s.Privileged) {
		errs = append(errs, field.Invalid(path, s, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
	}
	if s.Capabilities == nil {
		return errs
	}
	for _, c := range s.Capabilities.Add {
		if c == "CAP_SYS_ADMIN" {
			errs = append(errs, field.Invalid(path, s, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
		}
	}
	return errs
}

func validateUser(id *int64, path *field.Path) field.ErrorList {
	if id == nil {
		return nil
	}
	return numbered(path, *id, validation.IsValidUserID(*id))
}

func validateGroup(id *int64, path *field.Path) field.ErrorList {
	if id == nil {
		return nil
	}
	return numbered(path, *id, validation.IsValidGroupID(*id))
}

// numbered is named for a number.
func numbered(path *field.Path, value int64, reasons []string) field.ErrorList {
	var errs field.ErrorList
	for _, reason := range reasons {
		errs = append(errs, field.Invalid(path, value, reason))
	}
	return errs
}

func validateSeccomp(p *corev1.SeccompProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	local := path.Child("localhostProfile")
	switch p.Type {
	case "":
		return field.ErrorList{field.Required(path.Child("type"), "type is required when seccompProfile is set")}
	case corev1.SeccompProfileTypeLocalhost:
		if p.LocalhostProfile == nil {
			return field.ErrorList{field.Required(local, "must be set when seccomp type is Localhost")}
		}
		return validateDescendingPath(*p.LocalhostProfile, local)
	}
	if p.LocalhostProfile != nil {
		return field.ErrorList{field.Invalid(local, p, "can only be set when seccomp type is Localhost")}
	}
	return oneOf(path.Child("type"), p.Type, corev1.SeccompProfileTypeLocalhost,
		corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeUnconfined)
}
