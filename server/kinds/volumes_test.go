package kinds_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	goodVolume = `capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}`
	goodClaim  = `accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}`
)

// What the API documents as defaults is filled in.
func TestVolumes_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"host path", "PersistentVolume", `{spec: {capacity: {storage: 1500m}, hostPath: {path: /a}}}`, `{spec: {capacity: {storage: 1500m},
			hostPath: {path: /a, type: ""}, persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem}, status: {phase: Pending}}`},
		{"iscsi", "PersistentVolume", `{spec: {iscsi: {iqn: a}}}`, `{spec: {iscsi: {iqn: a, iscsiInterface: default},
			persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem}, status: {phase: Pending}}`},
		{"rbd", "PersistentVolume", `{spec: {rbd: {}, volumeMode: Block, persistentVolumeReclaimPolicy: Delete}}`, `{spec: {rbd: {pool: rbd, user: admin,
			keyring: /etc/ceph/keyring}, persistentVolumeReclaimPolicy: Delete, volumeMode: Block}, status: {phase: Pending}}`},
		{"bare", "PersistentVolumeClaim", `{spec: {` + goodClaim + `}}`, `{spec: {` + goodClaim + `, volumeMode: Filesystem}, status: {phase: Pending}}`},
	})
}

// What a create is refused for, and what it is not.
func TestVolumes_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "PersistentVolume", `{spec: {` + goodVolume + `}}`, nil},
		{"csi", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod], volumeAttributesClassName: gold, csi: {driver: a.b, volumeHandle: v}}}`, nil},
		{"local", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: /a}, nodeAffinity: {required:
			{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}`, nil},
		{"bare", "PersistentVolume", `{}`, []string{"spec.accessModes: Required value", "spec.capacity: Required value",
			`spec.capacity: Unsupported value: null: supported values: "storage"`, "spec: Required value: must specify a volume type"}},
		{"bad words", "PersistentVolume", `{spec: {capacity: {storage: 0}, accessModes: [All], volumeMode: Tape, persistentVolumeReclaimPolicy: Burn, hostPath: {path: /a}}}`, []string{
			`spec.accessModes: Unsupported value: "All": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
			`spec.capacity[storage]: Invalid value: "0": must be greater than zero`,
			`spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"`,
			`spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"`}},
		{"one pod and more", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod, ReadOnlyMany], hostPath: {path: /}, persistentVolumeReclaimPolicy: Recycle}}`, []string{
			"spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
			"spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"}},
		{"two origins", "PersistentVolume", `{spec: {` + goodVolume + `, nfs: {server: a, path: /b}}}`, []string{"spec.nfs: Forbidden: may not specify more than 1 volume type"}},
		{"local anywhere", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: ../a}}}`, []string{
			"spec.nodeAffinity: Required value: Local volume requires node affinity", `spec.local.path: Invalid value: "../a": must not contain '..'`}},
		{"half of csi", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: A.b, nodeStageSecretRef: {name: s}, nodePublishSecretRef: {name: S}}}}`, []string{
			"spec.csi.volumeHandle: Required value", "spec.csi.nodePublishSecretRef.namespace: Required value",
			`spec.csi.nodePublishSecretRef.name: Invalid value: "S": ` + badSubdomain}},
		{"azure disk", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], azureDisk: {diskName: a, diskURI: x, kind: Managed, cachingMode: Odd}}}`, []string{
			`spec.azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"`,
			`spec.azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"`}},
		{"azure blob", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], azureDisk: {diskName: a, diskURI: x, kind: Shared}}}`, []string{
			`spec.azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"`}},
		{"iscsi", "PersistentVolume", `{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], iscsi: {iqn: bad, lun: 300, chapAuthSession: true}}}`, []string{
			"spec.iscsi.targetPortal: Required value", `spec.iscsi.iqn: Invalid value: "bad": must be valid format starting with iqn, eui, or naa`,
			"spec.iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive", "spec.iscsi.secretRef: Required value"}},
		{"class without csi", "PersistentVolume", `{spec: {` + goodVolume + `, volumeAttributesClassName: ""}}`, []string{
			"spec.volumeAttributesClassName: Required value: an empty string is disallowed",
			"spec.csi: Required value: has to be specified when using volumeAttributesClassName"}},

		{"good", "PersistentVolumeClaim", `{spec: {` + goodClaim + `, storageClassName: "", selector: {matchLabels: {a: b}}}}`, nil},
		{"bare", "PersistentVolumeClaim", `{}`, []string{"spec.accessModes: Required value: at least 1 access mode is required", "spec.resources[storage]: Required value"}},
		{"nothing", "PersistentVolumeClaim", `{spec: {accessModes: [Any], resources: {requests: {storage: 0}}}}`, []string{
			`spec.accessModes: Unsupported value: "Any": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
			`spec.resources[storage]: Invalid value: "0": must be greater than zero`}},
		{"source of core", "PersistentVolumeClaim", `{spec: {` + goodClaim + `, dataSourceRef: {kind: Pod, name: a}}}`, []string{
			`spec.dataSource: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
			`spec.dataSourceRef: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`}},
		{"two sources", "PersistentVolumeClaim", `{spec: {` + goodClaim + `, dataSource: {kind: PersistentVolumeClaim, name: b}, dataSourceRef: {kind: PersistentVolumeClaim, name: a}}}`,
			[]string{"spec: Invalid value: {}: must match dataSourceRef"}},
	})
}

