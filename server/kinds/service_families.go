package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fillFamilies decides ipFamilies for a cluster whose only family is IPv4, and refuses families that such a cluster
// does not have. was is nil at a create.
func fillFamilies(spec, was *corev1.ServiceSpec) *field.Error {
	path := field.NewPath("spec")
	open := isOpen(spec)
	if was != nil && isSingleStack(spec) {
		dropSecond(spec, was)
	}
	if err := refuseSecond(spec, path); err != nil {
		return err
	}
	if err := inferFamilies(spec, path); err != nil {
		return err
	}
	if open {
		fillOpenFamilies(spec)
		return nil
	}
	return refuseOtherFamilies(spec, path)
}

// staysPreferred reports whether an update changes nothing that a Service of either family needs looked at.
func staysPreferred(spec, was *corev1.ServiceSpec) bool {
	prefers := func(p *corev1.IPFamilyPolicy) bool { return p != nil && *p == corev1.IPFamilyPolicyPreferDualStack }
	return prefers(spec.IPFamilyPolicy) && (was.IPFamilyPolicy == nil || prefers(was.IPFamilyPolicy)) && spec.Type == was.Type &&
		(spec.Type == corev1.ServiceTypeClusterIP || hasNodePorts(spec.Type)) &&
		slices.Equal(spec.ClusterIPs, was.ClusterIPs) && slices.Equal(spec.IPFamilies, was.IPFamilies)
}

// isOpen reports whether a Service is headless and without selector: it may have endpoints of both families, as they are
// not assigned here.
func isOpen(spec *corev1.ServiceSpec) bool {
	return spec.ClusterIP == noClusterIP && len(spec.Selector) == 0
}

// fillFamilyPolicy takes the policy from before, if any.
func fillFamilyPolicy(spec, was *corev1.ServiceSpec) {
	if spec.IPFamilyPolicy != nil {
		return
	}
	switch {
	case was != nil && was.IPFamilyPolicy != nil:
		spec.IPFamilyPolicy = new(*was.IPFamilyPolicy)
	case isOpen(spec):
		spec.IPFamilyPolicy = new(corev1.IPFamilyPolicyRequireDualStack)
	default:
		spec.IPFamilyPolicy = new(corev1.IPFamilyPolicySingleStack)
	}
}

// dropSecond makes a Service single-stack again: after a change of the policy it shortens the lists.
func dropSecond(spec, was *corev1.ServiceSpec) {
	if len(spec.ClusterIPs) > 1 && slices.Equal(spec.ClusterIPs, was.ClusterIPs) {
		spec.ClusterIPs = spec.ClusterIPs[:1]
	}
	if len(spec.IPFamilies) > 1 && slices.Equal(spec.IPFamilies, was.IPFamilies) {
		spec.IPFamilies = spec.IPFamilies[:1]
	}
}

func refuseSecond(spec *corev1.ServiceSpec, path *field.Path) *field.Error {
	if !isSingleStack(spec) {
		return nil
	}
	policy := path.Child("ipFamilyPolicy")
	if len(spec.ClusterIPs) == 2 {
		return field.Invalid(policy, spec.IPFamilyPolicy,
			"must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified")
	}
	if len(spec.IPFamilies) == 2 {
		return field.Invalid(policy, spec.IPFamilyPolicy,
			"must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
	}
	return nil
}

// inferFamilies reads the families that were not stated from the addresses that were.
func inferFamilies(spec *corev1.ServiceSpec, path *field.Path) *field.Error {
	if isHeadless(spec) {
		return nil
	}
	for i := len(spec.IPFamilies); i < len(spec.ClusterIPs); i++ {
		family := familyOf(spec.ClusterIPs[i])
		if family != corev1.IPv4Protocol {
			return field.Invalid(path.Child("clusterIPs").Index(i), spec.ClusterIPs,
				string(family)+" is not configured on this cluster")
		}
		spec.IPFamilies = append(spec.IPFamilies, family)
	}
	return nil
}

// fillOpenFamilies gives a headless Service without selector both families, unless it wants one.
func fillOpenFamilies(spec *corev1.ServiceSpec) {
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	if len(spec.IPFamilies) > 1 || isSingleStack(spec) {
		return
	}
	other := corev1.IPv6Protocol
	if spec.IPFamilies[0] == corev1.IPv6Protocol {
		other = corev1.IPv4Protocol
	}
	spec.IPFamilies = append(spec.IPFamilies, other)
}

func refuseOtherFamilies(spec *corev1.ServiceSpec, path *field.Path) *field.Error {
	if *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack {
		return field.Invalid(path.Child("ipFamilyPolicy"), spec.IPFamilyPolicy,
			"this cluster is not configured for dual-stack services")
	}
	for i, family := range spec.IPFamilies {
		if family != corev1.IPv4Protocol {
			return field.Invalid(path.Child("ipFamilies").Index(i), family, "not configured on this cluster")
		}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	return nil
}
