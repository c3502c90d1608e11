package kinds

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateJob(obj runtime.Object) field.ErrorList {
	j := obj.(*batchv1.Job)
	path := field.NewPath("spec")
	errs := validateJobSpec(&j.Spec, path)
	if j.Spec.Selector == nil {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	} else {
		errs = append(errs, validateSelector(j.Spec.Selector, path.Child("selector"))...)
	}
	return append(errs, validateChosen(j.Spec.Selector, &j.Spec.Template, path.Child("template"))...)
}

func validateJobCreate(obj runtime.Object) field.ErrorList {
	j := obj.(*batchv1.Job)
	return append(validateGeneratedSelector(j), validateIndexedName(j)...)
}

// validateIndexedName makes sure that the last pod's host name, made of the Job's name and an index, will be one.
func validateIndexedName(j *batchv1.Job) field.ErrorList {
	if !isIndexed(&j.Spec) || j.Spec.Completions == nil || *j.Spec.Completions <= 0 {
		return nil
	}
	host := fmt.Sprintf("%s-%d", j.Name, *j.Spec.Completions-1)
	if len(validation.IsDNS1123Label(host)) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), j.Name, "will not able to create pod with invalid DNS label: "+host)}
}

// validateGeneratedSelector checks that the labels by which a Job knows its pods are those that it was given.
func validateGeneratedSelector(j *batchv1.Job) field.ErrorList {
	if isTrue(j.Spec.ManualSelector) || j.Spec.Selector == nil {
		return nil
	}
	uid := string(j.UID)
	var errs field.ErrorList
	if uid == "" {
		errs = append(errs, field.Required(field.NewPath("metadata", "uid"), ""))
	}
	expected := labels.Set{}
	for _, l := range []struct{ key, value string }{
		{oldControllerUIDLabel, uid}, {oldJobNameLabel, j.Name}, {batchv1.ControllerUidLabel, uid}, {batchv1.JobNameLabel, j.Name},
	} {
		expected[l.key] = l.value
		errs = append(errs, validateHasLabel(&j.Spec.Template.ObjectMeta, l.key, l.value)...)
	}
	if s, err := metav1.LabelSelectorAsSelector(j.Spec.Selector); err == nil && !s.Matches(expected) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "selector"), j.Spec.Selector, "`selector` not auto-generated"))
	}
	return errs
}

func validateHasLabel(m *metav1.ObjectMeta, key, value string) field.ErrorList {
	path := field.NewPath("spec", "template", "metadata", "labels")
	switch is, ok := m.Labels[key]; {
	case !ok:
		return field.ErrorList{field.Required(path.Key(key), fmt.Sprintf("must be '%s'", value))}
	case is != value:
		return field.ErrorList{field.Invalid(path.Key(key), m.Labels, fmt.Sprintf("must be '%s'", value))}
	}
	return nil
}

func isIndexed(s *batchv1.JobSpec) bool {
	return s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion
}

// mostManagedBy is the longest managedBy, in characters.
const mostManagedBy = 63

