package kinds_test

import (
	"strings"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const qualifiedName = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`

// What the kinds of storage.k8s.io are refused for.
func TestStorage_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "StorageClass", `{provisioner: A.b/c, parameters: {d: e}, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer,
			allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, c]}]}, {matchLabelExpressions: [{key: a, values: [b]}]}]}`, nil},
		{"empty", "StorageClass", `{}`, []string{`provisioner: Required value`}},
		{"bad words", "StorageClass", `{provisioner: "a b", parameters: {"": x}, reclaimPolicy: Recycle, volumeBindingMode: Odd}`, []string{
			`provisioner: Invalid value: "a b": ` + qualifiedName,
			`parameters: Invalid value: "": field can not be empty.`,
			`reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"`,
			`volumeBindingMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"`}},
		{"bad topologies", "StorageClass", `{provisioner: a, allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, b]}, {key: a}]},
			{matchLabelExpressions: [{key: c, values: [d]}]}, {matchLabelExpressions: [{key: c, values: [d]}]}]}`, []string{
			`allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "b"`,
			`allowedTopologies[0].matchLabelExpressions[1].values: Required value`,
			`allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "a"`,
			`allowedTopologies[2].matchLabelExpressions: Duplicate value: ""`}},

		{"good", "VolumeAttributesClass", `{driverName: a.b, parameters: {c: d}}`, nil},
		{"empty", "VolumeAttributesClass", `{}`, []string{`driverName: Required value`,
			`parameters: Required value: must contain at least one key/value pair`}},

		{"good", "CSIDriver", `{spec: {tokenRequests: [{audience: a, expirationSeconds: 600}, {audience: b}], serviceAccountTokenInSecrets: true}}`, nil},
		{"bad words", "CSIDriver", `{spec: {fsGroupPolicy: Odd, volumeLifecycleModes: [Odd], nodeAllocatableUpdatePeriodSeconds: 9}}`, []string{
			`spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"`,
			`spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"`,
			`spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds`}},
		{"bad tokens", "CSIDriver", `{spec: {tokenRequests: [{audience: a, expirationSeconds: 599}, {audience: a}, {audience: b, expirationSeconds: 4294967297}]}}`, []string{
			`spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
			`spec.tokenRequests[1].audience: Duplicate value: "a"`,
			`spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`}},

		{"good", "CSIStorageCapacity", `{storageClassName: a, capacity: 1Gi, nodeTopology: {matchLabels: {b: c}}}`, nil},
		{"negative", "CSIStorageCapacity", `{storageClassName: A, capacity: "-1"}`, []string{
			`storageClassName: Invalid value: "A": ` + badLabel,
			`capacity: Invalid value: "-1": must be greater than or equal to 0`}},
	})
}

// What may not change.
func TestStorage_ValidateUpdate(t *testing.T) {
	runChangeTests(t, []changeTest{
		{"expansion", "StorageClass", `{provisioner: a}`, `{provisioner: a, allowVolumeExpansion: true, mountOptions: [b]}`, nil},
		{"all", "StorageClass", `{provisioner: a}`, `{provisioner: b, parameters: {c: d}, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer}`, []string{
			`provisioner: Invalid value: null: field is immutable`, `parameters: Invalid value: null: field is immutable`,
			`reclaimPolicy: Invalid value: null: field is immutable`, `volumeBindingMode: Invalid value: null: field is immutable`}},
		{"all", "VolumeAttributesClass", `{driverName: a, parameters: {c: d}}`, `{driverName: b, parameters: {c: e}}`, []string{
			`driverName: Forbidden: updates to driverName are forbidden.`, `parameters: Forbidden: updates to parameters are forbidden.`}},
		{"all", "CSIDriver", `{}`, `{spec: {attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: [Ephemeral]}}`, []string{
			`spec.attachedRequired: Invalid value: false: field is immutable`,
			`spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable`}},
		{"more", "CSIStorageCapacity", `{storageClassName: a}`, `{storageClassName: a, capacity: 1Gi}`, nil},
		{"all", "CSIStorageCapacity", `{storageClassName: a}`, `{storageClassName: b, nodeTopology: {}}`, []string{
			`nodeTopology: Invalid value: {}: field is immutable`, `storageClassName: Invalid value: "b": field is immutable`}},
	})
}

func TestStorage_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"plain", "StorageClass", `{}`, `{reclaimPolicy: Delete, volumeBindingMode: Immediate}`},
		{"plain", "CSIDriver", `{}`, `{spec: {attachRequired: true, podInfoOnMount: false, storageCapacity: false, fsGroupPolicy: ReadWriteOnceWithFSType,
			requiresRepublish: false, seLinuxMount: false, preventPodSchedulingIfMissing: false, volumeLifecycleModes: [Persistent]}}`},
	})
}

func TestStorage_Cells(t *testing.T) {
	runCellTests(t, []cellTest{
		{"default", "StorageClass", `{metadata: {name: a, ` + fiveMinutes + `, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: b}`,
			[]any{"a (default)", "b", "Delete", "Immediate", false, "5m"}},
		{"plain", "StorageClass", `{metadata: {name: a, ` + fiveMinutes + `}, provisioner: b, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer, allowVolumeExpansion: true}`,
			[]any{"a", "b", "Retain", "WaitForFirstConsumer", true, "5m"}},
		{"plain", "VolumeAttributesClass", `{metadata: {name: a, ` + fiveMinutes + `}, driverName: b}`, []any{"a", "b", "5m"}},
		{"bare", "CSIDriver", `{metadata: {name: a, ` + fiveMinutes + `}}`, []any{"a", true, false, false, "<unset>", false, "<none>", "5m"}},
		{"full", "CSIDriver", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {attachRequired: false, podInfoOnMount: true, storageCapacity: true, requiresRepublish: true,
			tokenRequests: [{audience: b}, {audience: c}], volumeLifecycleModes: [Persistent, Ephemeral]}}`, []any{"a", false, true, true, "b,c", true, "Persistent,Ephemeral", "5m"}},
		{"sized", "CSIStorageCapacity", `{metadata: {name: a}, storageClassName: b, capacity: 1Gi}`, []any{"a", "b", "1Gi"}},
		{"unsized", "CSIStorageCapacity", `{metadata: {name: a}, storageClassName: b}`, []any{"a", "b", "<unset>"}},
	})
}

