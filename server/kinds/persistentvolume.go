package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// persistentVolume is the row of PersistentVolume.
func persistentVolume() *Kind {
	return &Kind{
		GroupVersionKind:       corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
		Resource:               "persistentvolumes",
		Singular:               "persistentvolume",
		ShortNames:             []string{"pv"},
		New:                    func() runtime.Object { return &corev1.PersistentVolume{} },
		NewList:                func() runtime.Object { return &corev1.PersistentVolumeList{} },
		UnconditionalUpdate:    true,
		Status:                 true,
		ReturnDeleted:          true,
		Default:                defaultVolumeObject,
		PrepareForCreate:       prepareVolume,
		PrepareForStatusUpdate: prepareVolumeStatus,
		Validate:               validateVolume,
		ValidateUpdate:         validateVolumeUpdate,
		Warn:                   warnVolume,
		Printer:                table.Printer{Columns: volumeColumns(), Cells: volumeCells},
	}
}

func defaultVolumeObject(obj runtime.Object) {
	v := obj.(*corev1.PersistentVolume)
	orValue(&v.Status.Phase, corev1.VolumePending)
	orValue(&v.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
	orDefault(&v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	roundToMilli(v.Spec.Capacity)
	defaultVolumeOrigin(&v.Spec.PersistentVolumeSource)
}

// defaultVolumeOrigin fills in the sources that name a storage system.
func defaultVolumeOrigin(s *corev1.PersistentVolumeSource) {
	switch {
	case s.HostPath != nil:
		orDefault(&s.HostPath.Type, corev1.HostPathUnset)
	case s.ISCSI != nil:
		orValue(&s.ISCSI.ISCSIInterface, "default")
	case s.RBD != nil:
		orValue(&s.RBD.RBDPool, "rbd")
		orValue(&s.RBD.RadosUser, "admin")
		orValue(&s.RBD.Keyring, "/etc/ceph/keyring")
	case s.AzureDisk != nil:
		orDefault(&s.AzureDisk.CachingMode, corev1.AzureDataDiskCachingReadWrite)
		orDefault(&s.AzureDisk.Kind, corev1.AzureSharedBlobDisk)
		orDefault(&s.AzureDisk.FSType, "ext4")
		orDefault(&s.AzureDisk.ReadOnly, false)
	case s.ScaleIO != nil:
		orValue(&s.ScaleIO.StorageMode, "ThinProvisioned")
		orValue(&s.ScaleIO.FSType, "xfs")
	}
}

// prepareVolume lets a volume wait for a claim from the moment at which it is created.
func prepareVolume(obj runtime.Object) {
	v := obj.(*corev1.PersistentVolume)
	v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: &metav1.Time{Time: v.CreationTimestamp.Time}}
}

// prepareVolumeStatus dates a change of phase that came without a date.
func prepareVolumeStatus(obj, old runtime.Object) {
	is, was := &obj.(*corev1.PersistentVolume).Status, &old.(*corev1.PersistentVolume).Status
	if is.Phase == was.Phase {
		return
	}
	if is.LastPhaseTransitionTime == nil || is.LastPhaseTransitionTime.Equal(was.LastPhaseTransitionTime) {
		now := metav1.Now()
		is.LastPhaseTransitionTime = &now
	}
}

func volumeColumns() []metav1.TableColumnDefinition {
	spec, status := corev1.PersistentVolumeSpec{}.SwaggerDoc(), corev1.PersistentVolumeStatus{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Capacity", spec["capacity"]),
		column("Access Modes", spec["accessModes"]),
		column("Reclaim Policy", spec["persistentVolumeReclaimPolicy"]),
		column("Status", status["phase"]),
		column("Claim", spec["claimRef"]),
		column("StorageClass", "StorageClass of the pv"),
		column("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
		column("Reason", status["reason"]),
		ageColumn(),
		wideColumn("VolumeMode", spec["volumeMode"]),
	}
}

func volumeCells(obj runtime.Object, now time.Time) []any {
	v := obj.(*corev1.PersistentVolume)
	phase, claim := string(v.Status.Phase), ""
	if v.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	if ref := v.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	return []any{
		v.Name, v.Spec.Capacity.Storage().String(), accessModesCell(v.Spec.AccessModes),
		string(v.Spec.PersistentVolumeReclaimPolicy), phase, claim, storageClassCell(v.Annotations, v.Spec.StorageClassName),
		pointedCell(v.Spec.VolumeAttributesClassName), v.Status.Reason, age(v.CreationTimestamp, now), pointedCell(v.Spec.VolumeMode),
	}
}