// What the server itself writes at a create.
func TestVolumes_Create(t *testing.T) {
	k := mustKind(t, "PersistentVolumeClaim")
	c := mustParse[*corev1.PersistentVolumeClaim](t, k, `{spec: {`+goodClaim+`, dataSource: {kind: PersistentVolumeClaim, name: b}}}`)
	enter(k, c)
	if ref := c.Spec.DataSourceRef; ref == nil || ref.Name != "b" || c.Status.Phase != corev1.ClaimPending {
		t.Errorf("a claim has source %+v, status %+v", ref, c.Status)
	}
	c = mustParse[*corev1.PersistentVolumeClaim](t, k, `{spec: {`+goodClaim+`, dataSourceRef: {kind: PersistentVolumeClaim, name: b, namespace: n}}}`)
	enter(k, c)
	if c.Spec.DataSourceRef != nil {
		t.Errorf("a source in another namespace is kept: %+v", c.Spec.DataSourceRef)
	}
	k = mustKind(t, "PersistentVolume")
	made := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	v := mustParse[*corev1.PersistentVolume](t, k, `{spec: {`+goodVolume+`}, status: {phase: Bound}}`)
	v.CreationTimestamp = made
	enter(k, v)
	if v.Status.Phase != corev1.VolumePending || !v.Status.LastPhaseTransitionTime.Equal(&made) {
		t.Errorf("a volume begins with %+v", v.Status)
	}
	next := v.DeepCopy()
	next.Status.Phase = corev1.VolumeBound
	k.PrepareForStatusUpdate(next, v)
	if next.Status.LastPhaseTransitionTime.Equal(&made) {
		t.Error("a new phase has the old time")
	}
}

