package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	netutils "k8s.io/utils/net"
)

// noClusterIP as the cluster IP makes a Service headless.
const noClusterIP = corev1.ClusterIPNone

// keepAllocated fills in the values that a client left out of a PUT and that the Service has already: IPs, node ports
// and the health check's port.
func keepAllocated(spec, was *corev1.ServiceSpec) {
	if !isExternalName(was) && !isExternalName(spec) {
		if spec.ClusterIP == "" {
			spec.ClusterIP = was.ClusterIP
		}
		if len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = slices.Clone(was.ClusterIPs)
		}
	}
	if drawsNodePorts(was) && drawsNodePorts(spec) {
		keepNodePorts(spec.Ports, was.Ports)
	}
	if needsHealthPort(was) && needsHealthPort(spec) && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = was.HealthCheckNodePort
	}
}

// keepNodePorts gives each port without a node port the one that its name had, unless another port keeps that.
func keepNodePorts(ports, was []corev1.ServicePort) {
	had, named := map[int32]bool{}, map[string]int32{}
	for _, p := range was {
		had[p.NodePort], named[p.Name] = true, p.NodePort
	}
	kept := map[int32]bool{}
	for _, p := range ports {
		if p.NodePort != 0 && had[p.NodePort] {
			kept[p.NodePort] = true
		}
	}
	for i, p := range ports {
		if before := named[p.Name]; p.NodePort == 0 && !kept[before] {
			ports[i].NodePort = before
		}
	}
}

// drawsNodePorts reports whether ports that state no node port are given one.
func drawsNodePorts(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeNodePort ||
		spec.Type == corev1.ServiceTypeLoadBalancer && (spec.AllocateLoadBalancerNodePorts == nil || *spec.AllocateLoadBalancerNodePorts)
}

// needsHealthPort reports whether a load balancer must ask each node if it has Pods of the Service.
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

// alignChangedIP follows a change of clusterIP alone, as made by clients that do not know clusterIPs.
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

func isHeadless(spec *corev1.ServiceSpec) bool {
	return len(spec.ClusterIPs) == 1 && spec.ClusterIPs[0] == noClusterIP
}

func isExternalName(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeExternalName
}

func isSingleStack(spec *corev1.ServiceSpec) bool {
	return spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
}

// hasNodePorts reports whether Services of a type listen on the nodes too.
func hasNodePorts(t corev1.ServiceType) bool {
	return t == corev1.ServiceTypeNodePort || t == corev1.ServiceTypeLoadBalancer
}

func familyOf(ip string) corev1.IPFamily {
	if netutils.IsIPv6String(ip) {
		return corev1.IPv6Protocol
	}
	return corev1.IPv4Protocol
}
