package kinds

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec checks a spec in a pod or in a template. A list's entries are checked by functions of their own.
func validatePodSpec(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	volumes, errs := validateVolumes(s.Volumes, path.Child("volumes"))
	errs = append(errs, validatePodClaims(s.ResourceClaims, path.Child("resourceClaims"))...)
	errs = append(errs, validateContainers(s, volumes, path)...)
	errs = append(errs, validatePodLevelResources(s, path.Child("resources"))...)
	errs = append(errs, validateHostNetwork(s, path)...)
	errs = append(errs, oneOf(path.Child("restartPolicy"), s.RestartPolicy,
		corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(path.Child("dnsPolicy"), s.DNSPolicy,
		corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))...)
	errs = append(errs, validatePodSecurity(s.SecurityContext, path.Child("securityContext"))...)
	errs = append(errs, validateProcesses(s, path)...)
	errs = append(errs, validateScheduling(s.Affinity, path.Child("affinity"))...)
	errs = append(errs, validateDNS(s, path.Child("dnsConfig"))...)
	errs = append(errs, validateGates(s, path)...)
	errs = append(errs, validateSpread(s.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
	errs = append(errs, validateHostUsers(s, path)...)
	errs = append(errs, validateHostnameOverride(s, path)...)
	errs = append(errs, validatePodNames(s, path)...)
	errs = append(errs, validateLatePodFields(s, path)...)
	return append(errs, validateFileVolumes(s, path)...)
}

// validateLatePodFields checks what Kubernetes looks at last.
func validateLatePodFields(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.PreemptionPolicy != nil {
		errs = append(errs, oneOf(path.Child("preemptionPolicy"), *s.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	if s.Overhead != nil {
		errs = append(errs, validateContainerResources(&corev1.ResourceRequirements{Limits: s.Overhead}, path.Child("overhead"))...)
	}
	if s.OS == nil {
		return errs
	}
	if s.OS.Name == "" {
		return append(errs, field.Required(path.Child("os", "name"), ""))
	}
	return append(errs, oneOf(path.Child("os"), s.OS.Name, corev1.Linux, corev1.Windows)...)
}

// oneOfStrict is oneOf for a value that is no more missing than wrong when it is empty.
func oneOfStrict[T ~string](path *field.Path, value T, valid ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.NotSupported(path, value, valid)}
	}
	return oneOf(path, value, valid...)
}

// oneOf checks a value against those that there are; an empty one is missing.
func oneOf[T ~string](path *field.Path, value T, valid ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	for _, v := range valid {
		if v == value {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(path, value, valid)}
}

// named reports the reasons why a value is not well formed, each as an error of its own.
func named(path *field.Path, value string, reasons []string) field.ErrorList {
	var errs field.ErrorList
	for _, reason := range reasons {
		errs = append(errs, field.Invalid(path, value, reason))
	}
	return errs
}

// required reports an empty value.
func required(path *field.Path, value string) field.ErrorList {
	if value != "" {
		return nil
	}
	return field.ErrorList{field.Required(path, "")}
}

// notNegative checks a number that counts or lasts.
func notNegative[T int32 | int64](path *field.Path, value T) field.ErrorList {
	return apivalidation.ValidateNonnegativeField(int64(value), path)
}

// validatePodNames checks the names by which a pod refers to others, or is known, and what stands among them.
func validatePodNames(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name, value string, reasons func(string) []string) {
		if value != "" {
			errs = append(errs, named(path.Child(name), value, reasons(value))...)
		}
	}
	check("serviceAccountName", s.ServiceAccountName, isSubdomain)
	check("nodeName", s.NodeName, isSubdomain)
	if d := s.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > math.MaxInt32) {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *d, validation.InclusiveRangeError(1, math.MaxInt32)))
	}
	check("hostname", s.Hostname, validation.IsDNS1123Label)
	check("subdomain", s.Subdomain, validation.IsDNS1123Label)
	errs = append(errs, validateTolerations(s.Tolerations, path.Child("tolerations"))...)
	errs = append(errs, validateHostAliases(s.HostAliases, path.Child("hostAliases"))...)
	check("priorityClassName", s.PriorityClassName, isSubdomain)
	if s.RuntimeClassName != nil {
		errs = append(errs, named(path.Child("runtimeClassName"), *s.RuntimeClassName, isSubdomain(*s.RuntimeClassName))...)
	}
	return errs
}

// validateProcesses lets a pod see the processes of its node or its own containers' as one, not both.
func validateProcesses(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	if !s.HostPID || !isTrue(s.ShareProcessNamespace) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("shareProcessNamespace"), *s.ShareProcessNamespace,
		"ShareProcessNamespace and HostPID cannot both be enabled")}
}

