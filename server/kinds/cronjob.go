package kinds

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the zones are those of the binary, whatever machine it runs on

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// cronJob is the row of CronJob.
func cronJob() *Kind {
	return &Kind{
		GroupVersionKind:    batchv1.SchemeGroupVersion.WithKind("CronJob"),
		Resource:            "cronjobs",
		Singular:            "cronjob",
		ShortNames:          []string{"cj"},
		Categories:          []string{"all"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &batchv1.CronJob{} },
		NewList:             func() runtime.Object { return &batchv1.CronJobList{} },
		UnconditionalUpdate: true,
		Status:              true,
		Generation:          true,
		Default:             defaultCronJob,
		PrepareForCreate:    func(obj runtime.Object) { obj.(*batchv1.CronJob).Spec.JobTemplate.Spec.Scheduling = nil },
		PrepareForUpdate:    func(obj, _ runtime.Object) { obj.(*batchv1.CronJob).Spec.JobTemplate.Spec.Scheduling = nil },
		ValidateCreate:      validateCronJobCreate,
		Validate:            validateCronJob,
		ValidateUpdate:      validateCronJobUpdate,
		Warn:                warnCronJob,
		Printer:             table.Printer{Columns: cronJobColumns(), Cells: cronJobCells},
	}
}

func defaultCronJob(obj runtime.Object) {
	s := &obj.(*batchv1.CronJob).Spec
	orValue(&s.ConcurrencyPolicy, batchv1.AllowConcurrent)
	orDefault(&s.Suspend, false)
	orDefault(&s.SuccessfulJobsHistoryLimit, 3)
	orDefault(&s.FailedJobsHistoryLimit, 1)
	defaultPodSpec(&s.JobTemplate.Spec.Template.Spec)
	defaultFailurePatterns(s.JobTemplate.Spec.PodFailurePolicy)
}

// validateCronJobCreate leaves room for the time that each Job gets as the end of its name.
func validateCronJobCreate(obj runtime.Object) field.ErrorList {
	c := obj.(*batchv1.CronJob)
	errs := validateZoneInSchedule(&c.Spec, false)
	errs = append(errs, validateTimeZone(c.Spec.TimeZone, field.NewPath("spec", "timeZone"))...)
	if len(c.Name) > validation.DNS1035LabelMaxLength-11 {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), c.Name, "must be no more than 52 characters"))
	}
	return errs
}

// validateCronJobUpdate lets a zone stay that was in the schedule already, or whose name nobody knows any more.
func validateCronJobUpdate(obj, old runtime.Object) field.ErrorList {
	is, was := &obj.(*batchv1.CronJob).Spec, &old.(*batchv1.CronJob).Spec
	errs := validateZoneInSchedule(is, strings.Contains(was.Schedule, "TZ"))
	if !samePointed(is.TimeZone, was.TimeZone) {
		errs = append(errs, validateTimeZone(is.TimeZone, field.NewPath("spec", "timeZone"))...)
	}
	return errs
}

