package kinds

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of scaling rules, in seconds.
const (
	maxStabilizationWindow = 3600
	maxScalingPeriod       = 1800
)

func validateAutoscaler(obj runtime.Object) field.ErrorList {
	return validateAutoscalerSpec(&obj.(*autoscalingv2.HorizontalPodAutoscaler).Spec, nil)
}

func validateAutoscalerUpdate(obj, old runtime.Object) field.ErrorList {
	return validateAutoscalerSpec(&obj.(*autoscalingv2.HorizontalPodAutoscaler).Spec, &old.(*autoscalingv2.HorizontalPodAutoscaler).Spec)
}

func validateAutoscalerStatusUpdate(obj, _ runtime.Object) field.ErrorList {
	s := &obj.(*autoscalingv2.HorizontalPodAutoscaler).Status
	at := field.NewPath("status")
	errs := notNegative(at.Child("currentReplicas"), s.CurrentReplicas)
	return append(errs, notNegative(at.Child("desiredReplicas"), s.DesiredReplicas)...)
}

// validateAutoscalerSpec checks a spec; what was wrong in the old one, if there is one, is let be.
func validateAutoscalerSpec(s, was *autoscalingv2.HorizontalPodAutoscalerSpec) field.ErrorList {
	at := field.NewPath("spec")
	var errs field.ErrorList
	if s.MinReplicas != nil { // 0 is allowed since Kubernetes 1.37
		errs = append(errs, notNegative(at.Child("minReplicas"), *s.MinReplicas)...)
	}
	switch {
	case s.MaxReplicas == 0:
		errs = append(errs, field.Required(at.Child("maxReplicas"), ""))
	case s.MaxReplicas < 0:
		errs = append(errs, field.Invalid(at.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1"))
	}
	if s.MinReplicas != nil && s.MaxReplicas < *s.MinReplicas {
		errs = append(errs, field.Invalid(at.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	errs = append(errs, validateScaleTarget(s, was, at.Child("scaleTargetRef"))...)
	errs = append(errs, validateMetrics(s, was, at.Child("metrics"))...)
	if s.Behavior != nil {
		errs = append(errs, validateScalingRules(s.Behavior.ScaleUp, at.Child("behavior", "scaleUp"))...)
		errs = append(errs, validateScalingRules(s.Behavior.ScaleDown, at.Child("behavior", "scaleDown"))...)
	}
	return errs
}

// validateScaleTarget wants the group of what is scaled, but of a ReplicationController, the only kind without one.
func validateScaleTarget(s, was *autoscalingv2.HorizontalPodAutoscalerSpec, at *field.Path) field.ErrorList {
	ref := s.ScaleTargetRef
	errs := validateCrossReference(ref, at)
	if was != nil && was.ScaleTargetRef.APIVersion == ref.APIVersion && was.ScaleTargetRef.Kind == ref.Kind {
		return errs
	}
	return append(errs, validateReferredVersion(ref, ref.Kind == "ReplicationController", at)...)
}

func validateCrossReference(ref autoscalingv2.CrossVersionObjectReference, at *field.Path) field.ErrorList {
	errs := pathSegment(ref.Kind, "", at.Child("kind"))
	return append(errs, pathSegment(ref.Name, "", at.Child("name"))...)
}

// pathSegment wants a value that could stand in a path; missing is said where there is none.
func pathSegment(value, missing string, at *field.Path) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, missing)}
	}
	return named(at, value, path.IsValidPathSegmentName(value))
}

func validateReferredVersion(ref autoscalingv2.CrossVersionObjectReference, core bool, at *field.Path) field.ErrorList {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(at.Child("apiVersion"), ref.APIVersion, err.Error())}
	case gv.Group == "" && !core:
		return field.ErrorList{field.Invalid(at.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group")}
	}
	return nil
}

func validateScalingRules(r *autoscalingv2.HPAScalingRules, at *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	var errs field.ErrorList
	window := at.Child("stabilizationWindowSeconds")
	switch w := r.StabilizationWindowSeconds; {
	case w == nil:
	case *w < 0:
		errs = append(errs, field.Invalid(window, *w, "must be greater than or equal to zero"))
	case *w > maxStabilizationWindow:
		errs = append(errs, field.Invalid(window, *w, fmt.Sprintf("must be less than or equal to %d", maxStabilizationWindow)))
	}
	if r.SelectPolicy != nil {
		errs = append(errs, among(at.Child("selectPolicy"), *r.SelectPolicy, autoscalingv2.DisabledPolicySelect,
			autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect)...)
	}
	if len(r.Policies) == 0 {
		errs = append(errs, field.Required(at.Child("policies"), "must specify at least one Policy"))
	}
	for i, p := range r.Policies {
		errs = append(errs, validateScalingPolicy(p, at.Child("policies").Index(i))...)
	}
	if r.Tolerance != nil && r.Tolerance.Sign() < 0 {
		errs = append(errs, field.Invalid(at.Child("tolerance"), r.Tolerance.String(), apivalidation.IsNegativeErrorMsg))
	}
	return errs
}

func validateScalingPolicy(p autoscalingv2.HPAScalingPolicy, at *field.Path) field.ErrorList {
	errs := among(at.Child("type"), p.Type, autoscalingv2.PercentScalingPolicy, autoscalingv2.PodsScalingPolicy)
	if p.Value <= 0 {
		errs = append(errs, field.Invalid(at.Child("value"), p.Value, "must be greater than zero"))
	}
	switch {
	case p.PeriodSeconds <= 0:
		errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero"))
	case p.PeriodSeconds > maxScalingPeriod:
		errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, fmt.Sprintf("must be less than or equal to %d", maxScalingPeriod)))
	}
	return errs
}
