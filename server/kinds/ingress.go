package kinds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// ingress is the row of Ingress.
func ingress() *Kind {
	return &Kind{
		GroupVersionKind:     networkingv1.SchemeGroupVersion.WithKind("Ingress"),
		Resource:             "ingresses",
		Singular:             "ingress",
		ShortNames:           []string{"ing"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &networkingv1.Ingress{} },
		NewList:              func() runtime.Object { return &networkingv1.IngressList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Validate:             validateIngressRoutes,
		Warn:                 warnIngress,
		ValidateCreate:       validateClassAnnotation,
		ValidateStatusUpdate: validateIngressStatus,
		Printer:              table.Printer{Columns: ingressColumns(), Cells: ingressCells},
	}
}

func ingressColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Class", "The name of the IngressClass resource that should be used for additional configuration"),
		column("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
		column("Address", "Address is a list containing ingress points for the load-balancer"),
		column("Ports", "Ports of TLS configurations that open"),
		ageColumn(),
	}
}

func ingressCells(obj runtime.Object, now time.Time) []any {
	in := obj.(*networkingv1.Ingress)
	class := none
	if in.Spec.IngressClassName != nil {
		class = *in.Spec.IngressClassName
	}
	ports := "80"
	if len(in.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{
		in.Name, class, ingressHosts(in.Spec.Rules), ingressPoints(in.Status.LoadBalancer.Ingress), ports,
		age(in.CreationTimestamp, now),
	}
}

// ingressHosts names the first three hosts and counts the rules after them; "*" is any host.
func ingressHosts(rules []networkingv1.IngressRule) string {
	const most = 3
	var hosts []string
	for _, r := range rules {
		if len(hosts) == most {
			return fmt.Sprintf("%s + %d more...", strings.Join(hosts, ","), len(rules)-most)
		}
		if r.Host != "" {
			hosts = append(hosts, r.Host)
		}
	}
	return orElse(strings.Join(hosts, ","), "*")
}

// ingressPoints lists the addresses of the load balancer, each once, sorted.
func ingressPoints(points []networkingv1.IngressLoadBalancerIngress) string {
	var addresses []string
	for _, p := range points {
		if address := orElse(p.IP, p.Hostname); address != "" {
			addresses = append(addresses, address)
		}
	}
	slices.Sort(addresses)
	return strings.Join(slices.Compact(addresses), ",")
}
