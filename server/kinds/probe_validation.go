package kinds

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateLivenessProbe checks a probe that one success satisfies: of liveness, or of the start.
func validateLivenessProbe(p *corev1.Probe, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	errs := validateProbe(p, path)
	if p.SuccessThreshold != 1 {
		errs = append(errs, field.Invalid(path.Child("successThreshold"), p.SuccessThreshold, "must be 1"))
	}
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		errs = append(errs, field.Invalid(path.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0"))
	}
	return errs
}

func validateReadinessProbe(p *corev1.Probe, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	errs := validateProbe(p, path)
	if g := p.TerminationGracePeriodSeconds; g != nil {
		errs = append(errs, field.Invalid(path.Child("terminationGracePeriodSeconds"), *g, "must not be set for readinessProbes"))
	}
	return errs
}

func validateProbe(p *corev1.Probe, path *field.Path) field.ErrorList {
	errs := validateHandler(handlers{exec: p.Exec, http: p.HTTPGet, tcp: p.TCPSocket, grpc: p.GRPC}, nil, path)
	errs = append(errs, notNegative(path.Child("initialDelaySeconds"), p.InitialDelaySeconds)...)
	errs = append(errs, notNegative(path.Child("timeoutSeconds"), p.TimeoutSeconds)...)
	errs = append(errs, notNegative(path.Child("periodSeconds"), p.PeriodSeconds)...)
	errs = append(errs, notNegative(path.Child("successThreshold"), p.SuccessThreshold)...)
	return append(errs, notNegative(path.Child("failureThreshold"), p.FailureThreshold)...)
}

// validateHook checks what a container does at its start or end; grace is the time that the pod has for its end.
func validateHook(h *corev1.LifecycleHandler, grace *int64, path *field.Path) field.ErrorList {
	if h == nil {
		return nil
	}
	return validateHandler(handlers{exec: h.Exec, http: h.HTTPGet, tcp: h.TCPSocket, sleep: h.Sleep}, grace, path)
}

// handlers are the ways of a probe or hook, of which one must be chosen.
type handlers struct {
	exec  *corev1.ExecAction
	http  *corev1.HTTPGetAction
	tcp   *corev1.TCPSocketAction
	grpc  *corev1.GRPCAction
	sleep *corev1.SleepAction
}

func validateHandler(h handlers, grace *int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	chosen := 0
	// only checks a handler if it is the first one chosen.
	only := func(name string, check func(at *field.Path) field.ErrorList) {
		chosen++
		if chosen > 1 {
			errs = append(errs, field.Forbidden(path.Child(name), "may not specify more than 1 handler type"))
			return
		}
		errs = append(errs, check(path.Child(name))...)
	}
	if h.exec != nil {
		only("exec", func(at *field.Path) field.ErrorList {
			if len(h.exec.Command) == 0 {
				return field.ErrorList{field.Required(at.Child("command"), "")}
			}
			return nil
		})
	}
	if h.http != nil {
		only("httpGet", func(at *field.Path) field.ErrorList { return validateHTTPGet(h.http, at) })
	}
	if h.tcp != nil {
		only("tcpSocket", func(at *field.Path) field.ErrorList { return validatePortOrName(h.tcp.Port, at.Child("port")) })
	}
	if h.grpc != nil {
		only("grpc", func(at *field.Path) field.ErrorList { return validatePortNumber(h.grpc.Port, at.Child("port")) })
	}
	if h.sleep != nil {
		only("sleep", func(at *field.Path) field.ErrorList { return validateSleep(h.sleep, grace, at) })
	}
	if chosen == 0 {
		errs = append(errs, field.Required(path, "must specify a handler type"))
	}
	return errs
}

func validateHTTPGet(g *corev1.HTTPGetAction, path *field.Path) field.ErrorList {
	errs := required(path.Child("path"), g.Path)
	errs = append(errs, validatePortOrName(g.Port, path.Child("port"))...)
	if g.Scheme != corev1.URISchemeHTTP && g.Scheme != corev1.URISchemeHTTPS {
		errs = append(errs, field.NotSupported(path.Child("scheme"), g.Scheme,
			[]corev1.URIScheme{corev1.URISchemeHTTP, corev1.URISchemeHTTPS}))
	}
	for _, h := range g.HTTPHeaders {
		errs = append(errs, named(path.Child("httpHeaders"), h.Name, validation.IsHTTPHeaderName(h.Name))...)
	}
	return errs
}

func validatePortOrName(port intstr.IntOrString, path *field.Path) field.ErrorList {
	if port.Type == intstr.String {
		return named(path, port.StrVal, validation.IsValidPortName(port.StrVal))
	}
	return validatePortNumber(port.IntVal, path)
}

func validateSleep(s *corev1.SleepAction, grace *int64, path *field.Path) field.ErrorList {
	if grace == nil || (s.Seconds >= 0 && s.Seconds <= *grace) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, s.Seconds,
		fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", *grace))}
}
