package kinds_test

import (
	"encoding/json"
	"math/rand"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"
)

const target = `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}`

// What a HorizontalPodAutoscaler has that says nothing of it.
func TestHorizontalPodAutoscaler_Default(t *testing.T) {
	cpu := `metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]`
	down := `scaleDown: {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}`
	up := `scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}`
	runDefaultTests(t, []defaultTest{
		{"empty", "HorizontalPodAutoscaler", `{}`, `{spec: {minReplicas: 1, ` + cpu + `}}`},
		{"behavior", "HorizontalPodAutoscaler", `{spec: {behavior: {}}}`, `{spec: {minReplicas: 1, behavior: {` + up + `, ` + down + `}, ` + cpu + `}}`},
		{"own rules", "HorizontalPodAutoscaler", `{spec: {minReplicas: 2, behavior: {scaleDown: {selectPolicy: Min}, scaleUp: {policies: []}}, metrics: [{type: Pods}]}}`,
			`{spec: {minReplicas: 2, metrics: [{type: Pods}], behavior: {scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: []},
			scaleDown: {selectPolicy: Min, policies: [{type: Percent, value: 100, periodSeconds: 15}]}}}}`},
	})
}

// What a HorizontalPodAutoscaler is refused for.
func TestHorizontalPodAutoscaler_Validate(t *testing.T) {
	of := "HorizontalPodAutoscaler"
	runEntryTests(t, []entryTest{
		{"good", of, `{spec: {maxReplicas: 3, ` + target + `}}`, nil},
		{"core", of, `{spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: v1, kind: ReplicationController, name: web}}}`, nil},
		{"empty", of, `{}`, []string{
			`spec.maxReplicas: Required value`,
			"spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
			`spec.scaleTargetRef.kind: Required value`,
			`spec.scaleTargetRef.name: Required value`,
			`spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group`}},
		{"numbers", of, `{spec: {minReplicas: -1, maxReplicas: -2, scaleTargetRef: {apiVersion: a/b/c, kind: a/b, name: "%"}}}`, []string{
			`spec.minReplicas: Invalid value: -1: must be greater than or equal to 0`,
			`spec.maxReplicas: Invalid value: -2: must be greater than or equal to 1`,
			"spec.maxReplicas: Invalid value: -2: must be greater than or equal to `minReplicas`",
			`spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain '/'`,
			`spec.scaleTargetRef.name: Invalid value: "%": may not contain '%'`,
			`spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`}},
		{"to zero", of, `{spec: {minReplicas: 0, maxReplicas: 1, ` + target + `}}`, []string{
			`spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas`}},
		{"behavior", of, `{spec: {maxReplicas: 3, ` + target + `, behavior: {scaleUp: {stabilizationWindowSeconds: 3601, selectPolicy: Odd, policies: [{type: Odd, periodSeconds: 1801}]},
			scaleDown: {stabilizationWindowSeconds: -1, policies: [], tolerance: "-1"}}}}`, []string{
			`spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600`,
			`spec.behavior.scaleUp.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"`,
			`spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"`,
			`spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero`,
			`spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800`,
			`spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero`,
			`spec.behavior.scaleDown.policies: Required value: must specify at least one Policy`,
			`spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0`}},
		{"metrics", of, `{spec: {maxReplicas: 3, ` + target + `, metrics: [
			{type: Pods, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}},
			{type: Object, object: {describedObject: {kind: A, name: b}, metric: {name: c}, target: {type: Value}}, pods: {metric: {}, target: {}}},
			{type: External, external: {metric: {name: c}, target: {type: Value, value: 1, averageValue: -1}}},
			{type: ContainerResource, containerResource: {target: {type: Odd, averageValue: 1, averageUtilization: 5}}}]}}`, []string{
			`spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0`,
			`spec.metrics[0].pods: Required value: must populate information for the given metric source`,
			`spec.metrics[1].object.target.averageValue: Required value: must set either a target value or averageValue`,
			`spec.metrics[1].pods: Forbidden: must populate the given metric source only`,
			`spec.metrics[2].external.target.averageValue: Invalid value: "-1": must be positive`,
			`spec.metrics[2].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target`,
			`spec.metrics[3].containerResource.name: Required value: must specify a resource name`,
			`spec.metrics[3].containerResource.container: Required value: must specify a container`,
			`spec.metrics[3].containerResource.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue`,
			`spec.metrics[3].containerResource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization`}},
	})
}

// What was wrong before may stay.
func TestHorizontalPodAutoscaler_ValidateUpdate(t *testing.T) {
	k := mustKind(t, "HorizontalPodAutoscaler")
	old := mustParse[runtime.Object](t, k, `{spec: {minReplicas: 0, maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}, metrics: [{type: External,
		external: {metric: {name: c}, target: {type: Value, value: 1}}}]}}`)
	obj := old.DeepCopyObject().(*autoscalingv2.HorizontalPodAutoscaler)
	obj.Spec.MaxReplicas = 4
	expectErrors(t, replace(k, obj, old), nil)
	obj.Spec.ScaleTargetRef.Kind = "ReplicaSet"
	expectErrors(t, replace(k, obj, old), []string{`spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group`})
	obj.Status.DesiredReplicas = -1
	expectErrors(t, k.ValidateStatusUpdate(obj, old), []string{`status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0`})
}

