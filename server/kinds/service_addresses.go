package kinds

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

var (
	ipFamilies     = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	familyPolicies = []corev1.IPFamilyPolicy{
		corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack, corev1.IPFamilyPolicySingleStack,
	}
)

// validateClusterIPs checks clusterIP, clusterIPs and the families against each other.
func validateClusterIPs(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	if spec.Type == corev1.ServiceTypeExternalName {
		return nil // validateExternalName wants them all empty
	}
	ips := path.Child("clusterIPs")
	errs := validateFirstIP(spec, ips)
	errs = append(errs, validateFamilies(spec, path)...)
	wellFormed := validateIPForms(spec.ClusterIPs, ips)
	errs = append(errs, wellFormed...)
	if len(spec.ClusterIPs) > 2 {
		errs = append(errs, field.Invalid(ips, spec.ClusterIPs, "may only hold up to 2 values"))
	}
	if len(wellFormed) > 0 {
		return errs // what follows reads the addresses
	}
	if dual, err := netutils.IsDualStackIPStrings(spec.ClusterIPs); len(spec.ClusterIPs) > 1 && (err != nil || !dual) {
		errs = append(errs, field.Invalid(ips, spec.ClusterIPs, "may specify no more than one IP for each IP family"))
	}
	if spec.ClusterIP == noClusterIP {
		return errs
	}
	return append(errs, validateIPsInFamilies(spec, ips)...)
}

func validateFirstIP(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	switch {
	case spec.ClusterIP == "" && len(spec.ClusterIPs) > 0:
		return field.ErrorList{field.Invalid(path, spec.ClusterIPs, "must be empty when `clusterIP` is not specified")}
	case spec.ClusterIP != "" && len(spec.ClusterIPs) == 0:
		return field.ErrorList{field.Required(path, "")}
	case spec.ClusterIP != "" && spec.ClusterIPs[0] != spec.ClusterIP:
		return field.ErrorList{field.Invalid(path, spec.ClusterIPs, "first value must match `clusterIP`")}
	}
	return nil
}

func validateFamilies(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, family := range spec.IPFamilies {
		at := path.Child("ipFamilies").Index(i)
		if !slices.Contains(ipFamilies, family) {
			errs = append(errs, field.NotSupported(at, family, ipFamilies))
		}
		if slices.Contains(spec.IPFamilies[:i], family) {
			errs = append(errs, field.Duplicate(at, family))
		}
	}
	if p := spec.IPFamilyPolicy; p != nil && !slices.Contains(familyPolicies, *p) {
		errs = append(errs, field.NotSupported(path.Child("ipFamilyPolicy"), p, familyPolicies))
	}
	return errs
}

// validateIPForms accepts addresses, or the one word None.
func validateIPForms(ips []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, ip := range ips {
		if i == 0 && ip == noClusterIP {
			if len(ips) > 1 {
				errs = append(errs, field.Invalid(path, ips, "'None' must be the first and only value"))
			}
			continue
		}
		errs = append(errs, validation.IsValidIPForLegacyField(path.Index(i), ip, true, nil)...)
	}
	return errs
}

func validateIPsInFamilies(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range min(len(spec.ClusterIPs), len(spec.IPFamilies)) {
		ip, family := spec.ClusterIPs[i], spec.IPFamilies[i]
		if slices.Contains(ipFamilies, family) && family != familyOf(ip) {
			errs = append(errs, field.Invalid(path.Index(i), ip,
				fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", family, i)))
		}
	}
	return errs
}

func familyOf(ip string) corev1.IPFamily {
	if netutils.IsIPv6String(ip) {
		return corev1.IPv6Protocol
	}
	return corev1.IPv4Protocol
}

func validateExternalIPs(ips []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, ip := range ips {
		if bad := validation.IsValidIPForLegacyField(path.Index(i), ip, true, nil); len(bad) > 0 {
			errs = append(errs, bad...)
			continue
		}
		errs = append(errs, validateReachableIP(ip, path.Index(i))...)
	}
	return errs
}

// validateReachableIP refuses addresses that mean something else on each machine.
func validateReachableIP(text string, path *field.Path) field.ErrorList {
	ip := netutils.ParseIPSloppy(text)
	why := ""
	switch {
	case ip == nil:
		why = "must be a valid IP address"
	case ip.IsUnspecified():
		why = fmt.Sprintf("may not be unspecified (%v)", text)
	case ip.IsLoopback():
		why = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
	case ip.IsLinkLocalUnicast():
		why = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
	case ip.IsLinkLocalMulticast():
		why = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(path, text, why)}
}
