package kinds_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// podsOf is a template of pods and the selector that chooses them.
const podsOf = `selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: "x:1"}]}}`

// podDefaults is what the defaults add to the spec of a pod.
const podDefaults = `restartPolicy: Always, terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst, securityContext: {}, schedulerName: default-scheduler`

// containerDefaults is what they add to a container with a tag.
const containerDefaults = `terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File, imagePullPolicy: IfNotPresent`

const fullPods = `selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: "x:1", ` +
	containerDefaults + `}], ` + podDefaults + `}}`

// What the API documents as defaults is filled in.
func TestApps_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"bare", "DaemonSet", `{spec: {` + podsOf + `}}`, `{metadata: {annotations: {deprecated.daemonset.template.generation: "0"}}, spec: {` + fullPods + `, revisionHistoryLimit: 10,
			updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}}}`},
		{"on delete", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {type: OnDelete}}}`,
			`{metadata: {annotations: {deprecated.daemonset.template.generation: "0"}}, spec: {` + fullPods + `, revisionHistoryLimit: 10, updateStrategy: {type: OnDelete}}}`},
		{"bare", "StatefulSet", `{spec: {` + podsOf + `}}`, `{spec: {` + fullPods + `, replicas: 1, revisionHistoryLimit: 10,
			podManagementPolicy: OrderedReady, persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain},
			updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0, maxUnavailable: 1}}}}`},
		{"type alone", "StatefulSet", `{spec: {` + podsOf + `, updateStrategy: {type: RollingUpdate}}}`, `{spec: {` + fullPods + `, replicas: 1,
			revisionHistoryLimit: 10, podManagementPolicy: OrderedReady, updateStrategy: {type: RollingUpdate},
			persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}}}`},
		{"claims", "StatefulSet", `{spec: {` + podsOf + `, updateStrategy: {type: OnDelete}, persistentVolumeClaimRetentionPolicy: {whenScaled: Delete},
			volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 1Gi}}}}]}}`, `{spec: {` + fullPods + `, replicas: 1,
			revisionHistoryLimit: 10, podManagementPolicy: OrderedReady, persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Delete},
			updateStrategy: {type: OnDelete}, volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d},
			spec: {volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}]}}`},
		{"bare", "ReplicationController", `{spec: {template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: "x:1"}]}}}}`,
			`{metadata: {labels: {app: a}}, spec: {replicas: 1, selector: {app: a}, template: {metadata: {labels: {app: a}},
			spec: {containers: [{name: c, image: "x:1", ` + containerDefaults + `}], ` + podDefaults + `}}}}`},
		{"own labels", "ReplicationController", `{metadata: {labels: {b: c}}, spec: {replicas: 0, selector: {d: e}, template: {metadata: {labels: {d: e}}}}}`,
			`{metadata: {labels: {b: c}}, spec: {replicas: 0, selector: {d: e}, template: {metadata: {labels: {d: e}}, spec: {` + podDefaults + `}}}}`},
		{"bare", "PodTemplate", `{template: {spec: {containers: [{name: c, image: "x:1"}]}}}`,
			`{template: {spec: {containers: [{name: c, image: "x:1", ` + containerDefaults + `}], ` + podDefaults + `}}}`},
	})
}

const notChosen = "`selector` does not match template `labels`"

// What a create is refused for, and what it is not.
func TestApps_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}}}`, nil},
		{"surge alone", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 10%}}}}`, nil},
		{"neither", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {maxUnavailable: 0}}}}`, []string{
			"spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"}},
		{"both", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {maxSurge: 2}}}}`, []string{
			"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 2: may not be set when maxUnavailable is non-zero"}},
		{"more than all", "DaemonSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {maxUnavailable: 101%}}, minReadySeconds: -1, revisionHistoryLimit: -2}}`,
			[]string{`spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
				"spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
				"spec.revisionHistoryLimit: Invalid value: -2: must be greater than or equal to 0"}},
		{"other labels", "DaemonSet", `{spec: {selector: {matchLabels: {app: b}}, template: {metadata: {labels: {app: a}}, spec: {activeDeadlineSeconds: 1,
			containers: [{name: c, image: x}]}}}}`, []string{
			`spec.template.metadata.labels: Invalid value: {"app":"a"}: ` + notChosen,
			"spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported"}},
		{"empty selector", "DaemonSet", `{spec: {selector: {}, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}`, []string{
			"spec.selector: Invalid value: {}: empty selector is invalid for daemonset",
			`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`}},

		{"good", "StatefulSet", `{spec: {` + podsOf + `, serviceName: a, replicas: 0}}`, nil},
		{"mounted claim", "StatefulSet", `{spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers:
			[{name: c, image: x, volumeMounts: [{name: d, mountPath: /d}]}]}}, volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`, nil},
		{"empty claim", "StatefulSet", `{spec: {` + podsOf + `, serviceName: a, volumeClaimTemplates: [{metadata: {name: d}}]}}`, []string{
			"spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
			"spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"}},
		{"mount of nothing", "StatefulSet", `{spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers:
			[{name: c, image: x, volumeMounts: [{name: d, mountPath: /d}]}]}}}}`, []string{
			`spec.template.spec.containers[0].volumeMounts[0].name: Not found: "d"`}},
		{"bad words", "StatefulSet", `{spec: {` + podsOf + `, podManagementPolicy: Any, updateStrategy: {type: Never}, serviceName: A, ordinals: {start: -1},
			persistentVolumeClaimRetentionPolicy: {whenDeleted: Keep}, replicas: -1}}`, []string{
			`spec.podManagementPolicy: Invalid value: "Any": must be 'OrderedReady' or 'Parallel'`,
			`spec.updateStrategy: Invalid value: {"Type":"Never","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
			`spec.serviceName: Invalid value: "A": ` + badHostLabel,
			"spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
			`spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"`,
			"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
		{"rolling when deleted", "StatefulSet", `{spec: {` + podsOf + `, updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}}}`, []string{
			`spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`}},
		{"rolling nowhere", "StatefulSet", `{spec: {` + podsOf + `, updateStrategy: {rollingUpdate: {partition: -1, maxUnavailable: 0}}}}`, []string{
			"spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
			"spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0"}},
		{"no selector", "StatefulSet", `{spec: {template: {spec: {containers: [{name: c, image: x}]}}}}`, []string{
			"spec.selector: Required value", "spec.template.metadata.labels: Invalid value: null: " + notChosen}},
		{"empty selector", "StatefulSet", `{spec: {selector: {}, template: {spec: {containers: [{name: c, image: x}]}}}}`, []string{
			"spec.selector: Invalid value: {}: empty selector is invalid for statefulset"}},

		{"good", "ControllerRevision", `{revision: 3, data: {a: b}}`, nil},
		{"bad", "ControllerRevision", `{revision: -1}`, []string{"data: Required value: data is mandatory",
			"revision: Invalid value: -1: must be greater than or equal to 0"}},

		{"good", "ReplicationController", `{spec: {template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: x}]}}}}`, nil},
		{"bare", "ReplicationController", `{spec: {minReadySeconds: -1, replicas: -2}}`, []string{
			"spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0", "spec.selector: Required value",
			"spec.replicas: Invalid value: -2: must be greater than or equal to 0", "spec.template: Required value"}},
		{"other labels", "ReplicationController", `{spec: {selector: {app: b}, template: {metadata: {labels: {app: a}}, spec: {restartPolicy: Never,
			activeDeadlineSeconds: 3, containers: [{name: c, image: x}]}}}}`, []string{
			`spec.template.metadata.labels: Invalid value: {"app":"a"}: ` + notChosen,
			`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
			"spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported"}},

		{"good", "PodTemplate", `{template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}`, nil},
		{"bad", "PodTemplate", `{template: {metadata: {labels: {a: b/c}}}}`, []string{
			`template.labels: Invalid value: "b/c": ` + badLabelValue, "template.spec.containers: Required value"}},
	})
}

const (
	badHostLabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ` +
		`(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
	badLabelValue = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an ` +
		`alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
)

// What may not change.
func TestApps_ValidateUpdate(t *testing.T) {
	runChangeTests(t, []changeTest{
		{"selector", "DaemonSet", `{spec: {` + podsOf + `}}`, `{spec: {selector: {matchExpressions: [{key: app, operator: Exists}]},
			template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: x}]}}}}`, []string{
			`spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable`}},
		{"what the controller follows", "StatefulSet", `{spec: {` + podsOf + `}}`, `{spec: {selector: {matchLabels: {app: a}}, replicas: 3, minReadySeconds: 2,
			revisionHistoryLimit: 1, ordinals: {start: 1}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: y}]}}}}`, nil},
		{"service", "StatefulSet", `{spec: {` + podsOf + `}}`, `{spec: {` + podsOf + `, serviceName: b_}}`, []string{
			`spec.serviceName: Invalid value: "b_": field is immutable`}},
		{"claims", "StatefulSet", `{spec: {` + podsOf + `}}`, `{spec: {` + podsOf + `, volumeClaimTemplates: [{metadata: {name: d}}]}}`, []string{
			`spec.volumeClaimTemplates: Invalid value: [{"name":"d","Spec":{"AccessModes":null,"Selector":null,"Resources":{"Limits":null,"Requests":null},"VolumeName":"",` +
				`"StorageClassName":null,"VolumeMode":"Filesystem","DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null},"Status":{"Phase":"Pending",` +
				`"AccessModes":null,"Capacity":null,"Conditions":null,"AllocatedResources":null,"AllocatedResourceStatuses":null,"CurrentVolumeAttributesClassName":null,` +
				`"ModifyVolumeStatus":null,"HealthStatus":null}}]: field is immutable`}},
		{"revision", "ControllerRevision", `{revision: 1, data: {a: b}}`, `{revision: 2, data: {a: b}}`, nil},
		{"data", "ControllerRevision", `{data: {a: b}}`, `{data: {a: c}}`, []string{`data: Invalid value: {"a":"c"}: field is immutable`}},
	})
}