// The cell of the metrics tells what is and what should be, and counts after two.
func TestHorizontalPodAutoscaler_Cells(t *testing.T) {
	text := `{metadata: {name: a, creationTimestamp: "2026-01-02T11:55:00Z"}, spec: {minReplicas: 1, maxReplicas: 9, ` + target + `, metrics: [
		{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}},
		{type: Pods, pods: {target: {averageValue: 1k}}}, {type: Object, object: {target: {value: 5}}}]},
		status: {currentReplicas: 2, currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 20}}}]}}`
	external := `{metadata: {name: a}, spec: {maxReplicas: 9, ` + target + `, metrics: [{type: External, external: {target: {averageValue: 3}}}, {type: Odd}]},
		status: {currentMetrics: [{type: External, external: {current: {averageValue: 2}}}]}}`
	runCellTests(t, []cellTest{
		{"many", "HorizontalPodAutoscaler", text, []any{"a", "Deployment/web", "cpu: 20%/80%, <unknown>/1k + 1 more...", "1", int64(9), int64(2), "5m"}},
		{"external", "HorizontalPodAutoscaler", external, []any{"a", "Deployment/web", "2/3 (avg), <unknown type>", "<unset>", int64(9), int64(0), "<unknown>"}},
	})
	v1 := mustVersion(t, "autoscaling/v1", "HorizontalPodAutoscaler")
	obj := mustParse[runtime.Object](t, v1, `{metadata: {name: a}, spec: {minReplicas: 1, maxReplicas: 9, targetCPUUtilizationPercentage: 50, `+target+`}}`)
	if got := v1.Printer.Cells(obj, time.Now())[2]; got != "cpu: <unknown>/50%" {
		t.Errorf("v1 tells its metrics as %v", got)
	}
}

// A stored object that is read in v1 carries in annotations what v1 has no fields for, in their recorded form.
func TestHorizontalPodAutoscaler_V1(t *testing.T) {
	v2, v1 := mustVersion(t, "autoscaling/v2", "HorizontalPodAutoscaler"), mustVersion(t, "autoscaling/v1", "HorizontalPodAutoscaler")
	stored := mustParse[*autoscalingv2.HorizontalPodAutoscaler](t, v2, `{metadata: {name: a, annotations: {own: b}}, spec: {maxReplicas: 3, `+target+`,
		behavior: {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}},
		metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}, {type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: 10}}}]},
		status: {conditions: [{type: AbleToScale, status: "True", reason: r}]}}`)
	got, err := v1.FromStored(stored.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	a := got.(*autoscalingv1.HorizontalPodAutoscaler)
	if p := a.Spec.TargetCPUUtilizationPercentage; p == nil || *p != 50 {
		t.Errorf("the target of the CPU is %v", p)
	}
	want := map[string]string{
		"own": "b",
		"autoscaling.alpha.kubernetes.io/metrics":    `[{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"10"}}]`,
		"autoscaling.alpha.kubernetes.io/behavior":   `{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":null}}`,
		"autoscaling.alpha.kubernetes.io/conditions": `[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"r"}]`,
	}
	if !equality.Semantic.DeepEqual(a.Annotations, want) {
		t.Errorf("annotations\n%v\nwant\n%v", a.Annotations, want)
	}
	back, err := v1.ToStored(got)
	if err != nil {
		t.Fatal(err)
	}
	stored.Spec.Metrics[0], stored.Spec.Metrics[1] = stored.Spec.Metrics[1], stored.Spec.Metrics[0]
	if !equality.Semantic.DeepEqual(back, stored) {
		t.Errorf("came back as\n%v\nwant\n%v", back, stored)
	}
}

// Whatever v1 says is the same after it was stored and read again.
func TestHorizontalPodAutoscaler_V1RoundTrip(t *testing.T) {
	k := mustVersion(t, "autoscaling/v1", "HorizontalPodAutoscaler")
	fill := randfill.New().RandSource(rand.NewSource(1)).NilChance(0.3).NumElements(0, 3)
	for range 50 {
		var spec autoscalingv1.HorizontalPodAutoscalerSpec
		fill.Fill(&spec)
		obj := &autoscalingv1.HorizontalPodAutoscaler{Spec: spec}
		stored, err := k.ToStored(obj.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		back, err := k.FromStored(stored)
		if err != nil {
			t.Fatal(err)
		}
		if spec.TargetCPUUtilizationPercentage == nil { // the one default that a conversion gives
			obj.Spec.TargetCPUUtilizationPercentage = new(int32(80))
		}
		if !equality.Semantic.DeepEqual(back, obj) {
			got, _ := json.Marshal(back)
			want, _ := json.Marshal(obj)
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// An update through v1 can not take away conditions, which v1 shows as an annotation; one of the status can not change
// the metrics.
func TestHorizontalPodAutoscaler_V1Doors(t *testing.T) {
	k := mustVersion(t, "autoscaling/v1", "HorizontalPodAutoscaler")
	old := mustParse[*autoscalingv1.HorizontalPodAutoscaler](t, k, `{metadata: {generation: 1, annotations: {autoscaling.alpha.kubernetes.io/conditions: "[]", autoscaling.alpha.kubernetes.io/behavior: "{}"}}}`)
	obj := old.DeepCopy()
	obj.Annotations = nil
	k.PrepareForUpdate(obj, old)
	if len(obj.Annotations) != 1 || obj.Generation != 1 {
		t.Errorf("an update leaves %v, generation %d", obj.Annotations, obj.Generation)
	}
	obj = old.DeepCopy()
	obj.Annotations["autoscaling.alpha.kubernetes.io/metrics"] = `[{"type":"Pods"}]`
	k.PrepareForUpdate(obj, old)
	if obj.Generation != 2 {
		t.Errorf("a change of the metrics leaves generation %d", obj.Generation)
	}
	k.PrepareForStatusUpdate(obj, old)
	if _, kept := obj.Annotations["autoscaling.alpha.kubernetes.io/metrics"]; kept {
		t.Error("an update of the status changes the metrics")
	}
}
