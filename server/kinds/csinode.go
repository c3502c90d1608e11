package kinds

import (
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const maxNodeID = 256 // characters of the name that a driver has for a node

// csiNode is the row of CSINode: the drivers on a node. Its status is for the feature CSIVolumeHealth alone, which is
// off by default, so that it has a door and stays empty.
func csiNode() *Kind {
	return &Kind{
		GroupVersionKind:       storagev1.SchemeGroupVersion.WithKind("CSINode"),
		Resource:               "csinodes",
		Singular:               "csinode",
		New:                    func() runtime.Object { return &storagev1.CSINode{} },
		NewList:                func() runtime.Object { return &storagev1.CSINodeList{} },
		ReturnDeleted:          true,
		Status:                 true,
		StatusAlone:            true,
		PrepareForStatusUpdate: func(obj, _ runtime.Object) { obj.(*storagev1.CSINode).Status = storagev1.CSINodeStatus{} },
		Validate:               validateCSINode,
		ValidateUpdate:         validateCSINodeUpdate,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(),
				typedColumn("Drivers", "integer", "Drivers indicates the number of CSI drivers registered on the node"),
				ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				n := obj.(*storagev1.CSINode)
				return []any{n.Name, int64(len(n.Spec.Drivers)), age(n.CreationTimestamp, now)}
			},
		},
	}
}

func validateCSINode(obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, d := range obj.(*storagev1.CSINode).Spec.Drivers {
		at := field.NewPath("spec", "drivers").Index(i)
		errs = append(errs, validateNodeDriver(&d, at)...)
		errs = append(errs, once(seen, d.Name, at.Child("name"))...)
	}
	return errs
}

func validateNodeDriver(d *storagev1.CSINodeDriver, at *field.Path) field.ErrorList {
	id := at.Child("nodeID")
	errs := append(validateDriverName(d.Name, at.Child("name")), required(id, d.NodeID)...)
	if len(d.NodeID) > maxNodeID {
		errs = append(errs, field.Invalid(id, d.NodeID, "must be 256 characters or less"))
	}
	if a := d.Allocatable; a != nil && a.Count != nil {
		errs = append(errs, notNegative(at.Child("allocatable", "count"), *a.Count)...)
	}
	// Kubernetes tells of a key at the path of its driver.
	keys := map[string]bool{}
	for _, key := range d.TopologyKeys {
		errs = append(errs, required(at, key)...)
		errs = append(errs, once(keys, key, at)...)
		errs = append(errs, named(at, key, validation.IsQualifiedName(key))...)
	}
	return errs
}

// validateCSINodeUpdate lets drivers come and go, and one that stays change nothing but how many volumes it can take.
func validateCSINodeUpdate(obj, old runtime.Object) field.ErrorList {
	var errs field.ErrorList
	for _, was := range old.(*storagev1.CSINode).Spec.Drivers {
		for _, is := range obj.(*storagev1.CSINode).Spec.Drivers {
			if is.Name != was.Name {
				continue
			}
			is.Allocatable, was.Allocatable = nil, nil
			if !equality.Semantic.DeepEqual(is, was) {
				// The type without JSON names shows the value as Kubernetes does, from its internal type.
				shown := struct {
					Name, NodeID string
					TopologyKeys []string
					Allocatable  *storagev1.VolumeNodeResources
				}(is)
				errs = append(errs, field.Invalid(field.NewPath("spec", "drivers"), shown, "field is immutable"))
			}
		}
	}
	return errs
}
