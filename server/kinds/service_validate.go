package kinds

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	unversioned "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	kubeletPort = 10250 // a load balancer must not expose it

	onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'"
	notExternalName  = "may not be set for ExternalName services"
)

var (
	serviceTypes = []corev1.ServiceType{
		corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort,
	}
	affinities      = []corev1.ServiceAffinity{corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone}
	protocols       = []corev1.Protocol{corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP}
	trafficPolicies = []string{"Cluster", "Local"}
	distributions   = []string{
		corev1.ServiceTrafficDistributionPreferClose, corev1.ServiceTrafficDistributionPreferSameZone,
		corev1.ServiceTrafficDistributionPreferSameNode,
	}
)

// validateServiceName wants a DNS label, since the name becomes one.
func validateServiceName(name string, prefix bool) []string {
	return apivalidation.NameIsDNSLabel(name, prefix)
}

// validateService holds before values are allocated as well as after it.
func validateService(obj runtime.Object) field.ErrorList {
	s := obj.(*corev1.Service)
	spec, path := &s.Spec, field.NewPath("spec")
	errs := validateForType(spec, path)
	errs = append(errs, validateServicePorts(spec, path.Child("ports"))...)
	errs = append(errs, unversioned.ValidateLabels(spec.Selector, path.Child("selector"))...)
	errs = append(errs, validateSessionAffinity(spec, path)...)
	errs = append(errs, validateClusterIPs(spec, path)...)
	errs = append(errs, validateExternalIPs(spec.ExternalIPs, path.Child("externalIPs"))...)
	if !slices.Contains(serviceTypes, spec.Type) {
		errs = append(errs, field.NotSupported(path.Child("type"), spec.Type, serviceTypes))
	}
	errs = append(errs, validatePortsUnique(spec, path.Child("ports"))...)
	errs = append(errs, validateSourceRanges(s, path)...)
	errs = append(errs, validateLoadBalancerFields(spec, path)...)
	return append(errs, validateTraffic(spec, path)...)
}

// validateForType checks what each type must have and may not have.
func validateForType(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	headless := spec.ClusterIP == noClusterIP
	if len(spec.Ports) == 0 && !headless && spec.Type != corev1.ServiceTypeExternalName {
		errs = append(errs, field.Required(path.Child("ports"), ""))
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		for i, p := range spec.Ports {
			if p.Port == kubeletPort {
				errs = append(errs, field.Invalid(path.Child("ports").Index(i), p.Port,
					fmt.Sprintf("may not expose port %d externally since it is used by kubelet", kubeletPort)))
			}
		}
	}
	if headless && hasNodePorts(spec.Type) {
		errs = append(errs, field.Invalid(path.Child("clusterIPs").Index(0), noClusterIP,
			fmt.Sprintf("may not be set to 'None' for %s services", spec.Type)))
	}
	if spec.Type == corev1.ServiceTypeExternalName {
		errs = append(errs, validateExternalName(spec, path)...)
	}
	return errs
}

// validateExternalName wants a DNS name, which may end with a dot, and nothing that an IP needs.
func validateExternalName(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(spec.ClusterIPs) > 0 {
		errs = append(errs, field.Forbidden(path.Child("clusterIPs"), notExternalName))
	}
	if len(spec.IPFamilies) > 0 {
		errs = append(errs, field.Forbidden(path.Child("ipFamilies"), notExternalName))
	}
	if spec.IPFamilyPolicy != nil {
		errs = append(errs, field.Forbidden(path.Child("ipFamilyPolicy"), notExternalName))
	}
	name := strings.TrimSuffix(spec.ExternalName, ".")
	if name == "" {
		return append(errs, field.Required(path.Child("externalName"), ""))
	}
	for _, msg := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path.Child("externalName"), name, msg))
	}
	return errs
}

func validateServicePorts(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range spec.Ports {
		at := path.Index(i)
		switch {
		case p.Name == "" && len(spec.Ports) > 1:
			errs = append(errs, field.Required(at.Child("name"), ""))
		case p.Name != "":
			for _, msg := range validation.IsDNS1123Label(p.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), p.Name, msg))
			}
			if names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		errs = append(errs, validateServicePort(p, at)...)
	}
	return errs
}

func validateServicePort(p corev1.ServicePort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, msg := range validation.IsValidPortNum(int(p.Port)) {
		errs = append(errs, field.Invalid(path.Child("port"), p.Port, msg))
	}
	if !slices.Contains(protocols, p.Protocol) {
		errs = append(errs, field.NotSupported(path.Child("protocol"), p.Protocol, protocols))
	}
	errs = append(errs, validateTargetPort(p.TargetPort, path.Child("targetPort"))...)
	if p.AppProtocol != nil {
		for _, msg := range validation.IsQualifiedName(*p.AppProtocol) {
			errs = append(errs, field.Invalid(path.Child("appProtocol"), p.AppProtocol, msg))
		}
	}
	return errs
}

// validateTargetPort accepts a number or the name of a container's port.
func validateTargetPort(port intstr.IntOrString, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if port.Type == intstr.String {
		for _, msg := range validation.IsValidPortName(port.StrVal) {
			errs = append(errs, field.Invalid(path, port.StrVal, msg))
		}
		return errs
	}
	for _, msg := range validation.IsValidPortNum(port.IntValue()) {
		errs = append(errs, field.Invalid(path, port.IntValue(), msg))
	}
	return errs
}

