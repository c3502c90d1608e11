package kinds

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The limits of a Job with indexes, as the documentation of completionMode and maxFailedIndexes gives them: many
// completions allow fewer pods at a time, so that the lists of indexes in the status stay short.
const (
	mostParallel       = 100_000
	mostFailedIndexes  = 100_000
	manyCompletions    = 100_000
	mostParallelOfMany = 10_000
	mostFailedOfMany   = 10_000
)

// The limits of the policies, as their documentation gives them.
const (
	mostRules      = 20
	mostExitCodes  = 255
	mostConditions = 20
	mostIndexBytes = 64 << 10
)

func validateCompletionMode(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	mode := s.CompletionMode
	if mode != nil && *mode != batchv1.NonIndexedCompletion && *mode != batchv1.IndexedCompletion {
		errs = append(errs, field.NotSupported(path.Child("completionMode"), *mode,
			[]batchv1.CompletionMode{batchv1.NonIndexedCompletion, batchv1.IndexedCompletion}))
	}
	if isIndexed(s) {
		return append(errs, validateIndexed(s, path)...)
	}
	if mode != nil && *mode != batchv1.NonIndexedCompletion {
		return errs
	}
	const needsIndexes = "requires indexed completion mode"
	if s.BackoffLimitPerIndex != nil {
		errs = append(errs, field.Invalid(path.Child("backoffLimitPerIndex"), *s.BackoffLimitPerIndex, needsIndexes))
	}
	if s.MaxFailedIndexes != nil {
		errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *s.MaxFailedIndexes, needsIndexes))
	}
	return errs
}

func validateIndexed(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	parallelism, failed := path.Child("parallelism"), path.Child("maxFailedIndexes")
	if s.Completions == nil {
		errs = append(errs, field.Required(path.Child("completions"), "when completion mode is Indexed"))
	}
	if n := s.Parallelism; n != nil && *n > mostParallel {
		errs = append(errs, field.Invalid(parallelism, *n, fmt.Sprintf("must be less than or equal to %d when completion mode is Indexed", mostParallel)))
	}
	if n := s.MaxFailedIndexes; n != nil && s.Completions != nil && *n > *s.Completions {
		errs = append(errs, field.Invalid(failed, *n, "must be less than or equal to completions"))
	}
	if n := s.MaxFailedIndexes; n != nil && *n > mostFailedIndexes {
		errs = append(errs, field.Invalid(failed, *n, fmt.Sprintf("must be less than or equal to %d", mostFailedIndexes)))
	}
	if s.Completions == nil || *s.Completions <= manyCompletions || s.BackoffLimitPerIndex == nil {
		return errs
	}
	const ofMany = "must be less than or equal to %d when completions are above %d and used with backoff limit per index"
	if s.MaxFailedIndexes == nil {
		errs = append(errs, field.Required(failed, fmt.Sprintf("must be specified when completions is above %d", manyCompletions)))
	}
	if n := s.Parallelism; n != nil && *n > mostParallelOfMany {
		errs = append(errs, field.Invalid(parallelism, *n, fmt.Sprintf(ofMany, mostParallelOfMany, manyCompletions)))
	}
	if n := s.MaxFailedIndexes; n != nil && *n > mostFailedOfMany {
		errs = append(errs, field.Invalid(failed, *n, fmt.Sprintf(ofMany, mostFailedOfMany, manyCompletions)))
	}
	return errs
}

// validateJobPolicies checks when a Job fails, when it succeeds, and when a pod is replaced.
func validateJobPolicies(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.PodFailurePolicy != nil {
		errs = append(errs, validateFailurePolicy(s, path.Child("podFailurePolicy", "rules"))...)
	}
	success := path.Child("successPolicy")
	switch {
	case s.SuccessPolicy == nil:
	case !isIndexed(s):
		errs = append(errs, field.Invalid(success, internalForm(*s.SuccessPolicy), "requires indexed completion mode"))
	default:
		errs = append(errs, validateSuccessPolicy(s, success.Child("rules"))...)
	}
	known := []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.TerminatingOrFailed}
	if s.PodFailurePolicy != nil {
		known = known[:1]
	}
	if p := s.PodReplacementPolicy; p != nil && !slices.Contains(known, *p) {
		errs = append(errs, field.NotSupported(path.Child("podReplacementPolicy"), *p, known))
	}
	return errs
}

func validateFailurePolicy(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	rules := s.PodFailurePolicy.Rules
	var errs field.ErrorList
	if len(rules) > mostRules {
		errs = append(errs, field.TooMany(path, len(rules), mostRules))
	}
	names := map[string]bool{}
	for _, c := range slices.Concat(s.Template.Spec.Containers, s.Template.Spec.InitContainers) {
		names[c.Name] = true
	}
	for i := range rules {
		errs = append(errs, validateFailureRule(&rules[i], s.BackoffLimitPerIndex != nil, names, path.Index(i))...)
	}
	return errs
}

