package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// noClusterIP as the cluster IP makes a Service headless.
const noClusterIP = corev1.ClusterIPNone

func prepareService(obj runtime.Object) {
	s := obj.(*corev1.Service)
	s.Status = corev1.ServiceStatus{}
	alignClusterIPs(&s.Spec, nil)
}

func prepareServiceUpdate(obj, old runtime.Object) {
	s, was := obj.(*corev1.Service), old.(*corev1.Service)
	keepAllocated(&s.Spec, &was.Spec)
	alignClusterIPs(&s.Spec, &was.Spec)
	dropForType(&s.Spec, &was.Spec)
}

// keepAllocated fills in what a client that knew only its own fields left out of a PUT: IPs, node ports and the health
// check's port that the Service already has.
func keepAllocated(spec, was *corev1.ServiceSpec) {
	if hasClusterIP(was.Type) && hasClusterIP(spec.Type) {
		if spec.ClusterIP == "" {
			spec.ClusterIP = was.ClusterIP
		}
		if len(spec.ClusterIPs) == 0 && spec.ClusterIP == was.ClusterIP {
			spec.ClusterIPs = slices.Clone(was.ClusterIPs)
		}
	}
	if hasNodePorts(was.Type) && hasNodePorts(spec.Type) {
		keepNodePorts(spec.Ports, was.Ports)
	}
	if needsHealthPort(was) && needsHealthPort(spec) && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = was.HealthCheckNodePort
	}
}

// keepNodePorts gives each port without a node port the one that its protocol and port had.
func keepNodePorts(ports, was []corev1.ServicePort) {
	type identity struct {
		protocol corev1.Protocol
		port     int32
	}
	had := map[identity]int32{}
	for _, p := range was {
		had[identity{p.Protocol, p.Port}] = p.NodePort
	}
	used := map[int32]bool{}
	for _, p := range ports {
		used[p.NodePort] = true
	}
	for i, p := range ports {
		before := had[identity{p.Protocol, p.Port}]
		if p.NodePort == 0 && !used[before] {
			ports[i].NodePort = before
		}
	}
}

// needsHealthPort tells whether a load balancer must ask each node if it has Pods of the Service.
func needsHealthPort(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeLoadBalancer &&
		spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// alignClusterIPs keeps clusterIP and clusterIPs[0] one value, whichever of them the client changed. was is nil at a
// create, where clusterIPs alone is left for validation to refuse.
func alignClusterIPs(spec, was *corev1.ServiceSpec) {
	if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
		return
	}
	if was == nil {
		return
	}
	if spec.ClusterIP != was.ClusterIP && slices.Equal(spec.ClusterIPs, was.ClusterIPs) {
		alignChangedIP(spec)
	}
}

// alignChangedIP follows a change of clusterIP alone, as clients make that do not know the plural.
func alignChangedIP(spec *corev1.ServiceSpec) {
	if spec.ClusterIP == "" {
		spec.ClusterIPs = nil
		return
	}
	if len(spec.ClusterIPs) == 0 {
		return
	}
	spec.ClusterIPs = slices.Clone(spec.ClusterIPs)
	spec.ClusterIPs[0] = spec.ClusterIP
}

// dropForType empties the fields that the new type does not have, unless the client changed them in the same update:
// those are for validation to refuse.
func dropForType(spec, was *corev1.ServiceSpec) {
	if hasClusterIP(was.Type) && !hasClusterIP(spec.Type) {
		dropClusterIPs(spec, was)
	}
	if hasNodePorts(was.Type) && !hasNodePorts(spec.Type) {
		dropNodePorts(spec.Ports, was.Ports)
	}
	if needsHealthPort(was) && !needsHealthPort(spec) && spec.HealthCheckNodePort == was.HealthCheckNodePort {
		spec.HealthCheckNodePort = 0
	}
	dropLoadBalancer(spec, was)
	if isExternallyReachable(was) && !isExternallyReachable(spec) && spec.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		spec.ExternalTrafficPolicy = ""
	}
}

func dropClusterIPs(spec, was *corev1.ServiceSpec) {
	if spec.ClusterIP == was.ClusterIP && slices.Equal(spec.ClusterIPs, was.ClusterIPs) {
		spec.ClusterIP, spec.ClusterIPs = "", nil
	}
	if slices.Equal(spec.IPFamilies, was.IPFamilies) {
		spec.IPFamilies = nil
	}
	if samePointed(spec.IPFamilyPolicy, was.IPFamilyPolicy) {
		spec.IPFamilyPolicy = nil
	}
	if samePointed(spec.InternalTrafficPolicy, was.InternalTrafficPolicy) {
		spec.InternalTrafficPolicy = nil
	}
}

func dropNodePorts(ports, was []corev1.ServicePort) {
	had := map[int32]bool{}
	for _, p := range was {
		had[p.NodePort] = true
	}
	for _, p := range ports {
		if p.NodePort != 0 && !had[p.NodePort] {
			return
		}
	}
	for i := range ports {
		ports[i].NodePort = 0
	}
}

func dropLoadBalancer(spec, was *corev1.ServiceSpec) {
	if was.Type != corev1.ServiceTypeLoadBalancer || spec.Type == corev1.ServiceTypeLoadBalancer {
		return
	}
	if samePointed(spec.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
		spec.AllocateLoadBalancerNodePorts = nil
	}
	if samePointed(spec.LoadBalancerClass, was.LoadBalancerClass) {
		spec.LoadBalancerClass = nil
	}
}

// samePointed compares two optional values.
func samePointed[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
