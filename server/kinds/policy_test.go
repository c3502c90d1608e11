package kinds_test

import (
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What the API documents as defaults is filled in.
func TestPolicy_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"bare", "PriorityClass", `{value: 1}`, `{value: 1, preemptionPolicy: PreemptLowerPriority}`},
		{"ports", "Endpoints", `{subsets: [{ports: [{port: 1}, {port: 2, protocol: UDP}]}]}`,
			`{subsets: [{ports: [{port: 1, protocol: TCP}, {port: 2, protocol: UDP}]}]}`},
		{"container", "LimitRange", `{spec: {limits: [{type: Container, max: {cpu: 2}, min: {cpu: 1, memory: 1Gi}}]}}`,
			`{spec: {limits: [{type: Container, max: {cpu: 2}, min: {cpu: 1, memory: 1Gi}, default: {cpu: 2}, defaultRequest: {cpu: 2, memory: 1Gi}}]}}`},
		{"pod", "LimitRange", `{spec: {limits: [{type: Pod, max: {cpu: 2}}]}}`, `{spec: {limits: [{type: Pod, max: {cpu: 2}}]}}`},
		{"rounds", "ResourceQuota", `{spec: {hard: {cpu: 1500u}}}`, `{spec: {hard: {cpu: 2m}}}`},
	})
}

