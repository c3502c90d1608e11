package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"kubarium/server/table"
)

// networkPolicy is the row of NetworkPolicy.
func networkPolicy() *Kind {
	return &Kind{
		GroupVersionKind:    networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"),
		Resource:            "networkpolicies",
		Singular:            "networkpolicy",
		ShortNames:          []string{"netpol"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &networkingv1.NetworkPolicy{} },
		NewList:             func() runtime.Object { return &networkingv1.NetworkPolicyList{} },
		UnconditionalUpdate: true,
		Generation:          true,
		Default:             defaultNetworkPolicy,
		Validate:            validateNetworkPolicy,
		Warn:                warnNetworkPolicy,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Pod-Selector", networkingv1.NetworkPolicySpec{}.SwaggerDoc()["podSelector"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				p := obj.(*networkingv1.NetworkPolicy)
				return []any{p.Name, metav1.FormatLabelSelector(&p.Spec.PodSelector), age(p.CreationTimestamp, now)}
			},
		},
	}
}

// defaultNetworkPolicy reads a policy without types as one about ingress, and about egress if it has such rules.
func defaultNetworkPolicy(obj runtime.Object) {
	s := &obj.(*networkingv1.NetworkPolicy).Spec
	if len(s.PolicyTypes) == 0 {
		s.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(s.Egress) > 0 {
			s.PolicyTypes = append(s.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
	for i := range s.Ingress {
		defaultPolicyPorts(s.Ingress[i].Ports)
	}
	for i := range s.Egress {
		defaultPolicyPorts(s.Egress[i].Ports)
	}
}

func defaultPolicyPorts(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		orDefault(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}

func validateNetworkPolicy(obj runtime.Object) field.ErrorList {
	s := &obj.(*networkingv1.NetworkPolicy).Spec
	at := field.NewPath("spec")
	errs := metav1validation.ValidateLabelSelector(&s.PodSelector, metav1validation.LabelSelectorValidationOptions{}, at.Child("podSelector"))
	for i, rule := range s.Ingress {
		in := at.Child("ingress").Index(i)
		errs = append(errs, validatePolicyPorts(rule.Ports, in.Child("ports"))...)
		errs = append(errs, validatePeers(rule.From, in.Child("from"))...)
	}
	for i, rule := range s.Egress {
		out := at.Child("egress").Index(i)
		errs = append(errs, validatePolicyPorts(rule.Ports, out.Child("ports"))...)
		errs = append(errs, validatePeers(rule.To, out.Child("to"))...)
	}
	types := at.Child("policyTypes")
	if len(s.PolicyTypes) > 2 {
		return append(errs, field.Invalid(types, s.PolicyTypes, "may not specify more than two policyTypes"))
	}
	for i, t := range s.PolicyTypes {
		errs = append(errs, among(types.Index(i), t, networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress)...)
	}
	return errs
}

func validatePolicyPorts(ports []networkingv1.NetworkPolicyPort, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range ports {
		errs = append(errs, validatePolicyPort(&ports[i], at.Index(i))...)
	}
	return errs
}

func validatePolicyPort(p *networkingv1.NetworkPolicyPort, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.Protocol != nil {
		errs = among(at.Child("protocol"), *p.Protocol, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)
	}
	port, end := at.Child("port"), at.Child("endPort")
	switch {
	case p.Port == nil:
		if p.EndPort != nil {
			errs = append(errs, field.Invalid(end, *p.EndPort, "may not be specified when `port` is not specified"))
		}
		return errs
	case p.Port.Type == intstr.String:
		if p.EndPort != nil {
			errs = append(errs, field.Invalid(end, *p.EndPort, "may not be specified when `port` is non-numeric"))
		}
		return append(errs, named(port, p.Port.StrVal, validation.IsValidPortName(p.Port.StrVal))...)
	}
	errs = append(errs, validatePortNumber(p.Port.IntVal, port)...)
	if p.EndPort == nil {
		return errs
	}
	if *p.EndPort < p.Port.IntVal {
		errs = append(errs, field.Invalid(end, *p.EndPort, "must be greater than or equal to `port`"))
	}
	return append(errs, validatePortNumber(*p.EndPort, end)...)
}

func validatePeers(peers []networkingv1.NetworkPolicyPeer, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range peers {
		errs = append(errs, validatePeer(&peers[i], at.Index(i))...)
	}
	return errs
}

// validatePeer wants pods and namespaces, or a block of addresses, not both.
func validatePeer(p *networkingv1.NetworkPolicyPeer, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	var opts metav1validation.LabelSelectorValidationOptions
	if p.PodSelector != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(p.PodSelector, opts, at.Child("podSelector"))...)
	}
	if p.NamespaceSelector != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(p.NamespaceSelector, opts, at.Child("namespaceSelector"))...)
	}
	selects := p.PodSelector != nil || p.NamespaceSelector != nil
	switch {
	case p.IPBlock != nil:
		errs = append(errs, validateIPBlock(p.IPBlock, at.Child("ipBlock"))...)
		if selects {
			errs = append(errs, field.Forbidden(at, "may not specify both ipBlock and another peer"))
		}
	case !selects:
		errs = append(errs, field.Required(at, "must specify a peer"))
	}
	return errs
}

func validateIPBlock(b *networkingv1.IPBlock, at *field.Path) field.ErrorList {
	if b.CIDR == "" {
		return field.ErrorList{field.Required(at.Child("cidr"), "")}
	}
	errs := validation.IsValidCIDRForLegacyField(at.Child("cidr"), b.CIDR, true, nil)
	_, whole, err := netutils.ParseCIDRSloppy(b.CIDR)
	if err != nil {
		return errs
	}
	size, _ := whole.Mask.Size()
	for i, text := range b.Except {
		except := at.Child("except").Index(i)
		errs = append(errs, validation.IsValidCIDRForLegacyField(except, text, true, nil)...)
		_, part, err := netutils.ParseCIDRSloppy(text)
		if err != nil {
			continue
		}
		if partSize, _ := part.Mask.Size(); !whole.Contains(part.IP) || size >= partSize {
			errs = append(errs, field.Invalid(except, text, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}
