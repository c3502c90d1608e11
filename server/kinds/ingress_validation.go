package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

// ingressClassAnnotation is the older way to name the class of an Ingress.
const ingressClassAnnotation = "kubernetes.io/ingress.class"

// validateClassAnnotation wants both ways of naming a new Ingress's class to agree.
func validateClassAnnotation(obj runtime.Object) field.ErrorList {
	in := obj.(*networkingv1.Ingress)
	class, old := in.Annotations[ingressClassAnnotation]
	if !old || in.Spec.IngressClassName == nil || class == *in.Spec.IngressClassName {
		return nil
	}
	at := field.NewPath("annotations").Child(ingressClassAnnotation)
	return field.ErrorList{field.Invalid(at, class, "must match `ingressClassName` when both are specified")}
}

func validateIngressRoutes(obj runtime.Object) field.ErrorList {
	s := &obj.(*networkingv1.Ingress).Spec
	at := field.NewPath("spec")
	var errs field.ErrorList
	if len(s.Rules) == 0 && s.DefaultBackend == nil {
		errs = append(errs, field.Invalid(at, s.Rules, "either `defaultBackend` or `rules` must be specified"))
	}
	if s.DefaultBackend != nil {
		errs = append(errs, validateBackend(s.DefaultBackend, at.Child("defaultBackend"))...)
	}
	for i := range s.Rules {
		errs = append(errs, validateIngressRule(&s.Rules[i], at.Child("rules").Index(i))...)
	}
	for i := range s.TLS {
		errs = append(errs, validateIngressTLS(&s.TLS[i], at.Child("tls").Index(i))...)
	}
	if class := s.IngressClassName; class != nil {
		errs = append(errs, named(at.Child("ingressClassName"), *class, apivalidation.NameIsDNSSubdomain(*class, false))...)
	}
	return errs
}

func validateIngressRule(r *networkingv1.IngressRule, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.Host != "" {
		errs = append(errs, validateRuleHost(r.Host, at.Child("host"))...)
	}
	if r.HTTP == nil {
		return errs
	}
	paths := at.Child("http", "paths")
	if len(r.HTTP.Paths) == 0 {
		errs = append(errs, field.Required(paths, ""))
	}
	for i := range r.HTTP.Paths {
		errs = append(errs, validateIngressPath(&r.HTTP.Paths[i], paths.Index(i))...)
	}
	return errs
}

func validateRuleHost(host string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if netutils.ParseIPSloppy(host) != nil {
		errs = append(errs, field.Invalid(at, host, "must be a DNS name, not an IP address"))
	}
	return append(errs, validateHostOrWildcard(host, at)...)
}

func validateHostOrWildcard(host string, at *field.Path) field.ErrorList {
	if strings.Contains(host, "*") {
		return named(at, host, validation.IsWildcardDNS1123Subdomain(host))
	}
	return named(at, host, validation.IsDNS1123Subdomain(host))
}

func validateIngressTLS(t *networkingv1.IngressTLS, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, host := range t.Hosts {
		errs = append(errs, validateHostOrWildcard(host, at.Child("hosts").Index(i))...)
	}
	if t.SecretName == "" {
		return errs
	}
	return append(errs, named(at.Child("secretName"), t.SecretName, apivalidation.NameIsDNSSubdomain(t.SecretName, false))...)
}

// validateIngressPath checks a path as its type reads it; only exact and prefix paths are taken apart.
func validateIngressPath(p *networkingv1.HTTPIngressPath, at *field.Path) field.ErrorList {
	if p.PathType == nil {
		return field.ErrorList{field.Required(at.Child("pathType"), "pathType must be specified")}
	}
	var errs field.ErrorList
	text := at.Child("path")
	switch *p.PathType {
	case networkingv1.PathTypeExact, networkingv1.PathTypePrefix:
		errs = append(validateAbsolute(p.Path, text), validatePathElements(p.Path, text)...)
	case networkingv1.PathTypeImplementationSpecific:
		if p.Path != "" {
			errs = validateAbsolute(p.Path, text)
		}
	default:
		errs = field.ErrorList{field.NotSupported(at.Child("pathType"), *p.PathType, []networkingv1.PathType{
			networkingv1.PathTypeExact, networkingv1.PathTypeImplementationSpecific, networkingv1.PathTypePrefix,
		})}
	}
	return append(errs, validateBackend(&p.Backend, at.Child("backend"))...)
}