// What a create is refused for, and what it is not.
func TestPolicy_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "PodDisruptionBudget", `{spec: {minAvailable: 50%, selector: {}, unhealthyPodEvictionPolicy: AlwaysAllow}}`, nil},
		{"both", "PodDisruptionBudget", `{spec: {minAvailable: 1, maxUnavailable: 1}}`, []string{
			`spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set`}},
		{"bad words", "PodDisruptionBudget", `{spec: {maxUnavailable: 101%, unhealthyPodEvictionPolicy: Maybe, selector: {matchLabels: {a: b/c}}}}`, []string{
			`spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
			`spec.unhealthyPodEvictionPolicy: Unsupported value: "Maybe": supported values: "AlwaysAllow", "IfHealthyBudget"`,
			`spec.selector.matchLabels: Invalid value: "b/c": ` + badLabelValue}},

		{"good", "PriorityClass", `{metadata: {name: a}, value: 1000000000, preemptionPolicy: Never}`, nil},
		{"of the system", "PriorityClass", `{metadata: {name: system-node-critical}, value: 2000001000}`, nil},
		{"too high", "PriorityClass", `{metadata: {name: a}, value: 1000000001, preemptionPolicy: Maybe}`, []string{
			"value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
			`preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"`}},
		{"reserved", "PriorityClass", `{metadata: {name: system-mine}}`, []string{
			"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class"}},
		{"not so critical", "PriorityClass", `{metadata: {name: system-node-critical}, value: 3}`, []string{
			"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000"}},

		{"good", "Endpoints", `{subsets: [{addresses: [{ip: 10.0.0.1, hostname: a, nodeName: n}], ports: [{port: 80}]}]}`, nil},
		{"bad", "Endpoints", `{subsets: [{}, {addresses: [{ip: 127.0.0.1}, {ip: x}], ports: [{port: 0, protocol: ICMP}, {port: 1, name: a}]}]}`, []string{
			"subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
			`subsets[1].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`,
			`subsets[1].addresses[1].ip: Invalid value: "x": must be a valid IP address`,
			`subsets[1].addresses[1].ip: Invalid value: "x": ` + badIP,
			"subsets[1].ports[0].name: Required value", "subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
			`subsets[1].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`}},

		{"good", "LimitRange", `{spec: {limits: [{type: Container, max: {cpu: 4}, min: {cpu: 1}, maxLimitRequestRatio: {cpu: 4}}, {type: a.b/c},
			{type: PersistentVolumeClaim, min: {storage: 1Gi}}]}}`, nil},
		{"bad types", "LimitRange", `{spec: {limits: [{type: Tape}, {type: Pod, default: {cpu: 1}}, {type: Pod}, {type: PersistentVolumeClaim, max: {tapes: 1}}]}}`, []string{
			`spec.limits[0].type: Invalid value: "Tape": must be a standard limit type or fully qualified`,
			"spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'", `spec.limits[2].type: Duplicate value: "Pod"`,
			"spec.limits[3].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
			`spec.limits[3].max[tapes]: Invalid value: "tapes": must be a standard resource type or fully qualified`}},
		{"out of order", "LimitRange", `{spec: {limits: [{type: Pod, max: {cpu: 1}, min: {cpu: 2}, maxLimitRequestRatio: {cpu: 500m}}]}}`, []string{
			`spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1`,
			`spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1`}},
		{"defaults out of order", "LimitRange", `{spec: {limits: [{type: Container, max: {cpu: 2}, default: {cpu: 3}, defaultRequest: {cpu: 4}}]}}`, []string{
			`spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max value 2`,
			`spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than default limit value 3`,
			`spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2`}},
		{"ratio", "LimitRange", `{spec: {limits: [{type: Pod, max: {cpu: 2}, min: {cpu: 1}, maxLimitRequestRatio: {cpu: 3}}]}}`, []string{
			`spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000`}},

		{"good", "ResourceQuota", `{spec: {hard: {pods: 3, limits.cpu: 1, count/deployments.apps: 2, requests.a.b/gpu: 1}}}`, nil},
		{"scoped", "ResourceQuota", `{spec: {hard: {pods: 3, cpu: 1}, scopes: [NotBestEffort], scopeSelector: {matchExpressions:
			[{scopeName: PriorityClass, operator: In, values: [high]}]}}}`, nil},
		{"bad amounts", "ResourceQuota", `{spec: {hard: {pods: 1500m, tapes: 1, storage: 1, cpu: -1}}}`, []string{
			`spec.hard[pods]: Invalid value: "1500m": must be an integer`,
			`spec.hard[tapes]: Invalid value: "tapes": must be a standard resource type or fully qualified`,
			`spec.hard[tapes]: Invalid value: "tapes": must be a standard resource for quota`,
			`spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota`,
			`spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0`}},
		{"bad scopes", "ResourceQuota", `{spec: {hard: {cpu: 1}, scopes: [Night, BestEffort, NotBestEffort]}}`, []string{
			`spec.scopes: Invalid value: ["Night","BestEffort","NotBestEffort"]: unsupported scope`,
			`spec.scopes: Invalid value: ["Night","BestEffort","NotBestEffort"]: unsupported scope applied to resource`,
			`spec.scopes: Invalid value: ["Night","BestEffort","NotBestEffort"]: conflicting scopes`}},
		{"bad selector", "ResourceQuota", `{spec: {scopeSelector: {matchExpressions: [{scopeName: Terminating, operator: In}, {scopeName: PriorityClass, operator: Like},
			{scopeName: PriorityClass, operator: Exists, values: [a]}]}}}`, []string{
			`spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ` +
				`ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
			"spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
			`spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator`,
			`spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value when ` + "`operator` is 'Exist' or 'DoesNotExist' for scope selector"}},
	})
}

// What may not change.
func TestPolicy_ValidateUpdate(t *testing.T) {
	runChangeTests(t, []changeTest{
		{"value", "PriorityClass", `{metadata: {name: a}, value: 1}`, `{metadata: {name: a}, value: 2, preemptionPolicy: Never}`, []string{
			"value: Forbidden: may not be changed in an update.", `preemptionPolicy: Invalid value: "Never": field is immutable`}},
		{"description", "PriorityClass", `{metadata: {name: a}, value: 1}`, `{metadata: {name: a}, value: 1, description: b, globalDefault: true}`, nil},
		{"scopes in another order", "ResourceQuota", `{spec: {scopes: [Terminating, BestEffort]}}`, `{spec: {scopes: [BestEffort, Terminating], hard: {pods: 1}}}`, nil},
		{"scopes", "ResourceQuota", `{spec: {}}`, `{spec: {scopes: [Terminating]}}`, []string{`spec.scopes: Invalid value: ["Terminating"]: field is immutable`}},
		{"share", "PodDisruptionBudget", `{spec: {minAvailable: 1}}`, `{spec: {maxUnavailable: 1}}`, nil},
	})
	c := mustParse[*schedulingv1.PriorityClass](t, mustKind(t, "PriorityClass"), `{metadata: {name: a}}`)
	enter(mustKind(t, "PriorityClass"), c)
	if c.Generation != 1 {
		t.Errorf("a class begins with generation %d", c.Generation)
	}
}

// What controllers report is checked.
func TestPolicy_ValidateStatusUpdate(t *testing.T) {
	for kind, tt := range map[string]struct {
		text string
		want []string
	}{
		"PodDisruptionBudget": {`{status: {disruptionsAllowed: -1, expectedPods: 2}}`, []string{
			"status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0"}},
		"ResourceQuota": {`{status: {hard: {pods: 1}, used: {pods: -1}}}`, []string{
			`status.used[pods]: Invalid value: "-1": must be greater than or equal to 0`}},
	} {
		k := mustKind(t, kind)
		obj := mustParse[runtime.Object](t, k, tt.text)
		expectErrors(t, k.ValidateStatusUpdate(obj, obj), tt.want)
	}
}

// What people see in "kubectl get", with -o wide.
func TestPolicy_Cells(t *testing.T) {
	const made = `creationTimestamp: "2026-01-02T11:55:00Z"`
	runCellTests(t, []cellTest{
		{"share", "PodDisruptionBudget", `{metadata: {name: a, ` + made + `}, spec: {minAvailable: 50%}, status: {disruptionsAllowed: 2}}`,
			[]any{"a", "50%", "N/A", int64(2), "5m"}},
		{"number", "PodDisruptionBudget", `{metadata: {name: a, ` + made + `}, spec: {maxUnavailable: 1}}`, []any{"a", "N/A", "1", int64(0), "5m"}},
		{"all", "PriorityClass", `{metadata: {name: a, ` + made + `}, value: 7, globalDefault: true, preemptionPolicy: Never}`,
			[]any{"a", int64(7), true, "5m", "Never"}},
		{"few", "Endpoints", `{metadata: {name: a, ` + made + `}, subsets: [{addresses: [{ip: 1.2.3.4}, {ip: "fd00::1"}], ports: [{port: 80}]}]}`,
			[]any{"a", "1.2.3.4:80,[fd00::1]:80", "5m"}},
		{"many", "Endpoints", `{metadata: {name: a, ` + made + `}, subsets: [{addresses: [{ip: 1.0.0.1}, {ip: 1.0.0.2}, {ip: 1.0.0.3}, {ip: 1.0.0.4}, {ip: 1.0.0.5}]}]}`,
			[]any{"a", "1.0.0.1,1.0.0.2,1.0.0.3 + 2 more...", "5m"}},
		{"empty", "Endpoints", `{metadata: {name: a, ` + made + `}}`, []any{"a", "<none>", "5m"}},
		{"plain", "LimitRange", `{metadata: {name: a, ` + made + `}}`, []any{"a", "2026-01-02T11:55:00Z"}},
		{"all", "ResourceQuota", `{metadata: {name: a, ` + made + `}, status: {hard: {pods: 3, limits.cpu: 2, cpu: 1}, used: {pods: 1}}}`,
			[]any{"a", "cpu: 0/1, pods: 1/3", "limits.cpu: 0/2", "5m"}},
	})
}

// The names and doors of the kinds of workloads, volumes and policies.
func TestBuiltIn_WorkloadRows(t *testing.T) {
	for _, want := range []rowTest{
		{"ControllerRevision", "controllerrevisions.apps", "", true, false, true, false, false, false},
		{"DaemonSet", "daemonsets.apps", "ds", true, false, true, true, true, false},
		{"StatefulSet", "statefulsets.apps", "sts", true, false, true, true, true, false},
		{"Job", "jobs.batch", "", true, false, true, true, true, false},
		{"CronJob", "cronjobs.batch", "cj", true, false, true, true, true, false},
		{"PodDisruptionBudget", "poddisruptionbudgets.policy", "pdb", true, false, false, true, true, false},
		{"PriorityClass", "priorityclasses.scheduling.k8s.io", "pc", false, false, true, false, false, false},
		{"Endpoints", "endpoints", "ep", true, true, true, false, false, false},
		{"LimitRange", "limitranges", "limits", true, true, true, false, false, false},
		{"ResourceQuota", "resourcequotas", "quota", true, false, true, true, false, true},
		{"PersistentVolume", "persistentvolumes", "pv", false, false, true, true, false, true},
		{"PersistentVolumeClaim", "persistentvolumeclaims", "pvc", true, false, true, true, false, true},
		{"PodTemplate", "podtemplates", "", true, false, true, false, false, true},
		{"ReplicationController", "replicationcontrollers", "rc", true, false, true, true, true, false},
	} {
		k := mustKind(t, want.kind)
		got := rowTest{k.Kind, k.StorageResource(), strings.Join(k.ShortNames, ","), k.Namespaced, k.CreateOnUpdate,
			k.UnconditionalUpdate, k.Status, k.Generation, k.ReturnDeleted}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
