package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateDeployment(obj runtime.Object) field.ErrorList {
	s := &obj.(*appsv1.Deployment).Spec
	path := field.NewPath("spec")
	errs := notNegative(path.Child("replicas"), replicasOr1(s.Replicas))
	errs = append(errs, validateSelectorAndTemplate(s.Selector, &s.Template, path)...)
	errs = append(errs, validateStrategy(&s.Strategy, path.Child("strategy"))...)
	errs = append(errs, notNegative(path.Child("minReadySeconds"), s.MinReadySeconds)...)
	if s.RevisionHistoryLimit != nil {
		errs = append(errs, notNegative(path.Child("revisionHistoryLimit"), *s.RevisionHistoryLimit)...)
	}
	if s.ProgressDeadlineSeconds != nil {
		deadline := path.Child("progressDeadlineSeconds")
		errs = append(errs, notNegative(deadline, *s.ProgressDeadlineSeconds)...)
		if *s.ProgressDeadlineSeconds <= s.MinReadySeconds {
			errs = append(errs, field.Invalid(deadline, *s.ProgressDeadlineSeconds, "must be greater than minReadySeconds"))
		}
	}
	return errs
}

func validateDeploymentUpdate(obj, old runtime.Object) field.ErrorList {
	d, was := obj.(*appsv1.Deployment), old.(*appsv1.Deployment)
	return apivalidation.ValidateImmutableField(d.Spec.Selector, was.Spec.Selector, field.NewPath("spec", "selector"))
}

func validateDeploymentStatusUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*appsv1.Deployment).Status, &old.(*appsv1.Deployment).Status
	path := field.NewPath("status")
	errs := notNegative(path.Child("observedGeneration"), s.ObservedGeneration)
	errs = append(errs, notNegative(path.Child("replicas"), s.Replicas)...)
	errs = append(errs, notNegative(path.Child("updatedReplicas"), s.UpdatedReplicas)...)
	errs = append(errs, notNegative(path.Child("readyReplicas"), s.ReadyReplicas)...)
	errs = append(errs, notNegative(path.Child("availableReplicas"), s.AvailableReplicas)...)
	errs = append(errs, notNegative(path.Child("unavailableReplicas"), s.UnavailableReplicas)...)
	errs = append(errs, notNegativeIfSet(path.Child("terminatingReplicas"), s.TerminatingReplicas)...)
	errs = append(errs, atMost(path.Child("updatedReplicas"), s.UpdatedReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("readyReplicas"), s.ReadyReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("availableReplicas"), s.AvailableReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("availableReplicas"), s.AvailableReplicas, s.ReadyReplicas, "cannot be greater than readyReplicas")...)
	if s.CollisionCount == nil {
		if was.CollisionCount != nil {
			errs = append(errs, field.Invalid(path.Child("collisionCount"), s.CollisionCount, "cannot be decremented"))
		}
		return errs
	}
	errs = append(errs, notNegative(path.Child("collisionCount"), *s.CollisionCount)...)
	if was.CollisionCount != nil && *s.CollisionCount < *was.CollisionCount {
		errs = append(errs, field.Invalid(path.Child("collisionCount"), *s.CollisionCount, "cannot be decremented"))
	}
	return errs
}

// notNegativeIfSet checks a count that may be missing.
func notNegativeIfSet(path *field.Path, n *int32) field.ErrorList {
	if n == nil {
		return nil
	}
	return notNegative(path, *n)
}

const moreThanReplicas = "cannot be greater than status.replicas"

// atMost refuses a count of some of the pods above the count of all.
func atMost(path *field.Path, some, all int32, reason string) field.ErrorList {
	if some <= all {
		return nil
	}
	return field.ErrorList{field.Invalid(path, some, reason)}
}

func validateReplicaSet(obj runtime.Object) field.ErrorList {
	s := &obj.(*appsv1.ReplicaSet).Spec
	path := field.NewPath("spec")
	errs := notNegative(path.Child("replicas"), replicasOr1(s.Replicas))
	errs = append(errs, notNegative(path.Child("minReadySeconds"), s.MinReadySeconds)...)
	return append(errs, validateSelectorAndTemplate(s.Selector, &s.Template, path)...)
}

func validateReplicaSetUpdate(obj, old runtime.Object) field.ErrorList {
	r, was := obj.(*appsv1.ReplicaSet), old.(*appsv1.ReplicaSet)
	return apivalidation.ValidateImmutableField(r.Spec.Selector, was.Spec.Selector, field.NewPath("spec", "selector"))
}

func validateReplicaSetStatusUpdate(obj, _ runtime.Object) field.ErrorList {
	s := obj.(*appsv1.ReplicaSet).Status
	return validateReplicaCounts(replicaCounts{s.Replicas, s.FullyLabeledReplicas, s.ReadyReplicas, s.AvailableReplicas, s.TerminatingReplicas, s.ObservedGeneration})
}

