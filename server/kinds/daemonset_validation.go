package kinds

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// templateGeneration reads how often the template of a DaemonSet has changed; 1 if the annotation says nothing usable.
func templateGeneration(d *appsv1.DaemonSet) int64 {
	count, err := strconv.ParseInt(d.Annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	if err != nil || count < 1 {
		return 1
	}
	return count
}

func setTemplateGeneration(d *appsv1.DaemonSet, count int64) {
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.FormatInt(count, 10)
}

func validateDaemonSet(obj runtime.Object) field.ErrorList {
	s := &obj.(*appsv1.DaemonSet).Spec
	path := field.NewPath("spec")
	errs := validateSelector(s.Selector, path.Child("selector"))
	errs = append(errs, validateChosen(s.Selector, &s.Template, path.Child("template"))...)
	if isEmptySelector(s.Selector) {
		errs = append(errs, field.Invalid(path.Child("selector"), s.Selector, "empty selector is invalid for daemonset"))
	}
	errs = append(errs, validatePodTemplate(&s.Template, path.Child("template"))...)
	errs = append(errs, validateRunsForGood(&s.Template, "DaemonSet", path.Child("template"))...)
	errs = append(errs, notNegative(path.Child("minReadySeconds"), s.MinReadySeconds)...)
	errs = append(errs, validateDaemonSetStrategy(&s.UpdateStrategy, path.Child("updateStrategy"))...)
	if s.RevisionHistoryLimit != nil {
		errs = append(errs, notNegative(path.Child("revisionHistoryLimit"), *s.RevisionHistoryLimit)...)
	}
	return errs
}

func validateDaemonSetStrategy(s *appsv1.DaemonSetUpdateStrategy, path *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
		return nil
	case appsv1.RollingUpdateDaemonSetStrategyType:
		if s.RollingUpdate == nil {
			return field.ErrorList{field.Required(path.Child("rollingUpdate"), "")}
		}
		return validateDaemonSetRolling(s.RollingUpdate, path.Child("rollingUpdate"))
	}
	return field.ErrorList{field.NotSupported(path, internalForm(*s), []string{
		string(appsv1.RollingUpdateDaemonSetStrategyType), string(appsv1.OnDeleteDaemonSetStrategyType)})}
}

// validateDaemonSetRolling wants either old pods to go first or new ones to come first, but not both.
func validateDaemonSetRolling(r *appsv1.RollingUpdateDaemonSet, path *field.Path) field.ErrorList {
	unavailable, surge := path.Child("maxUnavailable"), path.Child("maxSurge")
	errs := validateShare(r.MaxUnavailable, unavailable)
	errs = append(errs, validateShare(r.MaxSurge, surge)...)
	switch some, more := amount(r.MaxUnavailable) != 0, amount(r.MaxSurge) != 0; {
	case some && more:
		errs = append(errs, field.Invalid(surge, r.MaxSurge, "may not be set when maxUnavailable is non-zero"))
	case !some && !more:
		errs = append(errs, field.Required(unavailable, "cannot be 0 when maxSurge is 0"))
	}
	return errs
}

// validateShare checks a number of pods, or a percentage that is a part of the whole.
func validateShare(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	errs := validateCountOrPercent(v, path)
	if len(errs) == 0 && v != nil && v.Type == intstr.String && amount(v) > 100 {
		errs = append(errs, field.Invalid(path, v, "must not be greater than 100%"))
	}
	return errs
}

func validateDaemonSetUpdate(obj, old runtime.Object) field.ErrorList {
	d, was := obj.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet)
	return apivalidation.ValidateImmutableField(d.Spec.Selector, was.Spec.Selector, field.NewPath("spec", "selector"))
}

func validateDaemonSetStatusUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*appsv1.DaemonSet).Status, &old.(*appsv1.DaemonSet).Status
	path := field.NewPath("status")
	errs := notNegative(path.Child("currentNumberScheduled"), s.CurrentNumberScheduled)
	errs = append(errs, notNegative(path.Child("numberMisscheduled"), s.NumberMisscheduled)...)
	errs = append(errs, notNegative(path.Child("desiredNumberScheduled"), s.DesiredNumberScheduled)...)
	errs = append(errs, notNegative(path.Child("numberReady"), s.NumberReady)...)
	errs = append(errs, notNegative(path.Child("observedGeneration"), s.ObservedGeneration)...)
	errs = append(errs, notNegative(path.Child("updatedNumberScheduled"), s.UpdatedNumberScheduled)...)
	errs = append(errs, notNegative(path.Child("numberAvailable"), s.NumberAvailable)...)
	errs = append(errs, notNegative(path.Child("numberUnavailable"), s.NumberUnavailable)...)
	if s.CollisionCount != nil {
		errs = append(errs, notNegative(path.Child("collisionCount"), *s.CollisionCount)...)
	}
	return append(errs, notDecremented(s.CollisionCount, was.CollisionCount, path.Child("collisionCount"))...)
}
