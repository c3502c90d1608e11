package kinds

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePod checks a pod.
func validatePod(obj runtime.Object) field.ErrorList {
	p := obj.(*corev1.Pod)
	path := field.NewPath("spec")
	errs := validatePodSpec(&p.Spec, path)
	for i, c := range p.Spec.Containers {
		errs = append(errs, validateImageSpace(c.Image, path.Child("containers").Index(i).Child("image"))...)
	}
	for i, c := range p.Spec.InitContainers {
		errs = append(errs, validateImageSpace(c.Image, path.Child("initContainers").Index(i).Child("image"))...)
	}
	return errs
}

// validatePodCreate refuses ephemeral containers, which are added to a pod that is there, and a node for a pod that is
// not to be scheduled yet.
func validatePodCreate(obj runtime.Object) field.ErrorList {
	s, path := &obj.(*corev1.Pod).Spec, field.NewPath("spec")
	var errs field.ErrorList
	if len(s.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(path.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if s.NodeName != "" && len(s.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(path.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	return errs
}

// updatablePodFields is what a refused update is told that it may change.
const updatablePodFields = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// validatePodUpdate lets a pod change only in the few fields that its node can follow.
func validatePodUpdate(obj, old runtime.Object) field.ErrorList {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	path := field.NewPath("spec")
	if len(p.Spec.Containers) != len(was.Spec.Containers) {
		return field.ErrorList{field.Forbidden(path.Child("containers"), "pod updates may not add or remove containers")}
	}
	if len(p.Spec.InitContainers) != len(was.Spec.InitContainers) {
		return field.ErrorList{field.Forbidden(path.Child("initContainers"), "pod updates may not add or remove containers")}
	}
	errs := validateDeadlineUpdate(p.Spec.ActiveDeadlineSeconds, was.Spec.ActiveDeadlineSeconds, path.Child("activeDeadlineSeconds"))
	errs = append(errs, validateGateUpdate(p.Spec.SchedulingGates, was.Spec.SchedulingGates, path.Child("schedulingGates"))...)
	errs = append(errs, validateTolerationUpdate(p.Spec.Tolerations, was.Spec.Tolerations, path.Child("tolerations"))...)
	masked := maskUpdatable(&p.Spec, &was.Spec)
	if equality.Semantic.DeepEqual(*masked, was.Spec) {
		return errs
	}
	return append(errs, field.Forbidden(path, fmt.Sprintf("pod updates may not change fields other than %s\n%v",
		updatablePodFields, diff.Diff(internalForm(was.Spec), internalForm(*masked)))))
}

// maskUpdatable returns spec with the old values in those fields that may change.
func maskUpdatable(spec, was *corev1.PodSpec) *corev1.PodSpec {
	m := spec.DeepCopy()
	for i := range m.Containers {
		m.Containers[i].Image = was.Containers[i].Image
	}
	for i := range m.InitContainers {
		m.InitContainers[i].Image = was.InitContainers[i].Image
	}
	m.ActiveDeadlineSeconds = was.ActiveDeadlineSeconds
	m.SchedulingGates = was.SchedulingGates
	m.Tolerations = was.Tolerations
	before, now := was.TerminationGracePeriodSeconds, spec.TerminationGracePeriodSeconds
	if before != nil && *before < 0 && now != nil && *now == 1 {
		m.TerminationGracePeriodSeconds = before
	}
	// A pod that the scheduler does not look at yet may still be narrowed to fewer nodes.
	if len(was.SchedulingGates) > 0 && isNarrowed(spec.NodeSelector, was.NodeSelector) {
		m.NodeSelector = was.NodeSelector
	}
	return m
}

func isNarrowed(selector, was map[string]string) bool {
	for key, value := range was {
		if now, ok := selector[key]; !ok || now != value {
			return false
		}
	}
	return true
}

// validateDeadlineUpdate lets a deadline only come closer.
func validateDeadlineUpdate(now, was *int64, path *field.Path) field.ErrorList {
	switch {
	case now != nil && (*now < 0 || *now > math.MaxInt32):
		return field.ErrorList{field.Invalid(path, *now, validation.InclusiveRangeError(0, math.MaxInt32))}
	case was == nil:
		return nil
	case now == nil:
		return field.ErrorList{field.Invalid(path, now, "must not update from a positive integer to nil value")}
	case *now > *was:
		return field.ErrorList{field.Invalid(path, *now, "must be less than or equal to previous value")}
	}
	return nil
}

func validateGateUpdate(now, was []corev1.PodSchedulingGate, path *field.Path) field.ErrorList {
	known := map[string]bool{}
	for _, gate := range was {
		known[gate.Name] = true
	}
	var errs field.ErrorList
	for i, gate := range now {
		if !known[gate.Name] {
			errs = append(errs, field.Forbidden(path.Index(i).Child("name"),
				fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'", gate.Name)))
		}
	}
	return errs
}

// validateTolerationUpdate keeps every old toleration; only how long it lasts may change.
func validateTolerationUpdate(now, was []corev1.Toleration, path *field.Path) field.ErrorList {
	for _, old := range was {
		kept := false
		for _, t := range now {
			t.TolerationSeconds = old.TolerationSeconds
			kept = kept || equality.Semantic.DeepEqual(t, old)
		}
		if !kept {
			return field.ErrorList{field.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

// validatePodStatusUpdate checks what a node reports: no container comes back that must not run again.
func validatePodStatusUpdate(obj, old runtime.Object) field.ErrorList {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	path := field.NewPath("status")
	var errs field.ErrorList
	if name := p.Status.NominatedNodeName; name != "" {
		errs = append(errs, named(path.Child("nominatedNodeName"), name, validation.IsDNS1123Subdomain(name))...)
	}
	if was.Status.QOSClass != "" && p.Status.QOSClass != was.Status.QOSClass {
		errs = append(errs, field.Invalid(path.Child("qosClass"), p.Status.QOSClass, "field is immutable"))
	}
	errs = append(errs, validateNoRevival(p, was, path.Child("containerStatuses"))...)
	for i, c := range p.Status.Conditions {
		value := string(c.Type)
		errs = append(errs, named(path.Child("conditions").Index(i).Child("type"), value, validation.IsQualifiedName(value))...)
	}
	for i, ip := range p.Status.PodIPs {
		errs = append(errs, validation.IsValidIP(path.Child("podIPs").Index(i), ip.IP)...)
	}
	return errs
}

func validateNoRevival(p, was *corev1.Pod, path *field.Path) field.ErrorList {
	if p.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return nil
	}
	ended := map[string]bool{}
	for _, c := range was.Status.ContainerStatuses {
		t := c.State.Terminated
		ended[c.Name] = t != nil && (p.Spec.RestartPolicy == corev1.RestartPolicyNever || t.ExitCode == 0)
	}
	var errs field.ErrorList
	for i, c := range p.Status.ContainerStatuses {
		if ended[c.Name] && c.State.Terminated == nil {
			errs = append(errs, field.Forbidden(path.Index(i).Child("state"), "may not be transitioned to non-terminated state"))
		}
	}
	return errs
}
