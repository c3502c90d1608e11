package kinds

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateJobStatusUpdate checks what the controller of a Job reports: counts, the conditions that go together, and that
// what has ended stays so.
func validateJobStatusUpdate(obj, old runtime.Object) field.ErrorList {
	j, was := obj.(*batchv1.Job), old.(*batchv1.Job)
	path := field.NewPath("status")
	errs := validateJobCounts(&j.Status, path)
	errs = append(errs, validateJobConditions(j, path.Child("conditions"))...)
	errs = append(errs, validateJobTimes(j, path)...)
	if isJob(j, batchv1.JobComplete) || isJob(j, batchv1.JobFailed) {
		errs = append(errs, validateFinishedJob(&j.Status, path)...)
	}
	errs = append(errs, validateJobIndexes(j, path)...)
	return append(errs, validateJobProgress(j, was, path)...)
}

func validateJobCounts(s *batchv1.JobStatus, path *field.Path) field.ErrorList {
	errs := notNegative(path.Child("active"), s.Active)
	errs = append(errs, notNegative(path.Child("succeeded"), s.Succeeded)...)
	errs = append(errs, notNegative(path.Child("failed"), s.Failed)...)
	if s.Ready != nil {
		errs = append(errs, notNegative(path.Child("ready"), *s.Ready)...)
		errs = append(errs, atMost(path.Child("ready"), *s.Ready, s.Active, "cannot set more ready pods than active")...)
	}
	if s.Terminating != nil {
		errs = append(errs, notNegative(path.Child("terminating"), *s.Terminating)...)
	}
	if s.UncountedTerminatedPods == nil {
		return errs
	}
	seen := map[types.UID]bool{}
	at := path.Child("uncountedTerminatedPods")
	errs = append(errs, validateUncounted(s.UncountedTerminatedPods.Succeeded, seen, at.Child("succeeded"))...)
	return append(errs, validateUncounted(s.UncountedTerminatedPods.Failed, seen, at.Child("failed"))...)
}

func validateUncounted(uids []types.UID, seen map[types.UID]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, uid := range uids {
		switch {
		case uid == "":
			errs = append(errs, field.Invalid(path.Index(i), uid, "must not be empty"))
		case seen[uid]:
			errs = append(errs, field.Duplicate(path.Index(i), uid))
		}
		seen[uid] = true
	}
	return errs
}