func validateZoneInSchedule(s *batchv1.CronJobSpec, allowed bool) field.ErrorList {
	path := field.NewPath("spec", "schedule")
	switch {
	case !strings.Contains(s.Schedule, "TZ"):
	case !allowed:
		return field.ErrorList{field.Invalid(path, s.Schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")}
	case s.TimeZone != nil:
		return field.ErrorList{field.Invalid(path, s.Schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")}
	}
	return nil
}

func validateCronJob(obj runtime.Object) field.ErrorList {
	s := &obj.(*batchv1.CronJob).Spec
	path := field.NewPath("spec")
	errs := required(path.Child("schedule"), s.Schedule)
	if s.Schedule != "" {
		if _, err := cron.ParseStandard(s.Schedule); err != nil {
			errs = append(errs, field.Invalid(path.Child("schedule"), s.Schedule, err.Error()))
		}
	}
	if s.StartingDeadlineSeconds != nil {
		errs = append(errs, notNegative(path.Child("startingDeadlineSeconds"), *s.StartingDeadlineSeconds)...)
	}
	errs = append(errs, oneOf(path.Child("concurrencyPolicy"), s.ConcurrencyPolicy,
		batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent)...)
	errs = append(errs, validateJobTemplate(&s.JobTemplate.Spec, path.Child("jobTemplate", "spec"))...)
	if s.SuccessfulJobsHistoryLimit != nil {
		errs = append(errs, notNegative(path.Child("successfulJobsHistoryLimit"), *s.SuccessfulJobsHistoryLimit)...)
	}
	if s.FailedJobsHistoryLimit != nil {
		errs = append(errs, notNegative(path.Child("failedJobsHistoryLimit"), *s.FailedJobsHistoryLimit)...)
	}
	return errs
}

// validateJobTemplate checks a spec from which Jobs are made, each with a selector of its own.
func validateJobTemplate(s *batchv1.JobSpec, path *field.Path) field.ErrorList {
	errs := validateJobSpec(s, path)
	if s.Selector != nil {
		errs = append(errs, field.Invalid(path.Child("selector"), s.Selector, "`selector` will be auto-generated"))
	}
	if isTrue(s.ManualSelector) {
		errs = append(errs, field.NotSupported(path.Child("manualSelector"), s.ManualSelector, []string{"nil", "false"}))
	}
	return errs
}

// timeZoneStep is what a part of the name of a time zone may be (IANA, "Theory and pragmatics of the tz code and data").
var timeZoneStep = regexp.MustCompile(`^[A-Za-z\.\-_0-9+]{1,14}$`)

func validateTimeZone(zone *string, path *field.Path) field.ErrorList {
	if zone == nil {
		return nil
	}
	if *zone == "" {
		return field.ErrorList{field.Invalid(path, zone, "timeZone must be nil or non-empty string")}
	}
	for _, step := range strings.Split(*zone, "/") {
		if step == "." || step == ".." || strings.HasPrefix(step, "-") || !timeZoneStep.MatchString(step) {
			return field.ErrorList{field.Invalid(path, zone, "unknown time zone "+*zone)}
		}
	}
	var errs field.ErrorList
	if strings.EqualFold(*zone, "Local") {
		errs = append(errs, field.Invalid(path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"))
	}
	if _, err := time.LoadLocation(*zone); err != nil {
		errs = append(errs, field.Invalid(path, zone, err.Error()))
	}
	return errs
}

func cronJobColumns() []metav1.TableColumnDefinition {
	spec, status := batchv1beta1.CronJobSpec{}.SwaggerDoc(), batchv1beta1.CronJobStatus{}.SwaggerDoc()
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		column("Schedule", spec["schedule"]),
		column("Timezone", spec["timeZone"]),
		{Name: "Suspend", Type: "boolean", Description: spec["suspend"]},
		countColumn("Active", status["active"]),
		column("Last Schedule", status["lastScheduleTime"]),
		ageColumn(),
	}, templateColumns(batchv1.JobSpec{}.SwaggerDoc()["selector"])...)
}

func cronJobCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*batchv1.CronJob)
	zone, last, suspended := none, none, unset
	if c.Spec.TimeZone != nil {
		zone = *c.Spec.TimeZone
	}
	if c.Status.LastScheduleTime != nil {
		last = age(*c.Status.LastScheduleTime, now)
	}
	switch {
	case isTrue(c.Spec.Suspend):
		suspended = "True"
	case c.Spec.Suspend != nil:
		suspended = "False"
	}
	names, images := containerCells(c.Spec.JobTemplate.Spec.Template.Spec.Containers)
	return []any{
		c.Name, c.Spec.Schedule, zone, suspended, int64(len(c.Status.Active)), last, age(c.CreationTimestamp, now),
		names, images, metav1.FormatLabelSelector(c.Spec.JobTemplate.Spec.Selector),
	}
}
