package kinds_test

import (
	"slices"
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

const (
	badNamePart   = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	badDNS1035    = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	oneReach      = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	badRequestRef = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)

// A migration ends once, in one way.
func TestStorageVersionMigration_status(t *testing.T) {
	k := mustKind(t, "StorageVersionMigration")
	const succeeded = `{type: Succeeded, status: "True", reason: a, lastTransitionTime: "2026-01-02T12:00:00Z"}`
	const failed = `{type: Failed, status: "True", reason: a, lastTransitionTime: "2026-01-02T12:00:00Z"}`
	for _, tt := range []struct {
		name, old, text string
		want            []string
	}{
		{"done", `{}`, `{status: {resourceVersion: "7", conditions: [` + succeeded + `]}}`, nil},
		{"both", `{}`, `{status: {conditions: [` + succeeded + `, ` + failed + `]}}`, []string{"Both success and failed conditions cannot be true at the same time"}},
		{"undone", `{status: {conditions: [` + failed + `]}}`, `{}`, []string{"Failed condition cannot be set to false once it is true"}},
		{"another revision", `{status: {resourceVersion: "7"}}`, `{status: {resourceVersion: "8"}}`, []string{"field is immutable"}},
	} {
		errs := k.ValidateStatusUpdate(mustParse[runtime.Object](t, k, tt.text), mustParse[runtime.Object](t, k, tt.old))
		var got []string
		for _, err := range errs {
			got = append(got, err.Detail)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
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
			"spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
			`spec.devices.requests[1].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`,
			`spec.devices.requests[2].exactly.deviceClassName: Required value`,
			`spec.devices.requests[2].exactly.allocationMode: Unsupported value: "Odd": supported values: "All", "ExactCount"`,
			`spec.devices.requests[2]: Duplicate value: {"name":"b","exactly":{"deviceClassName":"","allocationMode":"Odd"}}`}},
		{"good", "ResourceSlice", `{spec: {` + pool + `, nodeName: one, devices: [{name: a}]}}`, nil},
		{"bad", "ResourceSlice", `{spec: {driver: a_b, nodeName: one, allNodes: true, pool: {generation: -1}, devices: [{name: a}, {name: a}]}}`, []string{
			`spec.driver: Invalid value: "a_b": ` + badSubdomain, `spec.pool.name: Required value`,
			`spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero`,
			`spec.pool.generation: Invalid value: -1: must be greater than or equal to zero`,
			`spec.devices[1]: Duplicate value: "a"`,
			"spec: Invalid value: \"{`nodeName`, `allNodes`}\": " + oneReach + ", but multiple fields are set"}},
		{"false flags", "ResourceSlice", `{spec: {` + pool + `, allNodes: false, perDeviceNodeSelection: false, nodeName: ""}}`, []string{
			`spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string`,
			`spec.allNodes: Invalid value: false: must be either unset or set to true`,
			`spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true`, "spec: Required value: " + oneReach}},
		{"two terms", "ResourceSlice", `{spec: {` + pool + `, nodeSelector: {nodeSelectorTerms: []}}}`, []string{
			`spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term`,
			`spec.nodeSelector.nodeSelectorTerms: Invalid value: []: must have exactly one node selector term`}},
		{"devices", "ResourceSlice", `{spec: {` + pool + `, perDeviceNodeSelection: true, devices: [{name: a}, {name: b, allNodes: true, bindingConditions: [c, c]},
			{name: d, allNodes: true, bindingConditions: [e], bindingFailureConditions: [e], taints: [{key: k, value: "x y", effect: NoExecute}]}]}}`, []string{
			"spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
			`spec.devices[1].bindingConditions[1]: Duplicate value: "c"`,
			`spec.devices[1].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions`,
			`spec.devices[2].bindingFailureConditions[0]: Invalid value: "e": bindingFailureConditions must not overlap with bindingConditions`,
			`spec.devices[2].taints[0].value: Invalid value: "x y": ` + badLabelValue}},
		{"nowhere", "ResourceSlice", `{spec: {` + pool + `}}`, []string{
			"spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"}},
		{"good", "DeviceClass", `{spec: {selectors: [{cel: {expression: "true"}}]}}`, nil},
		{"good", "DeviceTaintRule", `{spec: {taint: {key: a, effect: NoExecute}}}`, nil},
		{"bad", "DeviceTaintRule", `{spec: {taint: {effect: Odd}}}`, []string{`spec.taint.key: Invalid value: "": name part must be non-empty`,
			`spec.taint.key: Invalid value: "": ` + badNamePart,
			`spec.taint.effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"`}},
		{"empty", "StorageVersionMigration", `{}`, []string{`spec.resource.resource: Required value: resource is required to be set`}},
		{"bad", "StorageVersionMigration", `{spec: {resource: {group: a b, resource: "1"}}}`, []string{
			`spec.resource.resource: Invalid value: "1": ` + badDNS1035, `spec.resource.group: Invalid value: "a b": ` + badSubdomain}},
		{"both forms", "ResourceClaim", `{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: c}, firstAvailable: [{name: b, deviceClassName: c}]}]}}}`, []string{
			"spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"}},
		{"names", "ResourceClaim", `{spec: {devices: {requests: [{name: a, firstAvailable: [{name: b, deviceClassName: c}]}],
			constraints: [{requests: [a/b, a], matchAttribute: e.example.com/f}, {requests: [a/c, a/b/c]}],
			config: [{requests: [d]}, {opaque: {driver: e.example.com, parameters: [1]}}]}}}`, []string{
			"spec.devices.constraints[1].requests[0]: Invalid value: \"a/c\": " + badRequestRef, "spec.devices.constraints[1].requests[1]: Invalid value: \"a/b/c\": " + badRequestRef,
			`spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`,
			"spec.devices.config[0].requests[0]: Invalid value: \"d\": " + badRequestRef, `spec.devices.config[0].opaque: Required value`,
			`spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object`}},
		{"empty selector", "DeviceClass", `{spec: {selectors: [{}], config: [{}]}}`, []string{`spec.selectors[0].cel: Required value`, `spec.config[0].opaque: Required value`}},
		{"bad selector", "DeviceTaintRule", `{spec: {deviceSelector: {pool: a//b, device: A}, taint: {key: a, effect: NoExecute}}}`, []string{
			`spec.deviceSelector.pool: Invalid value: "": ` + badSubdomain, `spec.deviceSelector.device: Invalid value: "A": ` + badDNSLabel}},
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
	for _, tt := range []struct {
		name, old, text string
		want            []string
	}{
		{"no name", `{}`, `{status: {allocation: {}, reservedFor: [{resource: pods, uid: u}]}}`, []string{`status.reservedFor[0].name: Required value`}},
		{"ending", `{status: {allocation: {}}}`, `{metadata: {deletionTimestamp: "2026-01-02T12:00:00Z"}, status: {allocation: {}, reservedFor: [{resource: pods, name: a, uid: u}]}}`,
			[]string{"status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"}},
	} {
		errs := k.ValidateStatusUpdate(mustParse[runtime.Object](t, k, tt.text), mustParse[runtime.Object](t, k, tt.old))
		expectErrors(t, errs, tt.want)
	}
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