// validateJobSpec checks a spec in a Job or in a CronJob.
func validateJobSpec(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, n := range []struct {
		name  string
		value *int32
	}{
		{"parallelism", s.Parallelism}, {"completions", s.Completions}, {"backoffLimit", s.BackoffLimit},
		{"ttlSecondsAfterFinished", s.TTLSecondsAfterFinished}, {"backoffLimitPerIndex", s.BackoffLimitPerIndex},
		{"maxFailedIndexes", s.MaxFailedIndexes},
	} {
		if n.value != nil {
			errs = append(errs, notNegative(path.Child(n.name), *n.value)...)
		}
	}
	if s.ActiveDeadlineSeconds != nil {
		errs = append(errs, notNegative(path.Child("activeDeadlineSeconds"), *s.ActiveDeadlineSeconds)...)
	}
	if s.MaxFailedIndexes != nil && s.BackoffLimitPerIndex == nil {
		errs = append(errs, field.Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	errs = append(errs, validateManagedBy(s.ManagedBy, path.Child("managedBy"))...)
	errs = append(errs, validateCompletionMode(s, path)...)
	errs = append(errs, validateJobPolicies(s, path)...)
	errs = append(errs, validatePodTemplate(&s.Template, path.Child("template"))...)
	return append(errs, validateJobRestarts(s, path.Child("template", "spec", "restartPolicy"))...)
}

func validateManagedBy(name *string, path *field.Path) field.ErrorList {
	if name == nil {
		return nil
	}
	errs := validation.IsDomainPrefixedPath(path, *name)
	if len(*name) > mostManagedBy {
		errs = append(errs, field.TooLong(path, *name, mostManagedBy))
	}
	return errs
}

// validateJobRestarts refuses pods that never end.
func validateJobRestarts(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	switch p := s.Template.Spec.RestartPolicy; {
	case p == "" || p == corev1.RestartPolicyAlways:
		return field.ErrorList{field.Required(path, fmt.Sprintf("valid values: %q, %q", corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever))}
	case p != corev1.RestartPolicyOnFailure && p != corev1.RestartPolicyNever:
		return field.ErrorList{field.NotSupported(path, p, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever})}
	case s.PodFailurePolicy != nil && p != corev1.RestartPolicyNever:
		return field.ErrorList{field.Invalid(path, p, fmt.Sprintf("only %q is supported when podFailurePolicy is specified", corev1.RestartPolicyNever))}
	}
	return nil
}

// validateJobUpdate keeps what a Job's pods are made from. One that is suspended and has not begun may still be told
// where its pods run.
func validateJobUpdate(obj, old runtime.Object) field.ErrorList {
	j, was := obj.(*batchv1.Job), old.(*batchv1.Job)
	path := field.NewPath("spec")
	is, before := &j.Spec, &was.Spec
	errs := validateCompletionsUpdate(is, before, path.Child("completions"))
	errs = append(errs, apivalidation.ValidateImmutableField(is.Selector, before.Selector, path.Child("selector"))...)
	template := &before.Template
	if isTrue(before.Suspend) && was.Status.StartTime == nil {
		template = schedulable(template, &is.Template)
	}
	errs = append(errs, validateSame(&is.Template, template, path.Child("template"))...)
	errs = append(errs, apivalidation.ValidateImmutableField(is.CompletionMode, before.CompletionMode, path.Child("completionMode"))...)
	errs = append(errs, validateSame(is.PodFailurePolicy, before.PodFailurePolicy, path.Child("podFailurePolicy"))...)
	errs = append(errs, apivalidation.ValidateImmutableField(is.BackoffLimitPerIndex, before.BackoffLimitPerIndex, path.Child("backoffLimitPerIndex"))...)
	errs = append(errs, apivalidation.ValidateImmutableField(is.ManagedBy, before.ManagedBy, path.Child("managedBy"))...)
	return append(errs, validateSame(is.SuccessPolicy, before.SuccessPolicy, path.Child("successPolicy"))...)
}

// schedulable returns the old template with what is tells about the place of the pods.
func schedulable(was, is *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	t := was.DeepCopy()
	if is.Spec.Affinity != nil {
		orDefault(&t.Spec.Affinity, corev1.Affinity{})
		t.Spec.Affinity.NodeAffinity = is.Spec.Affinity.NodeAffinity
	} else if t.Spec.Affinity != nil {
		t.Spec.Affinity.NodeAffinity = nil
		if *t.Spec.Affinity == (corev1.Affinity{}) {
			t.Spec.Affinity = nil
		}
	}
	t.Spec.NodeSelector = is.Spec.NodeSelector
	t.Spec.Tolerations = is.Spec.Tolerations
	t.Spec.SchedulingGates = is.Spec.SchedulingGates
	t.Annotations = is.Annotations
	t.Labels = is.Labels
	return t
}

// validateCompletionsUpdate lets a Job with indexes grow and shrink, as long as all of it runs at once.
func validateCompletionsUpdate(is, was *batchv1.JobSpec, path *field.Path) field.ErrorList {
	if !isIndexed(is) {
		return apivalidation.ValidateImmutableField(is.Completions, was.Completions, path)
	}
	if is.Completions == nil || equality.Semantic.DeepEqual(is.Completions, was.Completions) {
		return nil
	}
	if is.Parallelism != nil && *is.Completions == *is.Parallelism {
		return nil
	}
	return field.ErrorList{field.Invalid(path, is.Completions, "can only be modified in tandem with "+path.Root().Child("parallelism").String())}
}
