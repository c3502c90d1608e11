package kinds_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// once is a template of pods that end.
const once = `template: {spec: {restartPolicy: Never, containers: [{name: c, image: "x:1"}]}}`

const onceDefaults = `template: {spec: {restartPolicy: Never, containers: [{name: c, image: "x:1", ` + containerDefaults + `}],
	terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst, securityContext: {}, schedulerName: default-scheduler}}`

// What the API documents as defaults is filled in.
func TestBatch_Default(t *testing.T) {
	const common = `completionMode: NonIndexed, suspend: false, manualSelector: false, ` + onceDefaults
	runDefaultTests(t, []defaultTest{
		{"bare", "Job", `{spec: {` + once + `}}`, `{spec: {completions: 1, parallelism: 1, backoffLimit: 6, podReplacementPolicy: TerminatingOrFailed, ` + common + `}}`},
		{"work queue", "Job", `{spec: {parallelism: 3, ` + once + `}}`, `{spec: {parallelism: 3, backoffLimit: 6, podReplacementPolicy: TerminatingOrFailed, ` + common + `}}`},
		{"per index", "Job", `{spec: {completions: 3, backoffLimitPerIndex: 1, ` + once + `}}`, `{spec: {completions: 3, parallelism: 1, backoffLimit: 2147483647,
			backoffLimitPerIndex: 1, podReplacementPolicy: TerminatingOrFailed, ` + common + `}}`},
		{"failure policy", "Job", `{spec: {podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: a}]}]}, ` + once + `}}`, `{spec: {completions: 1,
			parallelism: 1, backoffLimit: 6, podReplacementPolicy: Failed, podFailurePolicy: {rules: [{action: Ignore, onPodConditions:
			[{type: a, status: "True"}]}]}, ` + common + `}}`},
		{"bare", "CronJob", `{spec: {schedule: "* * * * *", jobTemplate: {spec: {` + once + `}}}}`, `{spec: {schedule: "* * * * *", concurrencyPolicy: Allow,
			suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, jobTemplate: {spec: {` + onceDefaults + `}}}}`},
	})
}

// A Job gets the labels and the selector by which it knows its pods.
func TestJob_Create(t *testing.T) {
	k := mustKind(t, "Job")
	j := mustParse[*batchv1.Job](t, k, `{metadata: {name: a, uid: u}, spec: {`+once+`}}`)
	expectErrors(t, enter(k, j), nil)
	for _, labels := range []map[string]string{j.Labels, j.Spec.Template.Labels} {
		if len(labels) != 4 || labels["batch.kubernetes.io/controller-uid"] != "u" || labels["batch.kubernetes.io/job-name"] != "a" ||
			labels["controller-uid"] != "u" || labels["job-name"] != "a" {
			t.Errorf("labels %v", labels)
		}
	}
	if s := j.Spec.Selector.MatchLabels; len(s) != 1 || s["batch.kubernetes.io/controller-uid"] != "u" {
		t.Errorf("selector %v", s)
	}
	j = mustParse[*batchv1.Job](t, k, `{metadata: {name: a, uid: u}, spec: {manualSelector: true, selector: {matchLabels: {b: c}},
		template: {metadata: {labels: {b: c}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}`)
	expectErrors(t, enter(k, j), nil)
	if len(j.Spec.Template.Labels) != 1 {
		t.Errorf("manual labels became %v", j.Spec.Template.Labels)
	}
}

