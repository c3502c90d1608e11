package kinds

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sliceManagers are the controllers that copy addresses as they are; nobody can act on a warning about those.
var sliceManagers = map[string]bool{
	"endpointslice-controller.k8s.io":          true,
	"endpointslicemirroring-controller.k8s.io": true,
}

// warnEndpointSlice warns of addresses that are written in an unusual way, and of a new slice of host names.
func warnEndpointSlice(obj, old runtime.Object) []string {
	s := obj.(*discoveryv1.EndpointSlice)
	var warnings []string
	if old == nil && s.AddressType == discoveryv1.AddressTypeFQDN {
		warnings = append(warnings, "spec.addressType: FQDN endpoints are deprecated")
	}
	if s.AddressType == discoveryv1.AddressTypeFQDN || sliceManagers[s.Labels[discoveryv1.LabelManagedBy]] {
		return warnings
	}
	for i, e := range s.Endpoints {
		for j, address := range e.Addresses {
			at := field.NewPath("endpoints").Index(i).Child("addresses").Index(j)
			warnings = append(warnings, validation.GetWarningsForIP(at, address)...)
		}
	}
	return warnings
}

// warnNetworkPolicy warns of ranges that are written in an unusual way, or that have bits behind their prefix.
func warnNetworkPolicy(obj, _ runtime.Object) []string {
	s := &obj.(*networkingv1.NetworkPolicy).Spec
	var warnings []string
	for i, rule := range s.Ingress {
		warnings = append(warnings, warnPeers(rule.From, field.NewPath("spec", "ingress").Index(i).Child("from"))...)
	}
	for i, rule := range s.Egress {
		warnings = append(warnings, warnPeers(rule.To, field.NewPath("spec", "egress").Index(i).Child("to"))...)
	}
	return warnings
}

func warnPeers(peers []networkingv1.NetworkPolicyPeer, at *field.Path) []string {
	var warnings []string
	for i, p := range peers {
		if p.IPBlock == nil {
			continue
		}
		block := at.Index(i).Child("ipBlock")
		warnings = append(warnings, validation.GetWarningsForCIDR(block.Child("cidr"), p.IPBlock.CIDR)...)
		for j, except := range p.IPBlock.Except {
			warnings = append(warnings, validation.GetWarningsForCIDR(block.Child("except").Index(j), except)...)
		}
	}
	return warnings
}

// warnIngress warns of a new Ingress that names its class the old way.
func warnIngress(obj, old runtime.Object) []string {
	in := obj.(*networkingv1.Ingress)
	if _, there := in.Annotations[ingressClassAnnotation]; old != nil || !there || in.Spec.IngressClassName != nil {
		return nil
	}
	return []string{fmt.Sprintf("annotation %q is deprecated, please use 'spec.ingressClassName' instead", ingressClassAnnotation)}
}