// validateJobConditions refuses conditions that contradict each other.
func validateJobConditions(j *batchv1.Job, path *field.Path) field.ErrorList {
	complete, failed := isJob(j, batchv1.JobComplete), isJob(j, batchv1.JobFailed)
	failing, met := isJob(j, batchv1.JobFailureTarget), isJob(j, batchv1.JobSuccessCriteriaMet)
	var errs field.ErrorList
	for _, rule := range []struct {
		broken bool
		reason string
	}{
		{complete && failed, "cannot set Complete=True and Failed=true conditions"},
		{complete && failing, "cannot set Complete=True and FailureTarget=true conditions"},
		{failed && !failing, "cannot set Failed=True condition without the FailureTarget=true condition"},
		{complete && !met, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"},
		{met && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"},
		{met && failing, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"},
		{j.Spec.SuccessPolicy != nil && !met && complete,
			"cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"},
	} {
		if rule.broken {
			errs = append(errs, field.Invalid(path, field.OmitValueType{}, rule.reason))
		}
	}
	return errs
}

func validateJobTimes(j *batchv1.Job, path *field.Path) field.ErrorList {
	start, end, complete := j.Status.StartTime, j.Status.CompletionTime, isJob(j, batchv1.JobComplete)
	at := path.Child("completionTime")
	var errs field.ErrorList
	if end != nil && !complete {
		errs = append(errs, field.Invalid(at, end, "cannot set completionTime when there is no Complete=True condition"))
	}
	if end == nil && complete {
		errs = append(errs, field.Required(at, "completionTime is required for Complete jobs"))
	}
	if start != nil && end != nil && end.Before(start) {
		errs = append(errs, field.Invalid(at, end, "completionTime cannot be set before startTime"))
	}
	return errs
}

// validateFinishedJob wants nothing left to do.
func validateFinishedJob(s *batchv1.JobStatus, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.Active > 0 {
		errs = append(errs, field.Invalid(path.Child("active"), s.Active, "active>0 is invalid for finished job"))
	}
	if s.StartTime == nil {
		errs = append(errs, field.Required(path.Child("startTime"), "startTime is required for finished job"))
	}
	if u := s.UncountedTerminatedPods; u != nil && len(u.Succeeded)+len(u.Failed) > 0 {
		errs = append(errs, field.Invalid(path.Child("uncountedTerminatedPods"), u, "uncountedTerminatedPods needs to be empty for finished job"))
	}
	if s.Terminating != nil && *s.Terminating > 0 {
		errs = append(errs, field.Invalid(path.Child("terminating"), s.Terminating, "terminating>0 is invalid for finished job"))
	}
	return errs
}

// validateJobIndexes checks the lists of indexes, none of which both completed and failed.
func validateJobIndexes(j *batchv1.Job, path *field.Path) field.ErrorList {
	s := &j.Status
	completed, failed := path.Child("completedIndexes"), path.Child("failedIndexes")
	var errs field.ErrorList
	if s.CompletedIndexes != "" && !isIndexed(&j.Spec) {
		errs = append(errs, field.Invalid(completed, s.CompletedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode"))
	}
	if s.FailedIndexes != nil && j.Spec.BackoffLimitPerIndex == nil {
		errs = append(errs, field.Invalid(failed, *s.FailedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"))
	}
	if j.Spec.Completions == nil {
		return errs
	}
	done, err := parseIndexes(s.CompletedIndexes, *j.Spec.Completions)
	if err != nil {
		errs = append(errs, field.Invalid(completed, s.CompletedIndexes, "error parsing completedIndexes: "+err.Error()))
	}
	if s.FailedIndexes == nil {
		return errs
	}
	lost, err := parseIndexes(*s.FailedIndexes, *j.Spec.Completions)
	if err != nil && j.Spec.BackoffLimitPerIndex != nil {
		errs = append(errs, field.Invalid(failed, *s.FailedIndexes, "error parsing failedIndexes: "+err.Error()))
	}
	if i, both := overlap(done, lost); both {
		errs = append(errs, field.Invalid(failed, *s.FailedIndexes, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", i)))
	}
	return errs
}

// validateJobProgress lets a status only go on.
func validateJobProgress(j, was *batchv1.Job, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	conditions := path.Child("conditions")
	for _, t := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		if isJob(was, t) && !isJob(j, t) {
			errs = append(errs, field.Invalid(conditions, field.OmitValueType{}, fmt.Sprintf("cannot disable the terminal %s=True condition", t)))
		}
	}
	if j.Status.Failed < was.Status.Failed {
		errs = append(errs, field.Invalid(path.Child("failed"), j.Status.Failed, "cannot decrease the failed counter"))
	}
	if j.Status.Succeeded < was.Status.Succeeded {
		errs = append(errs, field.Invalid(path.Child("succeeded"), j.Status.Succeeded, "cannot decrease the succeeded counter"))
	}
	if is, before := j.Status.CompletionTime, was.Status.CompletionTime; is != nil && before != nil && !is.Equal(before) {
		errs = append(errs, field.Invalid(path.Child("completionTime"), is, "completionTime cannot be mutated"))
	}
	if before := was.Status.StartTime; before != nil && !before.Equal(j.Status.StartTime) && !isTrue(j.Spec.Suspend) {
		errs = append(errs, field.Required(path.Child("startTime"), "startTime cannot be removed for unsuspended job"))
	}
	met, hadMet := isJob(j, batchv1.JobSuccessCriteriaMet), isJob(was, batchv1.JobSuccessCriteriaMet)
	if hadMet && !met {
		errs = append(errs, field.Invalid(conditions, field.OmitValueType{}, "cannot disable the SuccessCriteriaMet=True condition"))
	}
	if isJob(was, batchv1.JobComplete) && !hadMet && met {
		errs = append(errs, field.Invalid(conditions, field.OmitValueType{},
			"cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"))
	}
	return errs
}
