package kinds

import (
	"time"

	storagev1 "k8s.io/api/storage/v1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// volumeAttributesClass is the row of VolumeAttributesClass: what of a volume may change while it is in use.
func volumeAttributesClass() *Kind {
	return &Kind{
		GroupVersionKind:    storagev1.SchemeGroupVersion.WithKind("VolumeAttributesClass"),
		Resource:            "volumeattributesclasses",
		Singular:            "volumeattributesclass",
		ShortNames:          []string{"vac"},
		New:                 func() runtime.Object { return &storagev1.VolumeAttributesClass{} },
		NewList:             func() runtime.Object { return &storagev1.VolumeAttributesClassList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		ChangesFirst:        true,
		Validate: func(obj runtime.Object) field.ErrorList {
			c := obj.(*storagev1.VolumeAttributesClass)
			parameters := field.NewPath("parameters")
			errs := validateDriver(c.DriverName, field.NewPath("driverName"))
			errs = append(errs, validateParameters(c.Parameters, parameters)...)
			if len(c.Parameters) == 0 {
				errs = append(errs, field.Required(parameters, "must contain at least one key/value pair"))
			}
			return errs
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			c, was := obj.(*storagev1.VolumeAttributesClass), old.(*storagev1.VolumeAttributesClass)
			var errs field.ErrorList
			if c.DriverName != was.DriverName {
				errs = append(errs, field.Forbidden(field.NewPath("driverName"), "updates to driverName are forbidden."))
			}
			if !equality.Semantic.DeepEqual(c.Parameters, was.Parameters) {
				errs = append(errs, field.Forbidden(field.NewPath("parameters"), "updates to parameters are forbidden."))
			}
			return errs
		},
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("DriverName", storagev1beta1.VolumeAttributesClass{}.SwaggerDoc()["driverName"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				c := obj.(*storagev1.VolumeAttributesClass)
				name := c.Name
				if c.Annotations["volumeattributesclass.alpha.kubernetes.io/is-default-class"] == "true" {
					name += " (default)"
				}
				return []any{name, c.DriverName, age(c.CreationTimestamp, now)}
			},
		},
	}
}