// The count of a DaemonSet's templates is the server's own.
func TestDaemonSet_TemplateGeneration(t *testing.T) {
	k := mustKind(t, "DaemonSet")
	old := mustParse[*appsv1.DaemonSet](t, k, `{spec: {`+podsOf+`}}`)
	enter(k, old)
	const key = "deprecated.daemonset.template.generation"
	if got := old.Annotations[key]; got != "1" {
		t.Errorf("begins at %q", got)
	}
	same := old.DeepCopy()
	same.Annotations[key] = "7"
	same.Spec.MinReadySeconds = 5
	replace(k, same, old)
	if got := same.Annotations[key]; got != "1" {
		t.Errorf("a client set it to %q", got)
	}
	next := old.DeepCopy()
	delete(next.Annotations, key)
	next.Spec.Template.Spec.Containers[0].Image = "y"
	replace(k, next, old)
	if got := next.Annotations[key]; got != "2" {
		t.Errorf("a new template is number %q", got)
	}
}

// A PodTemplate's generation follows its template.
func TestPodTemplate_Generation(t *testing.T) {
	k := mustKind(t, "PodTemplate")
	old := mustParse[*corev1.PodTemplate](t, k, `{template: {spec: {containers: [{name: c, image: x}]}}}`)
	enter(k, old)
	obj := old.DeepCopy()
	replace(k, obj, old)
	if old.Generation != 1 || obj.Generation != 1 {
		t.Errorf("generations %d, %d", old.Generation, obj.Generation)
	}
	obj.Template.Labels = map[string]string{"a": "b"}
	replace(k, obj, old)
	if obj.Generation != 2 {
		t.Errorf("a new template has generation %d", obj.Generation)
	}
}

