package kinds_test

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const badDNSLabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`

// What claims and slices have that say nothing of it.
func TestResource_Default(t *testing.T) {
	one := `deviceClassName: c, allocationMode: ExactCount, count: 1`
	runDefaultTests(t, []defaultTest{
		{"requests", "ResourceClaim", `{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: c, tolerations: [{}]}}, {name: b, firstAvailable: [{deviceClassName: c}]},
			{name: d, exactly: {allocationMode: All}}]}}}`,
			`{spec: {devices: {requests: [{name: a, exactly: {` + one + `, tolerations: [{operator: Equal}]}}, {name: b, firstAvailable: [{` + one + `}]}, {name: d, exactly: {allocationMode: All}}]}}}`},
		{"template", "ResourceClaimTemplate", `{spec: {spec: {devices: {requests: [{exactly: {deviceClassName: c}}]}}}}`,
			`{spec: {spec: {devices: {requests: [{exactly: {` + one + `}}]}}}}`},
	})
	k := mustKind(t, "ResourceSlice")
	s := mustParse[*resourcev1.ResourceSlice](t, k, `{spec: {devices: [{taints: [{}, {timeAdded: "2026-01-02T11:55:00Z"}]}]}}`)
	k.Default(s)
	if taints := s.Spec.Devices[0].Taints; taints[0].TimeAdded == nil || taints[1].TimeAdded.Year() != 2026 {
		t.Errorf("tainted since %v and %v", taints[0].TimeAdded, taints[1].TimeAdded)
	}
}

// What claims, slices, classes and rules are refused for.
func TestResource_Validate(t *testing.T) {
	pool := `driver: d.example.com, pool: {name: p, resourceSliceCount: 1}`
	runEntryTests(t, []entryTest{
		{"good", "ResourceClaim", `{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: c}}]}}}`, nil},
		{"good", "ResourceClaimTemplate", `{spec: {spec: {devices: {requests: [{name: a, firstAvailable: [{name: b, deviceClassName: c}]}]}}}}`, nil},
		{"bad", "ResourceClaim", `{spec: {devices: {requests: [{name: A}, {name: b, exactly: {deviceClassName: c, allocationMode: All, count: 2}}, {name: b, exactly: {allocationMode: Odd}}]}}}`, []string{
			`spec.devices.requests[0].name: Invalid value: "A": ` + badDNSLabel,
			"spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required",
			`spec.devices.requests[1].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`,
			`spec.devices.requests[2].exactly.deviceClassName: Required value`,
			`spec.devices.requests[2].exactly.allocationMode: Unsupported value: "Odd": supported values: "All", "ExactCount"`,
			`spec.devices.requests[2]: Duplicate value: {"name":"b","exactly":{"deviceClassName":"","allocationMode":"Odd"}}`}},
		{"good", "ResourceSlice", `{spec: {` + pool + `, nodeName: one, devices: [{name: a}]}}`, nil},
		{"bad", "ResourceSlice", `{spec: {driver: A, nodeName: one, allNodes: true, pool: {generation: -1}, devices: [{name: a}, {name: a}]}}`, []string{
			`spec.driver: Invalid value: "A": ` + badSubdomain, `spec.pool.name: Required value`,
			`spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero`,
			`spec.pool.generation: Invalid value: -1: must be greater than or equal to zero`,
			`spec.devices[1].name: Duplicate value: "a"`,
			"spec: Invalid value: null: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"}},
		{"nowhere", "ResourceSlice", `{spec: {` + pool + `}}`, []string{
			"spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"}},
		{"good", "DeviceClass", `{spec: {selectors: [{cel: {expression: "true"}}]}}`, nil},
		{"good", "DeviceTaintRule", `{spec: {taint: {key: a, effect: NoExecute}}}`, nil},
		{"bad", "DeviceTaintRule", `{spec: {taint: {effect: Odd}}}`, []string{`spec.taint.key: Required value`,
			`spec.taint.effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"`}},
		{"empty", "StorageVersionMigration", `{}`, []string{`spec.resource.resource: Required value`}},
	})
}

// What is claimed does not change, nor whose slice it is; who uses a claim needs one that is allocated.
func TestResource_ValidateUpdate(t *testing.T) {
	claim := `{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: c}}]}}}`
	runChangeTests(t, []changeTest{
		{"same", "ResourceClaim", claim, claim, nil},
		{"other", "ResourceClaim", claim, `{spec: {devices: {requests: [{name: b, exactly: {deviceClassName: c}}]}}}`, []string{`spec: Invalid value: null: field is immutable`}},
		{"other driver", "ResourceSlice", `{spec: {driver: a, allNodes: true, pool: {name: p, resourceSliceCount: 1}}}`,
			`{spec: {driver: b, allNodes: true, pool: {name: q, resourceSliceCount: 1}}}`, []string{
				`spec.driver: Invalid value: "b": field is immutable`, `spec.pool.name: Invalid value: "q": field is immutable`}},
	})
	k := mustKind(t, "ResourceClaim")
	used := mustParse[runtime.Object](t, k, `{status: {reservedFor: [{resource: pods, name: a, uid: u}]}}`)
	expectErrors(t, k.ValidateStatusUpdate(used, k.New()), []string{"status.reservedFor: Forbidden: may not be specified when `allocated` is not set"})
}

func TestResource_Cells(t *testing.T) {
	created := `metadata: {name: a, creationTimestamp: "2026-01-02T11:55:00Z"}`
	runCellTests(t, []cellTest{
		{"pending", "ResourceClaim", `{` + created + `}`, []any{"a", "pending", "5m"}},
		{"used", "ResourceClaim", `{` + created + `, status: {allocation: {}, reservedFor: [{}]}}`, []any{"a", "allocated,reserved", "5m"}},
		{"slice", "ResourceSlice", `{` + created + `, spec: {driver: d, pool: {name: p}}}`, []any{"a", "<unset>", "d", "p", "5m"}},
		{"class", "DeviceClass", `{` + created + `}`, []any{"a", "5m"}},
		{"rule", "DeviceTaintRule", `{` + created + `, spec: {taint: {key: k, value: v, effect: NoExecute, timeAdded: "2026-01-02T11:59:00Z"}}}`,
			[]any{"a", "k", "v", "NoExecute", "60s", "5m"}},
		{"asked", "StorageVersionMigration", `{` + created + `, spec: {resource: {group: apps, resource: deployments}}}`,
			[]any{"a", "deployments.apps", "Unknown"}},
		{"done", "StorageVersionMigration", `{` + created + `, spec: {resource: {resource: pods}}, status: {conditions: [
			{type: Running, status: "False"}, {type: Succeeded, status: "True"}]}}`, []any{"a", "pods", "Succeeded"}},
	})
}