// What may change of a claim and of a volume.
func TestVolumes_ValidateUpdate(t *testing.T) {
	runChangeTests(t, []changeTest{
		{"bind", "PersistentVolumeClaim", `{spec: {` + goodClaim + `}}`, `{spec: {` + goodClaim + `, volumeName: v, storageClassName: c}}`, nil},
		{"policy", "PersistentVolume", `{spec: {` + goodVolume + `}}`, `{spec: {` + goodVolume + `, persistentVolumeReclaimPolicy: Delete, claimRef: {name: c}}}`, nil},
		{"mode", "PersistentVolume", `{spec: {` + goodVolume + `}}`, `{spec: {` + goodVolume + `, volumeMode: Block}}`,
			[]string{`volumeMode: Invalid value: "Block": field is immutable`}},
	})
	k := mustKind(t, "PersistentVolumeClaim")
	was := mustParse[*corev1.PersistentVolumeClaim](t, k, `{spec: {`+goodClaim+`, volumeName: v}, status: {phase: Bound, capacity: {storage: 1Gi}}}`)
	for _, c := range []struct {
		size string
		errs int
	}{{"2Gi", 0}, {"1Gi", 0}, {"512Mi", 1}} {
		is := mustParse[*corev1.PersistentVolumeClaim](t, k, `{spec: {accessModes: [ReadWriteOnce], volumeName: v, resources: {requests: {storage: `+c.size+`}}},
			status: {phase: Bound, capacity: {storage: 1Gi}}}`)
		if errs := k.ValidateUpdate(is, was); len(errs) != c.errs {
			t.Errorf("%s: %v", c.size, errs)
		}
	}
	was.Status.Phase = corev1.ClaimPending
	is := was.DeepCopy()
	is.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	errs := k.ValidateUpdate(is, was)
	if len(errs) != 1 || errs[0].Field != "spec" {
		t.Errorf("new access modes: %v", errs)
	}
	is = was.DeepCopy()
	is.Spec.VolumeAttributesClassName = new("gold")
	if errs := k.ValidateUpdate(is, was); len(errs) != 1 || errs[0].Field != "spec" {
		t.Errorf("class of a claim that is not bound: %v", errs)
	}
	is.Status.Phase = corev1.ClaimBound
	if errs := k.ValidateUpdate(is, was); len(errs) != 0 {
		t.Errorf("class of a bound claim: %v", errs)
	}
}

// What binder and resizer report is checked.
func TestPersistentVolumeClaim_ValidateStatusUpdate(t *testing.T) {
	k := mustKind(t, "PersistentVolumeClaim")
	c := mustParse[*corev1.PersistentVolumeClaim](t, k, `{status: {capacity: {storage: -1}, allocatedResources: {cpu: 1},
		allocatedResourceStatuses: {storage: Sleeping}}}`)
	expectErrors(t, k.ValidateStatusUpdate(c, c), []string{
		"status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
		`status.allocatedResources: Unsupported value: "cpu": supported values: "storage"`,
		`status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", ` +
			`"NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"`})
}

// What people see in "kubectl get", with -o wide.
func TestVolumes_Cells(t *testing.T) {
	const made = `creationTimestamp: "2026-01-02T11:55:00Z"`
	runCellTests(t, []cellTest{
		{"bound", "PersistentVolume", `{metadata: {name: a, ` + made + `}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany, ReadWriteOnce],
			persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: ns, name: c}, storageClassName: s, volumeMode: Block}, status: {phase: Bound, reason: r}}`,
			[]any{"a", "1Gi", "RWO,RWX", "Retain", "Bound", "ns/c", "s", "<unset>", "r", "5m", "Block"}},
		{"going", "PersistentVolume", `{metadata: {name: a, ` + made + `, deletionTimestamp: "2026-01-02T11:55:00Z", annotations:
			{volume.beta.kubernetes.io/storage-class: old}}}`, []any{"a", "0", "", "", "Terminating", "", "old", "<unset>", "", "5m", "<unset>"}},
		{"bound", "PersistentVolumeClaim", `{metadata: {name: a, ` + made + `}, spec: {volumeName: v, storageClassName: s, volumeAttributesClassName: g,
			volumeMode: Filesystem}, status: {phase: Bound, capacity: {storage: 2Gi}, accessModes: [ReadWriteOncePod]}}`,
			[]any{"a", "Bound", "v", "2Gi", "RWOP", "s", "g", "5m", "Filesystem"}},
		{"waiting", "PersistentVolumeClaim", `{metadata: {name: a, ` + made + `}, status: {phase: Pending}}`,
			[]any{"a", "Pending", "", "", "", "", "<unset>", "5m", "<unset>"}},
	})
}