func validateFailureRule(r *batchv1.PodFailurePolicyRule, perIndex bool, names map[string]bool, path *field.Path) field.ErrorList {
	errs := oneOfListed(path.Child("action"), r.Action, batchv1.PodFailurePolicyActionCount,
		batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore)
	if r.Action == batchv1.PodFailurePolicyActionFailIndex && !perIndex {
		errs = append(errs, field.Invalid(path.Child("action"), r.Action, "requires the backoffLimitPerIndex to be set"))
	}
	if r.OnExitCodes != nil {
		errs = append(errs, validateExitCodes(r.OnExitCodes, names, path.Child("onExitCodes"))...)
	}
	errs = append(errs, validateFailureConditions(r.OnPodConditions, path.Child("onPodConditions"))...)
	switch codes, conditions := r.OnExitCodes != nil, len(r.OnPodConditions) > 0; {
	case codes && conditions:
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "specifying both OnExitCodes and OnPodConditions is not supported"))
	case !codes && !conditions:
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "specifying one of OnExitCodes and OnPodConditions is required"))
	}
	return errs
}

// oneOfListed is oneOf with the valid values told when there is none.
func oneOfListed[T ~string](path *field.Path, value T, valid ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, fmt.Sprintf("valid values: %q", valid))}
	}
	return oneOf(path, value, valid...)
}

func validateFailureConditions(patterns []batchv1.PodFailurePolicyOnPodConditionsPattern, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(patterns) > mostConditions {
		errs = append(errs, field.TooMany(path, len(patterns), mostConditions))
	}
	for i, p := range patterns {
		at := path.Index(i)
		errs = append(errs, named(at.Child("type"), string(p.Type), validation.IsQualifiedName(string(p.Type)))...)
		errs = append(errs, oneOfListed(at.Child("status"), p.Status, corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown)...)
	}
	return errs
}

func validateExitCodes(r *batchv1.PodFailurePolicyOnExitCodesRequirement, names map[string]bool, path *field.Path) field.ErrorList {
	errs := oneOfListed(path.Child("operator"), r.Operator, batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn)
	if r.ContainerName != nil && !names[*r.ContainerName] {
		errs = append(errs, field.Invalid(path.Child("containerName"), *r.ContainerName,
			"must be one of the container or initContainer names in the pod template"))
	}
	values := path.Child("values")
	if len(r.Values) == 0 {
		errs = append(errs, field.Invalid(values, r.Values, "at least one value is required"))
	} else if len(r.Values) > mostExitCodes {
		errs = append(errs, field.TooMany(values, len(r.Values), mostExitCodes))
	}
	for i, code := range r.Values {
		if r.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn && code == 0 {
			errs = append(errs, field.Invalid(values.Index(i), code, "must not be 0 for the In operator"))
		}
		if slices.Contains(r.Values[:i], code) {
			errs = append(errs, field.Duplicate(values.Index(i), code))
		}
	}
	if !slices.IsSorted(r.Values) {
		errs = append(errs, field.Invalid(values, r.Values, "must be ordered"))
	}
	return errs
}

// validateSuccessPolicy checks the rules of a Job with indexes; completions may still be missing, which is told
// elsewhere.
func validateSuccessPolicy(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	rules := s.SuccessPolicy.Rules
	var errs field.ErrorList
	if len(rules) == 0 {
		errs = append(errs, field.Required(path, "at least one rules must be specified when the successPolicy is specified"))
	}
	if len(rules) > mostRules {
		errs = append(errs, field.TooMany(path, len(rules), mostRules))
	}
	completions := int32(0)
	if s.Completions != nil {
		completions = *s.Completions
	}
	for i := range rules {
		errs = append(errs, validateSuccessRule(&rules[i], completions, path.Index(i))...)
	}
	return errs
}

func validateSuccessRule(r *batchv1.SuccessPolicyRule, completions int32, path *field.Path) field.ErrorList {
	if r.SucceededCount == nil && r.SucceededIndexes == nil {
		return field.ErrorList{field.Required(path, "at least one of succeededCount or succeededIndexes must be specified")}
	}
	var errs field.ErrorList
	total := int32(0)
	if r.SucceededIndexes != nil {
		at := path.Child("succeededIndexes")
		if len(*r.SucceededIndexes) > mostIndexBytes {
			errs = append(errs, field.TooLong(at, *r.SucceededIndexes, mostIndexBytes))
		}
		intervals, err := parseIndexes(*r.SucceededIndexes, completions)
		if err != nil {
			errs = append(errs, field.Invalid(at, *r.SucceededIndexes, "error parsing succeededIndexes: "+err.Error()))
		}
		total = countIndexes(intervals)
	}
	if r.SucceededCount == nil {
		return errs
	}
	at, count := path.Child("succeededCount"), *r.SucceededCount
	errs = append(errs, notNegative(at, count)...)
	if count > completions {
		errs = append(errs, field.Invalid(at, count, fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", completions)))
	}
	if r.SucceededIndexes != nil && count > total {
		errs = append(errs, field.Invalid(at, count,
			fmt.Sprintf("must be less than or equal to %d (the number of indexes in the specified succeededIndexes field)", total)))
	}
	return errs
}
