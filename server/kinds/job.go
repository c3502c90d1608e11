package kinds

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"kubarium/server/table"
)

// The labels under which a Job's pods were known before Kubernetes' own had a domain; both are still set.
const (
	oldControllerUIDLabel = "controller-uid"
	oldJobNameLabel       = "job-name"
)

// job is the row of Job.
func job() *Kind {
	return &Kind{
		GroupVersionKind:     batchv1.SchemeGroupVersion.WithKind("Job"),
		Resource:             "jobs",
		Singular:             "job",
		Categories:           []string{"all"},
		Namespaced:           true,
		Orphans:              true,
		OrphansWarning:       "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
		New:                  func() runtime.Object { return &batchv1.Job{} },
		NewList:              func() runtime.Object { return &batchv1.JobList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Default:              defaultJob,
		PrepareForCreate:     prepareJob,
		PrepareForUpdate:     func(obj, _ runtime.Object) { obj.(*batchv1.Job).Spec.Scheduling = nil },
		ValidateCreate:       validateJobCreate,
		Validate:             validateJob,
		ValidateUpdate:       validateJobUpdate,
		ValidateStatusUpdate: validateJobStatusUpdate,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"status.successful": strconv.Itoa(int(obj.(*batchv1.Job).Status.Succeeded))}
		},
		FieldNames:   []string{"status.successful"},
		FieldRefusal: "field label %q not supported for Job",
		Warn:         warnJob,
		Printer:      table.Printer{Columns: jobColumns(), Cells: jobCells},
	}
}

func defaultJob(obj runtime.Object) {
	j := obj.(*batchv1.Job)
	spec := &j.Spec
	defaultPodSpec(&spec.Template.Spec)
	if spec.Completions == nil && spec.Parallelism == nil {
		orDefault(&spec.Completions, 1)
	}
	orDefault(&spec.Parallelism, 1)
	if spec.BackoffLimitPerIndex != nil {
		orDefault(&spec.BackoffLimit, math.MaxInt32)
	}
	orDefault(&spec.BackoffLimit, 6)
	orDefault(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	orDefault(&spec.Suspend, false)
	orDefault(&spec.ManualSelector, false)
	defaultPodFailurePolicy(spec)
	if len(j.Labels) == 0 && len(spec.Template.Labels) > 0 {
		j.Labels = spec.Template.Labels // the same map: the labels that the server makes for the template stand in both
	}
}

// defaultPodFailurePolicy waits for a pod's end where it matters how it ended.
func defaultPodFailurePolicy(spec *batchv1.JobSpec) {
	if spec.PodFailurePolicy == nil {
		orDefault(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
		return
	}
	orDefault(&spec.PodReplacementPolicy, batchv1.Failed)
	defaultFailurePatterns(spec.PodFailurePolicy)
}

func defaultFailurePatterns(p *batchv1.PodFailurePolicy) {
	if p == nil {
		return
	}
	for _, rule := range p.Rules {
		for i := range rule.OnPodConditions {
			orValue(&rule.OnPodConditions[i].Status, corev1.ConditionTrue)
		}
	}
}

// prepareJob makes the selector and the labels by which a Job knows its pods, unless its author takes care of that. What
// belongs to the feature WorkloadWithJob, which is off by default, is dropped.
func prepareJob(obj runtime.Object) {
	j := obj.(*batchv1.Job)
	j.Spec.Scheduling = nil
	if isTrue(j.Spec.ManualSelector) {
		return
	}
	uid := string(j.UID)
	template := &j.Spec.Template
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	addDefaults(template.Labels, map[string]string{
		batchv1.ControllerUidLabel: uid, batchv1.JobNameLabel: j.Name, oldControllerUIDLabel: uid, oldJobNameLabel: j.Name})
	if j.Spec.Selector == nil {
		j.Spec.Selector = &metav1.LabelSelector{}
	}
	if j.Spec.Selector.MatchLabels == nil {
		j.Spec.Selector.MatchLabels = map[string]string{}
	}
	addDefaults(j.Spec.Selector.MatchLabels, map[string]string{batchv1.ControllerUidLabel: uid})
	if len(j.Labels) == 0 {
		j.Labels = maps.Clone(template.Labels)
	}
}

// addDefaults adds to m those of more that it lacks.
func addDefaults(m, more map[string]string) {
	for key, value := range more {
		if _, ok := m[key]; !ok {
			m[key] = value
		}
	}
}

func jobColumns() []metav1.TableColumnDefinition {
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		column("Status", "Status of the job."),
		column("Completions", batchv1.JobStatus{}.SwaggerDoc()["succeeded"]),
		column("Duration", "Time required to complete the job."),
		ageColumn(),
	}, templateColumns(batchv1.JobSpec{}.SwaggerDoc()["selector"])...)
}

func jobCells(obj runtime.Object, now time.Time) []any {
	j := obj.(*batchv1.Job)
	names, images := containerCells(j.Spec.Template.Spec.Containers)
	return []any{
		j.Name, jobStatusCell(j), completionsCell(j), jobDurationCell(j, now), age(j.CreationTimestamp, now),
		names, images, metav1.FormatLabelSelector(j.Spec.Selector),
	}
}

// completionsCell tells how many pods succeeded of how many are wanted; without a wish one is enough.
func completionsCell(j *batchv1.Job) string {
	switch parallel := j.Spec.Parallelism; {
	case j.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", j.Status.Succeeded, *j.Spec.Completions)
	case parallel != nil && *parallel > 1:
		return fmt.Sprintf("%d/1 of %d", j.Status.Succeeded, *parallel)
	}
	return fmt.Sprintf("%d/1", j.Status.Succeeded)
}

func jobDurationCell(j *batchv1.Job, now time.Time) string {
	switch start, end := j.Status.StartTime, j.Status.CompletionTime; {
	case start == nil:
		return ""
	case end == nil:
		return duration.HumanDuration(now.Sub(start.Time))
	default:
		return duration.HumanDuration(end.Sub(start.Time))
	}
}

func jobStatusCell(j *batchv1.Job) string {
	switch {
	case isJob(j, batchv1.JobComplete):
		return "Complete"
	case isJob(j, batchv1.JobFailed):
		return "Failed"
	case j.DeletionTimestamp != nil:
		return "Terminating"
	case isJob(j, batchv1.JobSuspended):
		return "Suspended"
	case isJob(j, batchv1.JobFailureTarget):
		return "FailureTarget"
	}
	return "Running"
}

// isJob tells whether a Job has a condition with status True.
func isJob(j *batchv1.Job, t batchv1.JobConditionType) bool {
	for _, c := range j.Status.Conditions {
		if c.Type == t {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