// validateHostNetwork checks that in the node's network a container opens the ports that the node does.
func validateHostNetwork(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	if !s.HostNetwork {
		return nil
	}
	var errs field.ErrorList
	for i, c := range s.Containers {
		for j, port := range c.Ports {
			if port.HostPort != 0 && port.HostPort != port.ContainerPort {
				errs = append(errs, field.Invalid(path.Child("containers").Index(i).Child("ports").Index(j).Child("hostPort"),
					port.HostPort, "must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
}

// validateHostUsers checks that a pod with users of its own does not share what belongs to the node's users.
func validateHostUsers(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	if s.HostUsers == nil || *s.HostUsers {
		return nil
	}
	const message = "when `hostUsers` is false"
	var errs field.ErrorList
	if s.HostNetwork {
		errs = append(errs, field.Forbidden(path.Child("hostNetwork"), message))
	}
	if s.HostPID {
		errs = append(errs, field.Forbidden(path.Child("HostPID"), message))
	}
	if s.HostIPC {
		errs = append(errs, field.Forbidden(path.Child("HostIPC"), message))
	}
	return errs
}

// maxHostname is the length of a hostname that the kernel takes.
const maxHostname = 64

func validateHostnameOverride(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	if s.HostnameOverride == nil {
		return nil
	}
	at := path.Child("hostnameOverride")
	var errs field.ErrorList
	if isTrue(s.SetHostnameAsFQDN) {
		errs = append(errs, field.Forbidden(at, "may not be specified when setHostnameAsFQDN is true"))
	}
	if s.HostNetwork {
		errs = append(errs, field.Forbidden(at, "may not be specified when hostNetwork is true"))
	}
	if len(*s.HostnameOverride) > maxHostname {
		errs = append(errs, field.TooLong(at, "", maxHostname))
	}
	return append(errs, named(at, *s.HostnameOverride, validation.IsDNS1123Subdomain(*s.HostnameOverride))...)
}

func validateHostAliases(aliases []corev1.HostAlias, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, a := range aliases {
		errs = append(errs, validation.IsValidIP(path.Index(i).Child("ip"), a.IP)...)
		for j, name := range a.Hostnames {
			errs = append(errs, named(path.Index(i).Child("hostnames").Index(j), name, validation.IsDNS1123Subdomain(name))...)
		}
	}
	return errs
}

func validateGates(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, gate := range s.ReadinessGates {
		value := string(gate.ConditionType)
		errs = append(errs, named(path.Child("readinessGates").Index(i).Child("conditionType"), value, validation.IsQualifiedName(value))...)
	}
	seen := map[string]bool{}
	for i, gate := range s.SchedulingGates {
		at := path.Child("schedulingGates").Index(i)
		errs = append(errs, named(at, gate.Name, validation.IsQualifiedName(gate.Name))...)
		if seen[gate.Name] {
			errs = append(errs, field.Duplicate(at, gate.Name))
		}
		seen[gate.Name] = true
	}
	return errs
}

// The limits of a resolver's configuration, as the documentation of dnsConfig gives them.
const (
	mostNameservers = 3
	mostSearchPaths = 32
	mostSearchBytes = 2048
)

// validateDNS checks the configuration of a pod's resolver, without which the policy None has none.
func validateDNS(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	if s.DNSConfig == nil {
		if s.DNSPolicy == corev1.DNSNone {
			return field.ErrorList{field.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None")}
		}
		return nil
	}
	if s.DNSPolicy == corev1.DNSNone && len(s.DNSConfig.Nameservers) == 0 {
		return field.ErrorList{field.Required(path.Child("nameservers"),
			"must provide at least one DNS nameserver when `dnsPolicy` is None")}
	}
	return validateDNSConfig(s.DNSConfig, path)
}

func validateDNSConfig(c *corev1.PodDNSConfig, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(c.Nameservers) > mostNameservers {
		errs = append(errs, field.Invalid(path.Child("nameservers"), c.Nameservers, "must not have more than 3 nameservers"))
	}
	for i, server := range c.Nameservers {
		errs = append(errs, validation.IsValidIP(path.Child("nameservers").Index(i), server)...)
	}
	searches := path.Child("searches")
	if len(c.Searches) > mostSearchPaths {
		errs = append(errs, field.Invalid(searches, c.Searches, "must not have more than 32 search paths"))
	}
	if len(strings.Join(c.Searches, " ")) > mostSearchBytes {
		errs = append(errs, field.Invalid(searches, c.Searches,
			"must not have more than 2048 characters (including spaces) in the search list"))
	}
	for i, search := range c.Searches {
		if search != "." {
			search = strings.TrimSuffix(search, ".")
			errs = append(errs, named(searches.Index(i), search, validation.IsDNS1123SubdomainWithUnderscore(search))...)
		}
	}
	for i, option := range c.Options {
		if option.Name == "" {
			errs = append(errs, field.Required(path.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}
