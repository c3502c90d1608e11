package kinds

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec checks a spec in a pod or in a template. A list's entries are checked by functions of their own.
func validatePodSpec(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	volumes, errs := validateVolumes(s.Volumes, path.Child("volumes"))
	errs = append(errs, validateContainers(s, volumes, path)...)
	errs = append(errs, oneOf(path.Child("restartPolicy"), s.RestartPolicy,
		corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, validateDNS(s, path)...)
	errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))...)
	errs = append(errs, validateHost(s, path)...)
	errs = append(errs, validatePodNames(s, path)...)
	errs = append(errs, validatePodSecurity(s.SecurityContext, path.Child("securityContext"))...)
	errs = append(errs, validateScheduling(s.Affinity, path.Child("affinity"))...)
	errs = append(errs, validateTolerations(s.Tolerations, path.Child("tolerations"))...)
	errs = append(errs, validateHostAliases(s.HostAliases, path.Child("hostAliases"))...)
	errs = append(errs, validateSpread(s.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
	errs = append(errs, validateGates(s, path)...)
	if d := s.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > math.MaxInt32) {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *d, validation.InclusiveRangeError(1, math.MaxInt32)))
	}
	return errs
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

func validatePodNames(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name, value string, reasons func(string) []string) {
		if value != "" {
			errs = append(errs, named(path.Child(name), value, reasons(value))...)
		}
	}
	subdomain := func(s string) []string { return apivalidation.NameIsDNSSubdomain(s, false) }
	check("serviceAccountName", s.ServiceAccountName, subdomain)
	check("nodeName", s.NodeName, subdomain)
	check("hostname", s.Hostname, validation.IsDNS1123Label)
	check("subdomain", s.Subdomain, validation.IsDNS1123Label)
	check("priorityClassName", s.PriorityClassName, subdomain)
	if s.RuntimeClassName != nil {
		errs = append(errs, named(path.Child("runtimeClassName"), *s.RuntimeClassName, subdomain(*s.RuntimeClassName))...)
	}
	return errs
}

// validateHost checks what a pod shares with its node.
func validateHost(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.HostPID && isTrue(s.ShareProcessNamespace) {
		errs = append(errs, field.Invalid(path.Child("shareProcessNamespace"), *s.ShareProcessNamespace,
			"ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	if !s.HostNetwork {
		return errs
	}
	for i, c := range s.Containers {
		for j, port := range c.Ports {
			if port.HostPort != 0 && port.HostPort != port.ContainerPort {
				errs = append(errs, field.Invalid(path.Child("containers").Index(i).Child("ports").Index(j).Child("containerPort"),
					port.ContainerPort, "must match `hostPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
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
)

func validateDNS(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	errs := oneOf(path.Child("dnsPolicy"), s.DNSPolicy,
		corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)
	config := path.Child("dnsConfig")
	if s.DNSConfig == nil {
		if s.DNSPolicy == corev1.DNSNone {
			errs = append(errs, field.Required(config, "must provide `dnsConfig` when `dnsPolicy` is None"))
		}
		return errs
	}
	servers, searches := s.DNSConfig.Nameservers, s.DNSConfig.Searches
	if s.DNSPolicy == corev1.DNSNone && len(servers) == 0 {
		errs = append(errs, field.Required(config.Child("nameservers"),
			"must provide at least one DNS nameserver when `dnsPolicy` is None"))
	}
	if len(servers) > mostNameservers {
		errs = append(errs, field.Invalid(config.Child("nameservers"), servers, "must not have more than 3 nameservers"))
	}
	for i, server := range servers {
		errs = append(errs, validation.IsValidIP(config.Child("nameservers").Index(i), server)...)
	}
	if len(searches) > mostSearchPaths {
		errs = append(errs, field.Invalid(config.Child("searches"), searches, "must not have more than 32 search paths"))
	}
	for i, option := range s.DNSConfig.Options {
		if option.Name == "" {
			errs = append(errs, field.Required(config.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}
