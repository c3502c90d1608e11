package kinds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kubarium/server/table"
)

// service is the row of Service. What is unique in the cluster, its IPs and node ports, comes from ServiceAllocator.
func service() *Kind {
	return &Kind{
		GroupVersionKind:     corev1.SchemeGroupVersion.WithKind("Service"),
		Resource:             "services",
		Singular:             "service",
		ShortNames:           []string{"svc"},
		Categories:           []string{"all"},
		ReturnDeleted:        true,
		Namespaced:           true,
		New:                  func() runtime.Object { return &corev1.Service{} },
		NewList:              func() runtime.Object { return &corev1.ServiceList{} },
		CreateOnUpdate:       true,
		UnconditionalUpdate:  true,
		Status:               true,
		Default:              defaultService,
		PrepareForCreate:     prepareService,
		PrepareForUpdate:     prepareServiceUpdate,
		ValidateName:         validateServiceName,
		Validate:             validateService,
		ValidateUpdate:       validateServiceUpdate,
		ChangesFirst:         true,
		ValidateStatusUpdate: validateServiceStatus,
		Fields: func(obj runtime.Object) fields.Set {
			s := obj.(*corev1.Service)
			return fields.Set{"spec.clusterIP": s.Spec.ClusterIP, "spec.type": string(s.Spec.Type)}
		},
		FieldNames: []string{"spec.clusterIP", "spec.type"},
		Warn:       warnService,
		Printer:    table.Printer{Columns: serviceColumns(), Cells: serviceCells},
	}
}

func defaultService(obj runtime.Object) {
	s := obj.(*corev1.Service)
	if s.Spec.Type == "" {
		s.Spec.Type = corev1.ServiceTypeClusterIP
	}
	defaultAffinity(&s.Spec)
	defaultServicePorts(s.Spec.Ports)
	defaultTraffic(&s.Spec)
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return
	}
	if s.Spec.AllocateLoadBalancerNodePorts == nil {
		s.Spec.AllocateLoadBalancerNodePorts = new(true)
	}
	for i, in := range s.Status.LoadBalancer.Ingress {
		if in.IP != "" && in.IPMode == nil {
			s.Status.LoadBalancer.Ingress[i].IPMode = new(corev1.LoadBalancerIPModeVIP)
		}
	}
}

func defaultAffinity(spec *corev1.ServiceSpec) {
	if spec.SessionAffinity == "" {
		spec.SessionAffinity = corev1.ServiceAffinityNone
	}
	switch spec.SessionAffinity {
	case corev1.ServiceAffinityNone:
		spec.SessionAffinityConfig = nil
	case corev1.ServiceAffinityClientIP:
		c := spec.SessionAffinityConfig
		if c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			timeout := corev1.DefaultClientIPServiceAffinitySeconds
			spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{
				ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &timeout},
			}
		}
	}
}

func defaultServicePorts(ports []corev1.ServicePort) {
	for i := range ports {
		p := &ports[i]
		if p.Protocol == "" {
			p.Protocol = corev1.ProtocolTCP
		}
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
}

func defaultTraffic(spec *corev1.ServiceSpec) {
	if isExternallyReachable(spec) && spec.ExternalTrafficPolicy == "" {
		spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
	}
	if spec.InternalTrafficPolicy == nil && hasClusterIP(spec.Type) {
		spec.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyCluster)
	}
}

// isExternallyReachable tells whether traffic can come from outside the cluster.
func isExternallyReachable(spec *corev1.ServiceSpec) bool {
	return hasNodePorts(spec.Type) || (spec.Type == corev1.ServiceTypeClusterIP && len(spec.ExternalIPs) > 0)
}

// hasClusterIP tells the types that have an IP of their own, unless they are headless.
func hasClusterIP(t corev1.ServiceType) bool {
	return t == corev1.ServiceTypeClusterIP || hasNodePorts(t)
}

// hasNodePorts tells the types that listen on the nodes too.
func hasNodePorts(t corev1.ServiceType) bool {
	return t == corev1.ServiceTypeNodePort || t == corev1.ServiceTypeLoadBalancer
}

func serviceColumns() []metav1.TableColumnDefinition {
	doc := corev1.ServiceSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Type", doc["type"]),
		column("Cluster-IP", doc["clusterIP"]),
		column("External-IP", doc["externalIPs"]),
		column("Port(s)", doc["ports"]),
		ageColumn(),
		wideColumn("Selector", doc["selector"]),
	}
}

func serviceCells(obj runtime.Object, now time.Time) []any {
	s := obj.(*corev1.Service)
	clusterIP := none
	if len(s.Spec.ClusterIPs) > 0 {
		clusterIP = s.Spec.ClusterIPs[0]
	}
	return []any{
		s.Name, string(s.Spec.Type), clusterIP, externalIP(s), orElse(portList(s.Spec.Ports), none),
		age(s.CreationTimestamp, now), labels.FormatLabels(s.Spec.Selector),
	}
}

// externalIP says under which addresses the Service is found from outside, if any.
func externalIP(s *corev1.Service) string {
	switch s.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return orElse(strings.Join(s.Spec.ExternalIPs, ","), none)
	case corev1.ServiceTypeLoadBalancer:
		all := slices.Concat(s.Spec.ExternalIPs, ingressAddresses(s.Status.LoadBalancer.Ingress))
		return orElse(strings.Join(all, ","), "<pending>")
	case corev1.ServiceTypeExternalName:
		return s.Spec.ExternalName
	}
	return unknown
}

// ingressAddresses lists what a load balancer was given, each once, sorted.
func ingressAddresses(ingress []corev1.LoadBalancerIngress) []string {
	found := map[string]bool{}
	for _, in := range ingress {
		if address := orElse(in.IP, in.Hostname); address != "" {
			found[address] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// portList shows the ports: "80:30001/TCP,53/UDP".
func portList(ports []corev1.ServicePort) string {
	var list []string
	for _, p := range ports {
		port := fmt.Sprint(p.Port)
		if p.NodePort > 0 {
			port = fmt.Sprintf("%d:%d", p.Port, p.NodePort)
		}
		list = append(list, port+"/"+string(p.Protocol))
	}
	return strings.Join(list, ",")
}
