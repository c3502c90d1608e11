package kinds

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// unset is what a cell says of a class or mode that nobody chose.
const unset = "<unset>"

// persistentVolumeClaim is the row of PersistentVolumeClaim.
func persistentVolumeClaim() *Kind {
	return &Kind{
		GroupVersionKind:     corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
		Resource:             "persistentvolumeclaims",
		Singular:             "persistentvolumeclaim",
		ShortNames:           []string{"pvc"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &corev1.PersistentVolumeClaim{} },
		NewList:              func() runtime.Object { return &corev1.PersistentVolumeClaimList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		ReturnDeleted:        true,
		Default:              func(obj runtime.Object) { defaultClaim(obj.(*corev1.PersistentVolumeClaim)) },
		PrepareForCreate:     prepareClaim,
		PrepareForUpdate:     prepareClaimUpdate,
		Validate:             validateClaim,
		ValidateUpdate:       validateClaimUpdate,
		ValidateStatusUpdate: validateClaimStatusUpdate,
		Warn:                 warnClaim,
		Printer:              table.Printer{Columns: claimColumns(), Cells: claimCells},
	}
}

func defaultClaim(c *corev1.PersistentVolumeClaim) {
	orDefault(&c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	roundToMilli(c.Spec.Resources.Limits)
	roundToMilli(c.Spec.Resources.Requests)
	orValue(&c.Status.Phase, corev1.ClaimPending)
	roundToMilli(c.Status.Capacity)
	roundToMilli(c.Status.AllocatedResources)
}

func prepareClaim(obj runtime.Object) {
	c := obj.(*corev1.PersistentVolumeClaim)
	c.Status.Phase = corev1.ClaimPending
	if s := c.Spec.DataSource; s != nil && !isVolumeOrSnapshot(s.APIGroup, s.Kind) {
		c.Spec.DataSource = nil
	}
	dropForeignSource(&c.Spec, nil)
	matchDataSources(&c.Spec)
}

func prepareClaimUpdate(obj, old runtime.Object) {
	c, was := obj.(*corev1.PersistentVolumeClaim), old.(*corev1.PersistentVolumeClaim)
	if s := c.Spec.DataSource; was.Spec.DataSource == nil && s != nil && !isVolumeOrSnapshot(s.APIGroup, s.Kind) {
		c.Spec.DataSource = nil
	}
	dropForeignSource(&c.Spec, &was.Spec)
	matchDataSources(&c.Spec)
}

// isVolumeOrSnapshot knows the sources that the older field dataSource may name; the others were always ignored there.
func isVolumeOrSnapshot(group *string, kind string) bool {
	g := ""
	if group != nil {
		g = *group
	}
	return kind == "PersistentVolumeClaim" && g == "" || kind == "VolumeSnapshot" && g == "snapshot.storage.k8s.io"
}

// dropForeignSource ignores a source in another namespace, which is a feature that is off by default
// (CrossNamespaceVolumeDataSource), unless was, which may be nil, has one.
func dropForeignSource(s, was *corev1.PersistentVolumeClaimSpec) {
	if isForeign(s.DataSourceRef) && (was == nil || !isForeign(was.DataSourceRef)) {
		s.DataSourceRef = nil
	}
}

func isForeign(ref *corev1.TypedObjectReference) bool {
	return ref != nil && ref.Namespace != nil && *ref.Namespace != ""
}

// matchDataSources lets the older and the newer field for a source say the same when only one of them was given.
func matchDataSources(s *corev1.PersistentVolumeClaimSpec) {
	switch from, ref := s.DataSource, s.DataSourceRef; {
	case from != nil && ref == nil:
		s.DataSourceRef = &corev1.TypedObjectReference{APIGroup: from.APIGroup, Kind: from.Kind, Name: from.Name}
	case from == nil && ref != nil && !isForeign(ref):
		s.DataSource = &corev1.TypedLocalObjectReference{APIGroup: ref.APIGroup, Kind: ref.Kind, Name: ref.Name}
	}
}

func claimColumns() []metav1.TableColumnDefinition {
	spec, status := corev1.PersistentVolumeClaimSpec{}.SwaggerDoc(), corev1.PersistentVolumeClaimStatus{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Status", status["phase"]),
		column("Volume", spec["volumeName"]),
		column("Capacity", status["capacity"]),
		column("Access Modes", status["accessModes"]),
		column("StorageClass", "StorageClass of the pvc"),
		column("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
		ageColumn(),
		wideColumn("VolumeMode", spec["volumeMode"]),
	}
}

func claimCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*corev1.PersistentVolumeClaim)
	phase, capacity, modes, class := string(c.Status.Phase), "", "", ""
	if c.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	if c.Spec.VolumeName != "" {
		modes = accessModesCell(c.Status.AccessModes)
		capacity = c.Status.Capacity.Storage().String()
	}
	if c.Spec.StorageClassName != nil {
		class = *c.Spec.StorageClassName
	}
	return []any{
		c.Name, phase, c.Spec.VolumeName, capacity, modes, storageClassCell(c.Annotations, class),
		pointedCell(c.Spec.VolumeAttributesClassName), age(c.CreationTimestamp, now), pointedCell(c.Spec.VolumeMode),
	}
}

// pointedCell shows a choice, or that there is none.
func pointedCell[T ~string](s *T) string {
	if s == nil {
		return unset
	}
	return string(*s)
}

// storageClassCell prefers the annotation in which classes were named before there was a field.
func storageClassCell(annotations map[string]string, class string) string {
	if beta, ok := annotations[corev1.BetaStorageClassAnnotation]; ok {
		return beta
	}
	return class
}

// accessModesCell abbreviates access modes, each once and always in the same order.
func accessModesCell(modes []corev1.PersistentVolumeAccessMode) string {
	var short []string
	for _, m := range []struct {
		mode  corev1.PersistentVolumeAccessMode
		short string
	}{
		{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"}, {corev1.ReadWriteOncePod, "RWOP"},
	} {
		if slices.Contains(modes, m.mode) {
			short = append(short, m.short)
		}
	}
	return strings.Join(short, ",")
}
