package kinds

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validatePodSecurity(s *corev1.PodSecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateGroup(s.FSGroup, path.Child("fsGroup"))
	errs = append(errs, validateUser(s.RunAsUser, path.Child("runAsUser"))...)
	errs = append(errs, validateGroup(s.RunAsGroup, path.Child("runAsGroup"))...)
	for i := range s.SupplementalGroups {
		errs = append(errs, validateGroup(&s.SupplementalGroups[i], path.Child("supplementalGroups").Index(i))...)
	}
	errs = append(errs, validateSysctls(s.Sysctls, path.Child("sysctls"))...)
	if s.FSGroupChangePolicy != nil {
		errs = append(errs, oneOfStrict(path.Child("fsGroupChangePolicy"), *s.FSGroupChangePolicy, corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch)...)
	}
	errs = append(errs, validateSeccomp(s.SeccompProfile, path.Child("seccompProfile"))...)
	errs = append(errs, validateWindowsOptions(s.WindowsOptions, path.Child("windowsOptions"))...)
	errs = append(errs, validateAppArmor(s.AppArmorProfile, path.Child("appArmorProfile"))...)
	if s.SupplementalGroupsPolicy != nil {
		errs = append(errs, oneOfStrict(path.Child("supplementalGroupsPolicy"), *s.SupplementalGroupsPolicy,
			corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)...)
	}
	if s.SELinuxChangePolicy != nil {
		errs = append(errs, oneOfStrict(path.Child("seLinuxChangePolicy"), *s.SELinuxChangePolicy,
			corev1.SELinuxChangePolicyMountOption, corev1.SELinuxChangePolicyRecursive)...)
	}
	return errs
}

// sysctlName is how the kernel's settings are called, with dots or slashes between the parts.
var sysctlName = regexp.MustCompile(`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`)

const maxSysctl = 253

func validateSysctls(sysctls []corev1.Sysctl, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, sysctl := range sysctls {
		at := path.Index(i).Child("name")
		switch {
		case sysctl.Name == "":
			errs = append(errs, field.Required(at, ""))
		case len(sysctl.Name) > maxSysctl || !sysctlName.MatchString(sysctl.Name):
			errs = append(errs, field.Invalid(at, sysctl.Name, fmt.Sprintf("must have at most %d characters and match regex %s", maxSysctl, sysctlName)))
		case names[sysctl.Name]:
			errs = append(errs, field.Duplicate(at, sysctl.Name))
		}
		names[sysctl.Name] = true
	}
	return errs
}

func (s *containerScope) validateSecurity(c *corev1.SecurityContext, path *field.Path) field.ErrorList {
	if c == nil {
		return nil
	}
	errs := validateUser(c.RunAsUser, path.Child("runAsUser"))
	errs = append(errs, validateGroup(c.RunAsGroup, path.Child("runAsGroup"))...)
	if c.ProcMount != nil {
		errs = append(errs, oneOfStrict(path.Child("procMount"), *c.ProcMount, corev1.DefaultProcMount, corev1.UnmaskedProcMount)...)
		if *c.ProcMount == corev1.UnmaskedProcMount && (s.pod.HostUsers == nil || *s.pod.HostUsers) {
			errs = append(errs, field.Invalid(path.Child("procMount"), *c.ProcMount, "`hostUsers` must be false to use `Unmasked`"))
		}
	}
	errs = append(errs, validateSeccomp(c.SeccompProfile, path.Child("seccompProfile"))...)
	errs = append(errs, validateEscalation(c, path)...)
	errs = append(errs, validateWindowsOptions(c.WindowsOptions, path.Child("windowsOptions"))...)
	return append(errs, validateAppArmor(c.AppArmorProfile, path.Child("appArmorProfile"))...)
}

// validateEscalation checks that who may not gain privileges has not the greatest already.
func validateEscalation(s *corev1.SecurityContext, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
		return errs
	}
	if isTrue(s.Privileged) {
		errs = append(errs, field.Invalid(path, internalForm(s), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
	}
	if s.Capabilities == nil {
		return errs
	}
	for _, c := range s.Capabilities.Add {
		if c == "CAP_SYS_ADMIN" {
			errs = append(errs, field.Invalid(path, internalForm(s), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
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
	var errs field.ErrorList
	if p.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "type is required when seccompProfile is set"))
	} else {
		errs = append(errs, oneOf(path.Child("type"), p.Type, corev1.SeccompProfileTypeLocalhost,
			corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeUnconfined)...)
	}
	switch {
	case p.Type == corev1.SeccompProfileTypeLocalhost && p.LocalhostProfile == nil:
		errs = append(errs, field.Required(local, "must be set when seccomp type is Localhost"))
	case p.Type == corev1.SeccompProfileTypeLocalhost:
		errs = append(errs, validateDescendingPath(*p.LocalhostProfile, local)...)
	case p.LocalhostProfile != nil:
		errs = append(errs, field.Invalid(local, internalForm(p), "can only be set when seccomp type is Localhost"))
	}
	return errs
}

// maxAppArmorProfile is the longest path of a profile.
const maxAppArmorProfile = 4095

func validateAppArmor(p *corev1.AppArmorProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	local := path.Child("localhostProfile")
	switch p.Type {
	case corev1.AppArmorProfileTypeLocalhost:
		return validateAppArmorFile(p.LocalhostProfile, local)
	case corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined:
		if p.LocalhostProfile != nil {
			return field.ErrorList{field.Invalid(local, *p.LocalhostProfile, "can only be set when AppArmor type is Localhost")}
		}
		return nil
	case "":
		return field.ErrorList{field.Required(path.Child("type"), "type is required when appArmorProfile is set")}
	}
	return oneOf(path.Child("type"), p.Type, corev1.AppArmorProfileTypeLocalhost,
		corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined)
}

func validateAppArmorFile(file *string, path *field.Path) field.ErrorList {
	if file == nil || *file == "" {
		return field.ErrorList{field.Required(path, "must be set when AppArmor type is Localhost")}
	}
	var errs field.ErrorList
	if strings.TrimSpace(*file) != *file {
		errs = append(errs, field.Invalid(path, *file, "must not be padded with whitespace"))
	}
	if len(*file) > maxAppArmorProfile {
		errs = append(errs, field.TooLong(path, "", maxAppArmorProfile))
	}
	return errs
}
