package kinds

import (
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// csiStorageCapacity is the row of CSIStorageCapacity: how much a class of storage has left in a place.
func csiStorageCapacity() *Kind {
	doc := storagev1.CSIStorageCapacity{}.SwaggerDoc()
	return &Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"),
		Resource:         "csistoragecapacities",
		Singular:         "csistoragecapacity",
		Namespaced:       true,
		New:              func() runtime.Object { return &storagev1.CSIStorageCapacity{} },
		NewList:          func() runtime.Object { return &storagev1.CSIStorageCapacityList{} },
		Validate:         validateStorageCapacity,
		Warn:             warnStorageCapacity,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			c, was := obj.(*storagev1.CSIStorageCapacity), old.(*storagev1.CSIStorageCapacity)
			errs := apivalidation.ValidateImmutableField(c.NodeTopology, was.NodeTopology, field.NewPath("nodeTopology"))
			return append(errs, apivalidation.ValidateImmutableField(c.StorageClassName, was.StorageClassName, field.NewPath("storageClassName"))...)
		},
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("StorageClassName", doc["storageClassName"]), column("Capacity", doc["capacity"]),
			},
			Cells: func(obj runtime.Object, _ time.Time) []any {
				c := obj.(*storagev1.CSIStorageCapacity)
				capacity := "<unset>"
				if c.Capacity != nil {
					capacity = c.Capacity.String()
				}
				return []any{c.Name, c.StorageClassName, capacity}
			},
		},
	}
}

func validateStorageCapacity(obj runtime.Object) field.ErrorList {
	c := obj.(*storagev1.CSIStorageCapacity)
	errs := metav1validation.ValidateLabelSelector(c.NodeTopology, metav1validation.LabelSelectorValidationOptions{}, field.NewPath("nodeTopology"))
	errs = append(errs, named(field.NewPath("storageClassName"), c.StorageClassName,
		apivalidation.NameIsDNSSubdomain(c.StorageClassName, false))...)
	if c.Capacity != nil && c.Capacity.Sign() < 0 {
		errs = append(errs, field.Invalid(field.NewPath("capacity"), c.Capacity.String(), apivalidation.IsNegativeErrorMsg))
	}
	return errs
}