// What the reports of nodes and attachers are refused for.
func TestStorage_Attachments(t *testing.T) {
	attachment := func(source string) string { return `{spec: {attacher: A.b, nodeName: n1, source: {` + source + `}}}` }
	csi := `csi: {driver: A.b, volumeHandle: c}, accessModes: [ReadWriteOnce]`
	runEntryTests(t, []entryTest{
		{"good", "CSINode", `{spec: {drivers: [{name: a.b, nodeID: n1, topologyKeys: [a/b], allocatable: {count: 3}}]}}`, nil},
		{"bad drivers", "CSINode", `{spec: {drivers: [{name: "a b", nodeID: "", allocatable: {count: -1}}, {name: c, nodeID: n1, topologyKeys: [d, d]}, {name: c, nodeID: n1}]}}`, []string{
			`spec.drivers[0].name: Invalid value: "a b": ` + badLabel,
			`spec.drivers[0].nodeID: Required value`,
			`spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0`,
			`spec.drivers[1]: Duplicate value: "d"`,
			`spec.drivers[2].name: Duplicate value: "c"`}},
		{"by name", "VolumeAttachment", attachment(`persistentVolumeName: a`), nil},
		{"in place", "VolumeAttachment", attachment(`inlineVolumeSpec: {` + csi + `}`), nil},
		{"empty", "VolumeAttachment", `{spec: {nodeName: n1}}`, []string{`spec.attacher: Required value`,
			`spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName`}},
		{"both", "VolumeAttachment", attachment(`persistentVolumeName: a, inlineVolumeSpec: {}`),
			[]string{`spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName`}},
		{"bad name", "VolumeAttachment", attachment(`persistentVolumeName: A`), []string{`spec.source.persistentVolumeName: Invalid value: "A": ` + badLabel}},
		{"claimed in place", "VolumeAttachment", attachment(`inlineVolumeSpec: {claimRef: {}, capacity: {storage: 1}, hostPath: {path: /a}}`), []string{
			`spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes`,
			`spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes`,
			`spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes`,
			`spec.source.inlineVolumeSpec.accessModes: Required value`}},
	})
	runChangeTests(t, []changeTest{
		{"another driver", "CSINode", `{spec: {drivers: [{name: a, nodeID: n1}]}}`, `{spec: {drivers: [{name: a, nodeID: n1, allocatable: {count: 1}}, {name: b, nodeID: n2}]}}`, nil},
		{"another node", "CSINode", `{spec: {drivers: [{name: a, nodeID: n1}]}}`, `{spec: {drivers: [{name: a, nodeID: n2}]}}`,
			[]string{`spec.drivers: Invalid value: {"Name":"a","NodeID":"n2","TopologyKeys":null,"Allocatable":null}: field is immutable`}},
		{"another volume", "VolumeAttachment", attachment(`persistentVolumeName: a`), attachment(`persistentVolumeName: b`), []string{`spec: Invalid value: null: field is immutable`}},
	})
	k := mustKind(t, "VolumeAttachment")
	obj := mustParse[runtime.Object](t, k, attachment(`persistentVolumeName: a`))
	a := obj.(*storagev1.VolumeAttachment)
	a.Status.AttachmentMetadata = map[string]string{"a": strings.Repeat("x", 256<<10)}
	a.Status.AttachError = &storagev1.VolumeError{Message: strings.Repeat("x", 1025)}
	a.Status.DetachError = &storagev1.VolumeError{ErrorCode: new(int32(-1))}
	expectErrors(t, k.ValidateStatusUpdate(obj, obj), []string{
		`status.attachmentMetadata: Too long: may not be more than 262144 bytes`,
		`status.attachError.message: Too long: may not be more than 1024 bytes`,
		`status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive`})
	runDefaultTests(t, []defaultTest{{"in place", "VolumeAttachment", attachment(`inlineVolumeSpec: {hostPath: {path: /a}}`), attachment(`inlineVolumeSpec: {hostPath: {path: /a, type: ""}}`)}})
	runCellTests(t, []cellTest{
		{"two", "CSINode", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {drivers: [{}, {}]}}`, []any{"a", int64(2), "5m"}},
		{"attached", "VolumeAttachment", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {attacher: b, nodeName: c, source: {persistentVolumeName: d}}, status: {attached: true}}`,
			[]any{"a", "b", "d", "c", true, "5m"}},
		{"in place", "VolumeAttachment", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {attacher: b, nodeName: c}}`, []any{"a", "b", "", "c", false, "5m"}},
	})
}