// What controllers report is checked.
func TestApps_ValidateStatusUpdate(t *testing.T) {
	tests := []struct {
		name, kind, old, text string
		want                  []string
	}{
		{"good", "DaemonSet", `{}`, `{status: {numberReady: 3, collisionCount: 1}}`, nil},
		{"bad", "DaemonSet", `{status: {collisionCount: 2}}`, `{status: {numberReady: -1, collisionCount: 1}}`, []string{
			"status.numberReady: Invalid value: -1: must be greater than or equal to 0", "status.collisionCount: Invalid value: 1: cannot be decremented"}},
		{"good", "StatefulSet", `{}`, `{status: {replicas: 2, readyReplicas: 2, availableReplicas: 1}}`, nil},
		{"more than all", "StatefulSet", `{status: {collisionCount: 1}}`, `{status: {replicas: 1, readyReplicas: 2, availableReplicas: 3}}`, []string{
			"status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
			"status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
			"status.availableReplicas: Invalid value: 3: cannot be greater than status.readyReplicas",
			"status.collisionCount: Invalid value: 0: cannot be decremented"}},
		{"terminating", "Deployment", `{}`, `{status: {terminatingReplicas: -1}}`, []string{
			"status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"}},
		{"terminating", "ReplicaSet", `{}`, `{status: {terminatingReplicas: -1}}`, []string{
			"status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"}},
		{"more than all", "ReplicationController", `{}`, `{status: {fullyLabeledReplicas: 1, observedGeneration: -1}}`, []string{
			"status.fullyLabeledReplicas: Invalid value: 1: cannot be greater than status.replicas",
			"status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			expectErrors(t, k.ValidateStatusUpdate(mustParse[runtime.Object](t, k, tt.text), mustParse[runtime.Object](t, k, tt.old)), tt.want)
		})
	}
}

