package kinds

import (
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodTemplate checks a template for pods of any sort. The paths of its labels and annotations leave out
// "metadata" in Kubernetes too.
func validatePodTemplate(t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(t.Labels, path.Child("labels"))
	errs = append(errs, apivalidation.ValidateAnnotations(t.Annotations, path.Child("annotations"))...)
	errs = append(errs, validatePodSpec(&t.Spec, path.Child("spec"))...)
	if len(t.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(path.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

// validateRunsForGood checks that the pods of a template are to run until they are told to stop, as those of kind are.
func validateRunsForGood(t *corev1.PodTemplateSpec, kind string, path *field.Path) field.ErrorList {
	errs := validateAlwaysRestarts(t, path)
	if t.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(path.Child("spec", "activeDeadlineSeconds"),
			"activeDeadlineSeconds in "+kind+" is not Supported"))
	}
	return errs
}

func validateAlwaysRestarts(t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	if t.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return nil
	}
	return field.ErrorList{field.NotSupported(path.Child("spec", "restartPolicy"), t.Spec.RestartPolicy,
		[]corev1.RestartPolicy{corev1.RestartPolicyAlways})}
}

// validateChosen checks that the selector chooses the pods made from the template. One that cannot be read has been
// told already; an empty one chooses all.
func validateChosen(s *metav1.LabelSelector, t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || selector.Matches(labels.Set(t.Labels)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`")}
}

// validateSelector checks the form of a selector of pods.
func validateSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, path)
}

// isEmptySelector tells whether a selector is there and chooses everything.
func isEmptySelector(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// notDecremented checks a count of collisions, which may not become less nor go.
func notDecremented(is, was *int32, path *field.Path) field.ErrorList {
	if was == nil || is != nil && *is >= *was {
		return nil
	}
	value := int32(0)
	if is != nil {
		value = *is
	}
	return field.ErrorList{field.Invalid(path, value, "cannot be decremented")}
}
