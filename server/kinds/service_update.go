package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

const onceSet = "may not change once set"

// validateServiceUpdate keeps the first cluster IP and family for good, unless the Service was or becomes an
// ExternalName. A second one may come and go.
func validateServiceUpdate(obj, old runtime.Object) field.ErrorList {
	spec, was := &obj.(*corev1.Service).Spec, &old.(*corev1.Service).Spec
	path := field.NewPath("spec")
	errs := validateClusterIPChange(spec, was, path)
	errs = append(errs, validateFamilyChange(spec, was, path)...)
	balanced := was.Type == corev1.ServiceTypeLoadBalancer && spec.Type == corev1.ServiceTypeLoadBalancer
	if balanced && !samePointed(spec.LoadBalancerClass, was.LoadBalancerClass) {
		errs = append(errs, field.Invalid(path.Child("loadBalancerClass"), spec.LoadBalancerClass, onceSet))
	}
	if needsHealthPort(was) && needsHealthPort(spec) && spec.HealthCheckNodePort != was.HealthCheckNodePort {
		errs = append(errs, field.Forbidden(path.Child("healthCheckNodePort"), "field is immutable"))
	}
	return errs
}

func isHeadless(spec *corev1.ServiceSpec) bool {
	return len(spec.ClusterIPs) == 1 && spec.ClusterIPs[0] == noClusterIP
}

func isExternalName(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeExternalName
}

func validateClusterIPChange(spec, was *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	if isExternalName(spec) || isExternalName(was) || (isHeadless(spec) && isHeadless(was)) {
		return nil
	}
	ips := path.Child("clusterIPs")
	if len(was.ClusterIPs) > 0 && len(spec.ClusterIPs) == 0 {
		return field.ErrorList{field.Invalid(ips.Index(0), spec.ClusterIPs, "primary clusterIP can not be unset")}
	}
	var errs field.ErrorList
	for _, i := range changed(was.ClusterIPs, spec.ClusterIPs) {
		errs = append(errs, field.Invalid(ips.Index(i), spec.ClusterIPs, onceSet))
	}
	if len(was.ClusterIPs) > 1 && len(spec.ClusterIPs) == 1 && !isSingleStack(spec) {
		errs = append(errs, field.Invalid(path.Child("ipFamilyPolicy"), spec.IPFamilyPolicy,
			"must be set to 'SingleStack' when releasing the secondary clusterIP"))
	}
	return errs
}

func validateFamilyChange(spec, was *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	if isExternalName(spec) || isExternalName(was) || isHeadless(spec) || isHeadless(was) {
		return nil
	}
	var errs field.ErrorList
	families := path.Child("ipFamilies").Index(0)
	for range changed(was.IPFamilies, spec.IPFamilies) {
		errs = append(errs, field.Invalid(families, spec.IPFamilies, onceSet))
	}
	if len(was.IPFamilies) > 1 && len(spec.IPFamilies) == 1 && !isSingleStack(spec) {
		errs = append(errs, field.Invalid(path.Child("ipFamilyPolicy"), spec.IPFamilyPolicy,
			"must be set to 'SingleStack' when releasing the secondary ipFamily"))
	}
	return errs
}

// changed lists where two lists differ: all places if they are of one length, else the first alone, as the others were
// added or dropped.
func changed[T comparable](was, is []T) []int {
	var at []int
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] && (i == 0 || len(was) == len(is)) {
			at = append(at, i)
		}
	}
	return at
}

func isSingleStack(spec *corev1.ServiceSpec) bool {
	return spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
}

// validateServiceStatus checks what a load balancer reports.
func validateServiceStatus(obj, _ runtime.Object) field.ErrorList {
	s := obj.(*corev1.Service)
	path := field.NewPath("status", "loadBalancer", "ingress")
	var errs field.ErrorList
	if len(s.Status.LoadBalancer.Ingress) > 0 && s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		errs = append(errs, field.Forbidden(path, "may only be used when `spec.type` is \"LoadBalancer\""))
		return errs
	}
	for i, in := range s.Status.LoadBalancer.Ingress {
		errs = append(errs, validateIngress(in, path.Index(i))...)
	}
	return errs
}

func validateIngress(in corev1.LoadBalancerIngress, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if in.IP != "" {
		errs = append(errs, validation.IsValidIPForLegacyField(path.Child("ip"), in.IP, true, nil)...)
	}
	modes := []corev1.LoadBalancerIPMode{corev1.LoadBalancerIPModeProxy, corev1.LoadBalancerIPModeVIP}
	switch mode := in.IPMode; {
	case mode == nil && in.IP != "":
		errs = append(errs, field.Required(path.Child("ipMode"), "must be specified when `ip` is set"))
	case mode != nil && in.IP == "":
		errs = append(errs, field.Forbidden(path.Child("ipMode"), "may not be specified when `ip` is not set"))
	case mode != nil && !slices.Contains(modes, *mode):
		errs = append(errs, field.NotSupported(path.Child("ipMode"), mode, modes))
	}
	if in.Hostname == "" {
		return errs
	}
	for _, msg := range validation.IsDNS1123Subdomain(in.Hostname) {
		errs = append(errs, field.Invalid(path.Child("hostname"), in.Hostname, msg))
	}
	if netutils.ParseIPSloppy(in.Hostname) != nil {
		errs = append(errs, field.Invalid(path.Child("hostname"), in.Hostname, "must be a DNS name, not an IP address"))
	}
	return errs
}