// What people see in "kubectl get", with -o wide.
func TestApps_Cells(t *testing.T) {
	const made = `creationTimestamp: "2026-01-02T11:55:00Z"`
	runCellTests(t, []cellTest{
		{"all", "DaemonSet", `{metadata: {name: a, ` + made + `}, spec: {selector: {matchLabels: {app: a}}, template: {spec: {nodeSelector: {d: ssd},
			containers: [{name: c, image: x}, {name: d, image: z}]}}}, status: {desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3,
			updatedNumberScheduled: 2, numberAvailable: 1}}`,
			[]any{"a", int64(5), int64(4), int64(3), int64(2), int64(1), "d=ssd", "5m", "c,d", "x,z", "app=a"}},
		{"bare", "DaemonSet", `{metadata: {name: a}}`,
			[]any{"a", int64(0), int64(0), int64(0), int64(0), int64(0), "<none>", "<unknown>", "", "", "<none>"}},
		{"all", "StatefulSet", `{metadata: {name: a, ` + made + `}, spec: {replicas: 3, template: {spec: {containers: [{name: c, image: x}]}}},
			status: {readyReplicas: 2}}`, []any{"a", "2/3", "5m", "c", "x"}},
		{"owned", "ControllerRevision", `{metadata: {name: a, ` + made + `, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web,
			controller: true}]}, revision: 4}`, []any{"a", "statefulset.apps/web", int64(4), "5m"}},
		{"orphan", "ControllerRevision", `{metadata: {name: a, ` + made + `}}`, []any{"a", "<none>", int64(0), "5m"}},
		{"all", "ReplicationController", `{metadata: {name: a, ` + made + `}, spec: {replicas: 3, selector: {app: a}, template: {spec: {containers:
			[{name: c, image: x}]}}}, status: {replicas: 2, readyReplicas: 1}}`, []any{"a", int64(3), int64(2), int64(1), "5m", "c", "x", "app=a"}},
		{"all", "PodTemplate", `{metadata: {name: a}, template: {metadata: {labels: {b: c}}, spec: {containers: [{name: c, image: x}]}}}`,
			[]any{"a", "c", "x", "b=c"}},
	})
}

// The scale of each kind that has one shows and sets the replicas, and the pods they are of.
func TestApps_Scale(t *testing.T) {
	for kind, text := range map[string]string{
		"StatefulSet":           `{metadata: {name: a, namespace: n}, spec: {replicas: 3, selector: {matchLabels: {b: c}}}, status: {replicas: 2}}`,
		"ReplicationController": `{metadata: {name: a, namespace: n}, spec: {replicas: 3, selector: {b: c}}, status: {replicas: 2}}`,
	} {
		k := mustKind(t, kind)
		obj := mustParse[runtime.Object](t, k, text)
		s, err := k.Scale.Get(obj)
		if err != nil || s.Name != "a" || s.Spec.Replicas != 3 || s.Status.Replicas != 2 || s.Status.Selector != "b=c" {
			t.Errorf("%s: %+v, %v", kind, s, err)
		}
		k.Scale.Set(obj, 7)
		if s, err = k.Scale.Get(obj); err != nil || s.Spec.Replicas != 7 {
			t.Errorf("%s: set to %+v, %v", kind, s, err)
		}
	}
}