func validateAbsolute(text string, at *field.Path) field.ErrorList {
	if strings.HasPrefix(text, "/") {
		return nil
	}
	return field.ErrorList{field.Invalid(at, text, "must be an absolute path")}
}

// validatePathElements refuses what proxies read differently: empty and relative elements, encoded slashes.
func validatePathElements(text string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, within := range []string{"//", "/./", "/../", "%2f", "%2F"} {
		if strings.Contains(text, within) {
			errs = append(errs, field.Invalid(at, text, fmt.Sprintf("must not contain '%s'", within)))
		}
	}
	for _, end := range []string{"/..", "/."} {
		if strings.HasSuffix(text, end) {
			errs = append(errs, field.Invalid(at, text, fmt.Sprintf("cannot end with '%s'", end)))
		}
	}
	return errs
}

// validateBackend checks where requests go: a port of a Service or, by a controller's own rules, another object.
func validateBackend(b *networkingv1.IngressBackend, at *field.Path) field.ErrorList {
	switch {
	case b.Resource != nil && b.Service != nil:
		return field.ErrorList{field.Invalid(at, "", "cannot set both resource and service backends")}
	case b.Resource != nil:
		return validateLocalReference(b.Resource, at.Child("resource"))
	case b.Service != nil:
		return validateServiceBackend(b.Service, at)
	}
	return field.ErrorList{field.Invalid(at, "", "resource or service backend is required")}
}

func validateServiceBackend(s *networkingv1.IngressServiceBackend, at *field.Path) field.ErrorList {
	name, port := at.Child("service", "name"), at.Child("service", "port")
	errs := required(name, s.Name)
	if s.Name != "" {
		errs = append(errs, named(name, s.Name, validateServiceName(s.Name, false))...)
	}
	switch {
	case s.Port.Name != "" && s.Port.Number != 0:
		return append(errs, field.Invalid(at, "", "cannot set both port name & port number"))
	case s.Port.Name != "":
		return append(errs, named(port.Child("name"), s.Port.Name, validation.IsValidPortName(s.Port.Name))...)
	case s.Port.Number != 0:
		return append(errs, validatePortNumber(s.Port.Number, port.Child("number"))...)
	}
	return append(errs, field.Required(at, "port name or number is required"))
}

func validateLocalReference(r *corev1.TypedLocalObjectReference, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.APIGroup != nil {
		errs = named(at.Child("apiGroup"), *r.APIGroup, validation.IsDNS1123Subdomain(*r.APIGroup))
	}
	errs = append(errs, validateSegment(r.Kind, at.Child("kind"))...)
	return append(errs, validateSegment(r.Name, at.Child("name"))...)
}

// validateSegment wants a value that is fit to stand in a path.
func validateSegment(value string, at *field.Path) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return named(at, value, content.IsPathSegmentName(value))
}

// validateIngressStatus checks what a load balancer reports.
func validateIngressStatus(obj, _ runtime.Object) field.ErrorList {
	at := field.NewPath("status", "loadBalancer", "ingress")
	var errs field.ErrorList
	for i, p := range obj.(*networkingv1.Ingress).Status.LoadBalancer.Ingress {
		if p.IP != "" {
			errs = append(errs, validation.IsValidIPForLegacyField(at.Index(i).Child("ip"), p.IP, true, nil)...)
		}
		if p.Hostname != "" {
			errs = append(errs, validatePointHost(p.Hostname, at.Index(i).Child("hostname"))...)
		}
	}
	return errs
}

func validatePointHost(host string, at *field.Path) field.ErrorList {
	errs := named(at, host, validation.IsDNS1123Subdomain(host))
	if netutils.ParseIPSloppy(host) != nil {
		errs = append(errs, field.Invalid(at, host, "must be a DNS name, not an IP address"))
	}
	return errs
}