// replicaCounts are what the status of a ReplicaSet and of a ReplicationController count.
type replicaCounts struct {
	replicas, fullyLabeled, ready, available int32
	terminating                              *int32 // nil for a ReplicationController, which does not count them
	observedGeneration                       int64
}

func validateReplicaCounts(s replicaCounts) field.ErrorList {
	path := field.NewPath("status")
	errs := notNegative(path.Child("replicas"), s.replicas)
	errs = append(errs, notNegative(path.Child("fullyLabeledReplicas"), s.fullyLabeled)...)
	errs = append(errs, notNegative(path.Child("readyReplicas"), s.ready)...)
	errs = append(errs, notNegative(path.Child("availableReplicas"), s.available)...)
	errs = append(errs, notNegativeIfSet(path.Child("terminatingReplicas"), s.terminating)...)
	errs = append(errs, notNegative(path.Child("observedGeneration"), s.observedGeneration)...)
	errs = append(errs, atMost(path.Child("fullyLabeledReplicas"), s.fullyLabeled, s.replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("readyReplicas"), s.ready, s.replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("availableReplicas"), s.available, s.replicas, moreThanReplicas)...)
	return append(errs, atMost(path.Child("availableReplicas"), s.available, s.ready, "cannot be greater than readyReplicas")...)
}

// validateSelectorAndTemplate checks that the pods made from the template are those that the selector chooses.
func validateSelectorAndTemplate(s *metav1.LabelSelector, t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	at := path.Child("selector")
	var errs field.ErrorList
	if s == nil {
		errs = append(errs, field.Required(at, ""))
	} else {
		errs = append(errs, metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, at)...)
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(at, s, "empty selector is invalid for deployment"))
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return append(errs, field.Invalid(at, s, "invalid label selector"))
	}
	return append(errs, validateTemplate(t, selector, path.Child("template"))...)
}

// validateTemplate checks the template of pods that are always to run.
func validateTemplate(t *corev1.PodTemplateSpec, selector labels.Selector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !selector.Empty() && !selector.Matches(labels.Set(t.Labels)) {
		errs = append(errs, field.Invalid(path.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`"))
	}
	errs = append(errs, validatePodTemplate(t, path)...)
	return append(errs, validateRunsForGood(t, "ReplicaSet", path)...)
}

func validateStrategy(s *appsv1.DeploymentStrategy, path *field.Path) field.ErrorList {
	rolling := path.Child("rollingUpdate")
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if s.RollingUpdate != nil {
			return field.ErrorList{field.Forbidden(rolling, "may not be specified when strategy `type` is '"+string(s.Type)+"'")}
		}
	case appsv1.RollingUpdateDeploymentStrategyType:
		if s.RollingUpdate == nil {
			return field.ErrorList{field.Required(rolling, "this should be defaulted and never be nil")}
		}
		return validateRollingUpdate(s.RollingUpdate, rolling)
	default:
		return field.ErrorList{field.NotSupported(path, internalForm(*s), []string{
			string(appsv1.RecreateDeploymentStrategyType), string(appsv1.RollingUpdateDeploymentStrategyType)})}
	}
	return nil
}

func validateRollingUpdate(r *appsv1.RollingUpdateDeployment, path *field.Path) field.ErrorList {
	unavailable, surge := path.Child("maxUnavailable"), path.Child("maxSurge")
	errs := validateCountOrPercent(r.MaxUnavailable, unavailable)
	errs = append(errs, validateCountOrPercent(r.MaxSurge, surge)...)
	if len(errs) > 0 {
		return errs
	}
	if amount(r.MaxUnavailable) == 0 && amount(r.MaxSurge) == 0 {
		errs = append(errs, field.Invalid(unavailable, r.MaxUnavailable, "may not be 0 when `maxSurge` is 0"))
	}
	if r.MaxUnavailable != nil && r.MaxUnavailable.Type == intstr.String && amount(r.MaxUnavailable) > 100 {
		errs = append(errs, field.Invalid(unavailable, r.MaxUnavailable, "must not be greater than 100%"))
	}
	return errs
}

func validateCountOrPercent(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	switch {
	case v == nil:
		return nil
	case v.Type == intstr.String:
		var errs field.ErrorList
		for _, reason := range validation.IsValidPercent(v.StrVal) {
			errs = append(errs, field.Invalid(path, v, reason))
		}
		return errs
	}
	return notNegative(path, v.IntVal)
}

// amount reads a valid count or percentage as a bare number; nil is zero.
func amount(v *intstr.IntOrString) int {
	if v == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(v, 100, true)
	if err != nil {
		return 0
	}
	return n
}