// What a create is refused for, and what it is not.
func TestBatch_Validate(t *testing.T) {
	const meta = `metadata: {name: a, uid: u}, `
	cronJob := func(fields string) string { return `{metadata: {name: a}, spec: {` + fields + `}}` }
	const jobs = `jobTemplate: {spec: {` + once + `}}`
	runEntryTests(t, []entryTest{
		{"good", "Job", `{` + meta + `spec: {` + once + `}}`, nil},
		{"runs for good", "Job", `{` + meta + `spec: {template: {spec: {containers: [{name: c, image: x}]}}}}`, []string{
			`spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`}},
		{"negative", "Job", `{` + meta + `spec: {parallelism: -1, backoffLimit: -2, activeDeadlineSeconds: -3, ` + once + `}}`, []string{
			"spec.parallelism: Invalid value: -1: must be greater than or equal to 0", "spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0",
			"spec.activeDeadlineSeconds: Invalid value: -3: must be greater than or equal to 0"}},
		{"labels of another", "Job", `{` + meta + `spec: {template: {metadata: {labels: {job-name: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}`,
			[]string{`spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"a",` +
				`"controller-uid":"u","job-name":"b"}: must be 'a'`}},
		{"selector of another", "Job", `{` + meta + `spec: {selector: {matchLabels: {b: c}}, ` + once + `}}`, []string{
			`spec.selector: Invalid value: {"matchLabels":{"b":"c","batch.kubernetes.io/controller-uid":"u"}}: ` + "`selector` not auto-generated",
			`spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"a","controller-uid":"u",` +
				`"job-name":"a"}: ` + notChosen}},
		{"indexed", "Job", `{` + meta + `spec: {completionMode: Indexed, completions: 5, backoffLimitPerIndex: 1, maxFailedIndexes: 2, successPolicy: {rules:
			[{succeededIndexes: "0,2-4", succeededCount: 2}]}, ` + once + `}}`, nil},
		{"no completions", "Job", `{` + meta + `spec: {completionMode: Indexed, parallelism: 200000, ` + once + `}}`, []string{
			"spec.completions: Required value: when completion mode is Indexed",
			"spec.parallelism: Invalid value: 200000: must be less than or equal to 100000 when completion mode is Indexed"}},
		{"needs indexes", "Job", `{` + meta + `spec: {maxFailedIndexes: 1, backoffLimitPerIndex: 1, completionMode: NonIndexed, successPolicy: {}, ` + once + `}}`, []string{
			"spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode", "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
			`spec.successPolicy: Invalid value: {"Rules":null}: requires indexed completion mode`}},
		{"bad indexes", "Job", `{` + meta + `spec: {completionMode: Indexed, completions: 5, successPolicy: {rules: [{succeededIndexes: "3,1"},
			{succeededIndexes: "1-9"}, {succeededIndexes: "0-1", succeededCount: 3}, {}]}, ` + once + `}}`, []string{
			`spec.successPolicy.rules[0].succeededIndexes: Invalid value: "3,1": error parsing succeededIndexes: non-increasing order, previous: 3, current: 1`,
			`spec.successPolicy.rules[1].succeededIndexes: Invalid value: "1-9": error parsing succeededIndexes: too large index: "9"`,
			"spec.successPolicy.rules[2].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
			"spec.successPolicy.rules[3]: Required value: at least one of succeededCount or succeededIndexes must be specified"}},
		{"failure policy", "Job", `{` + meta + `spec: {podReplacementPolicy: TerminatingOrFailed, podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In,
			values: [3, 0, 3], containerName: z}}, {}]}, ` + once + `}}`, []string{
			`spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"`,
			`spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
			`spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template`,
			"spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
			"spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3",
			"spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered",
			`spec.podFailurePolicy.rules[1].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
			"spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"}},

		{"good", "CronJob", cronJob(`schedule: "@hourly", timeZone: Europe/Berlin, ` + jobs), nil},
		{"no schedule", "CronJob", cronJob(jobs), []string{"spec.schedule: Required value"}},
		{"bad words", "CronJob", cronJob(`schedule: "a b", concurrencyPolicy: Maybe, timeZone: Nowhere/Land, startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, ` + jobs), []string{
			`spec.schedule: Invalid value: "a b": expected exactly 5 fields, found 2: [a b]`,
			`spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"`,
			`spec.timeZone: Invalid value: "Nowhere/Land": unknown time zone Nowhere/Land`,
			"spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
			"spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0"}},
		{"zone in schedule", "CronJob", cronJob(`schedule: "TZ=UTC 0 0 * * *", ` + jobs), []string{
			`spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead`}},
		{"zone of the machine", "CronJob", cronJob(`schedule: "@daily", timeZone: local, ` + jobs), []string{
			`spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones`,
			`spec.timeZone: Invalid value: "local": unknown time zone local`}},
		{"long name", "CronJob", `{metadata: {name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}, spec: {schedule: "@daily", ` + jobs + `}}`, []string{
			`metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 52 characters`}},
		{"selector", "CronJob", cronJob(`schedule: "@daily", jobTemplate: {spec: {selector: {}, manualSelector: true, ` + once + `}}`), []string{
			"spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated",
			`spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"`}},
	})
}

// What may not change, and what may while a Job has not begun.
func TestBatch_ValidateUpdate(t *testing.T) {
	job := func(fields, pod string) string {
		return `{metadata: {name: a, uid: u}, spec: {manualSelector: true, selector: {matchLabels: {b: c}}, ` + fields + `
			template: {metadata: {labels: {b: c}}, spec: {restartPolicy: Never, ` + pod + `containers: [{name: c, image: x}]}}}}`
	}
	runChangeTests(t, []changeTest{
		{"parallelism", "Job", job("", ""), job("parallelism: 4, completions: 1, suspend: true,", ""), nil},
		{"completions", "Job", job("", ""), job("completions: 4,", ""), []string{"spec.completions: Invalid value: 4: field is immutable"}},
		{"grows", "Job", job("completionMode: Indexed, completions: 2, parallelism: 2,", ""), job("completionMode: Indexed, completions: 3, parallelism: 3,", ""), nil},
		{"grows alone", "Job", job("completionMode: Indexed, completions: 2, parallelism: 2,", ""), job("completionMode: Indexed, completions: 3, parallelism: 2,", ""),
			[]string{"spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"}},
		{"place while suspended", "Job", job("suspend: true,", ""), job("suspend: true,", "nodeSelector: {d: ssd}, "), nil},
		{"zone stays in schedule", "CronJob", `{metadata: {name: a}, spec: {schedule: "@daily", jobTemplate: {spec: {` + once + `}}}}`,
			`{metadata: {name: a}, spec: {schedule: "TZ=UTC @daily", jobTemplate: {spec: {` + once + `}}}}`,
			[]string{`spec.schedule: Invalid value: "TZ=UTC @daily": cannot use TZ or CRON_TZ in schedule, use timeZone field instead`}},
	})
	k := mustKind(t, "Job")
	was := mustParse[*batchv1.Job](t, k, job("", ""))
	expectErrors(t, enter(k, was), nil)
	is := was.DeepCopy()
	is.Spec.Template.Spec.NodeSelector = map[string]string{"d": "ssd"}
	if errs := replace(k, is, was); len(errs) != 1 || errs[0].Field != "spec.template" {
		t.Errorf("a running Job moves: %v", errs)
	}
}