// A portIdentity is what no two ports of a Service share. Kubernetes shows it in messages with the names of Go's
// fields, and with those that do not matter empty.
type portIdentity struct {
	Name        string
	Protocol    corev1.Protocol
	AppProtocol *string
	Port        int32
	TargetPort  intstr.IntOrString
	NodePort    int32
}

func validatePortsUnique(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if spec.Type == corev1.ServiceTypeClusterIP {
		for i, p := range spec.Ports {
			if p.NodePort != 0 {
				errs = append(errs, field.Forbidden(path.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
			}
		}
	}
	onNodes := map[portIdentity]bool{}
	for i, p := range spec.Ports {
		id := portIdentity{Protocol: p.Protocol, NodePort: p.NodePort}
		if p.NodePort != 0 && onNodes[id] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("nodePort"), p.NodePort))
		}
		onNodes[id] = true
	}
	seen := map[portIdentity]bool{}
	for i, p := range spec.Ports {
		id := portIdentity{Protocol: p.Protocol, Port: p.Port}
		if seen[id] {
			errs = append(errs, field.Duplicate(path.Index(i), id))
		}
		seen[id] = true
	}
	return errs
}

func validateSessionAffinity(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	if !slices.Contains(affinities, spec.SessionAffinity) {
		return field.ErrorList{field.NotSupported(path.Child("sessionAffinity"), spec.SessionAffinity, affinities)}
	}
	config := spec.SessionAffinityConfig
	if spec.SessionAffinity == corev1.ServiceAffinityNone || config == nil || config.ClientIP == nil || config.ClientIP.TimeoutSeconds == nil {
		return nil // the defaults made these agree
	}
	const most = 86400 // a day, in seconds
	if n := *config.ClientIP.TimeoutSeconds; n <= 0 || n > most {
		at := path.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds")
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("must be greater than 0 and less than %d", most))}
	}
	return nil
}

// validateSourceRanges reads the field, or the annotation that came before it.
func validateSourceRanges(s *corev1.Service, path *field.Path) field.ErrorList {
	at := path.Child("LoadBalancerSourceRanges") // so spelled in Kubernetes
	ranges, index := s.Spec.LoadBalancerSourceRanges, at.Index
	if len(ranges) == 0 {
		text, ok := s.Annotations[corev1.AnnotationLoadBalancerSourceRangesKey]
		if !ok {
			return nil
		}
		at = field.NewPath("metadata", "annotations").Key(corev1.AnnotationLoadBalancerSourceRangesKey)
		index = func(int) *field.Path { return at }
		if text = strings.TrimSpace(text); text != "" {
			ranges = strings.Split(text, ",")
		}
	}
	var errs field.ErrorList
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		errs = append(errs, field.Forbidden(at, onlyLoadBalancer))
	}
	for i, cidr := range ranges {
		errs = append(errs, validation.IsValidCIDRForLegacyField(index(i), strings.TrimSpace(cidr), true, nil)...)
	}
	return errs
}

func validateLoadBalancerFields(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	balanced := spec.Type == corev1.ServiceTypeLoadBalancer
	if !balanced && spec.AllocateLoadBalancerNodePorts != nil {
		errs = append(errs, field.Forbidden(path.Child("allocateLoadBalancerNodePorts"), onlyLoadBalancer))
	}
	class := spec.LoadBalancerClass
	if class == nil {
		return errs
	}
	if !balanced {
		return append(errs, field.Forbidden(path.Child("loadBalancerClass"), onlyLoadBalancer))
	}
	for _, msg := range validation.IsQualifiedName(*class) {
		errs = append(errs, field.Invalid(path.Child("loadBalancerClass"), *class, msg))
	}
	return errs
}

// validateTraffic checks which nodes may answer, and the port under which they say so. That port may still be 0: it is
// allocated.
func validateTraffic(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	external, at := spec.ExternalTrafficPolicy, path.Child("externalTrafficPolicy")
	switch {
	case !isExternallyReachable(spec) && external != "":
		errs = append(errs, field.Invalid(at, external, "may only be set for externally-accessible services"))
	case external != "" && !slices.Contains(trafficPolicies, string(external)):
		errs = append(errs, field.NotSupported(at, external, trafficPolicies))
	}
	errs = append(errs, validateHealthPort(spec, path.Child("healthCheckNodePort"))...)
	if p := spec.InternalTrafficPolicy; p != nil && !slices.Contains(trafficPolicies, string(*p)) {
		errs = append(errs, field.NotSupported(path.Child("internalTrafficPolicy"), *p, trafficPolicies))
	}
	if d := spec.TrafficDistribution; d != nil && !slices.Contains(distributions, *d) {
		errs = append(errs, field.NotSupported(path.Child("trafficDistribution"), *d, distributions))
	}
	return errs
}

func validateHealthPort(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	port := spec.HealthCheckNodePort
	if port == 0 {
		return nil
	}
	if !needsHealthPort(spec) {
		return field.ErrorList{field.Invalid(path, port,
			"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")}
	}
	var errs field.ErrorList
	for _, msg := range validation.IsValidPortNum(int(port)) {
		errs = append(errs, field.Invalid(path, port, msg))
	}
	return errs
}