// What a Job's controller reports is checked.
func TestJob_ValidateStatusUpdate(t *testing.T) {
	const started, ended = `startTime: "2026-01-02T11:00:00Z"`, `completionTime: "2026-01-02T11:05:00Z"`
	const complete = `conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}]`
	for _, tt := range []struct {
		name, old, text string
		want            []string
	}{
		{"running", `{}`, `{status: {active: 2, ready: 1, ` + started + `}}`, nil},
		{"complete", `{status: {active: 1, ` + started + `}}`, `{status: {succeeded: 1, ` + started + `, ` + ended + `, ` + complete + `}}`, nil},
		{"complete at once", `{}`, `{status: {active: 1, conditions: [{type: Complete, status: "True"}]}}`, []string{
			"status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
			"status.completionTime: Required value: completionTime is required for Complete jobs",
			"status.active: Invalid value: 1: active>0 is invalid for finished job", "status.startTime: Required value: startTime is required for finished job"}},
		{"backwards", `{status: {failed: 2, succeeded: 2}}`, `{status: {failed: 1, succeeded: 1, ready: 1}}`, []string{
			"status.ready: Invalid value: 1: cannot set more ready pods than active", "status.failed: Invalid value: 1: cannot decrease the failed counter",
			"status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"}},
		{"risen", `{status: {` + started + `, ` + ended + `, ` + complete + `}}`, `{status: {` + started + `}}`, []string{
			"status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
			"status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"}},
		{"both", `{}`, `{spec: {completionMode: Indexed, completions: 5, backoffLimitPerIndex: 1}, status: {completedIndexes: "0-2", failedIndexes: "2,4"}}`, []string{
			`status.failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := mustKind(t, "Job")
			expectErrors(t, k.ValidateStatusUpdate(mustParse[runtime.Object](t, k, tt.text), mustParse[runtime.Object](t, k, tt.old)), tt.want)
		})
	}
}

// What people see in "kubectl get", with -o wide.
func TestBatch_Cells(t *testing.T) {
	const made = `creationTimestamp: "2026-01-02T11:55:00Z"`
	runCellTests(t, []cellTest{
		{"complete", "Job", `{metadata: {name: a, ` + made + `}, spec: {completions: 2, selector: {matchLabels: {b: c}}, template: {spec: {containers: [{name: c, image: x}]}}},
			status: {succeeded: 2, startTime: "2026-01-02T11:56:00Z", completionTime: "2026-01-02T11:57:00Z", conditions: [{type: Complete, status: "True"}]}}`,
			[]any{"a", "Complete", "2/2", "60s", "5m", "c", "x", "b=c"}},
		{"running", "Job", `{metadata: {name: a, ` + made + `}, spec: {parallelism: 3}, status: {startTime: "2026-01-02T11:58:00Z"}}`,
			[]any{"a", "Running", "0/1 of 3", "2m", "5m", "", "", "<none>"}},
		{"suspended", "Job", `{metadata: {name: a, ` + made + `}, status: {conditions: [{type: Suspended, status: "True"}]}}`,
			[]any{"a", "Suspended", "0/1", "", "5m", "", "", "<none>"}},
		{"all", "CronJob", `{metadata: {name: a, ` + made + `}, spec: {schedule: "@daily", timeZone: UTC, suspend: true, jobTemplate: {spec: {template: {spec:
			{containers: [{name: c, image: x}]}}}}}, status: {active: [{name: b}], lastScheduleTime: "2026-01-02T11:00:00Z"}}`,
			[]any{"a", "@daily", "UTC", "True", int64(1), "60m", "5m", "c", "x", "<none>"}},
		{"bare", "CronJob", `{metadata: {name: a, ` + made + `}, spec: {suspend: false}}`,
			[]any{"a", "", "<none>", "False", int64(0), "<none>", "5m", "", "", "<none>"}},
	})
}

// Labels that a Job has from its template alone get what the server adds to the template, too; its author's own do not.
func TestJob_SharedLabels(t *testing.T) {
	k := mustKind(t, "Job")
	const spec = `spec: {template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}`
	for meta, want := range map[string]int{"name: j": 5, "name: j, labels: {a: b}": 1} {
		j := mustParse[*batchv1.Job](t, k, `{metadata: {uid: u, `+meta+`}, `+spec+`}`)
		expectErrors(t, enter(k, j), nil)
		if len(j.Labels) != want || len(j.Spec.Template.Labels) != 5 {
			t.Errorf("%s: labels %v, in the template %v", meta, j.Labels, j.Spec.Template.Labels)
		}
	}
}
