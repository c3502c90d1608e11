package kinds

import (
	"context"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// resourceSlice is the row of ResourceSlice, by which a driver tells of its devices.
func resourceSlice() *Kind {
	return &Kind{
		GroupVersionKind:    resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"),
		Resource:            "resourceslices",
		Singular:            "resourceslice",
		New:                 func() runtime.Object { return &resourcev1.ResourceSlice{} },
		NewList:             func() runtime.Object { return &resourcev1.ResourceSliceList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		Generation:          true,
		Default: func(obj runtime.Object) {
			for i := range obj.(*resourcev1.ResourceSlice).Spec.Devices {
				d := &obj.(*resourcev1.ResourceSlice).Spec.Devices[i]
				for j := range d.Taints {
					defaultTaint(&d.Taints[j])
				}
			}
		},
		ValidateCreate: validateResourceSlice,
		ValidateUpdate: validateResourceSliceUpdate,
		Fields: func(obj runtime.Object) fields.Set {
			s := &obj.(*resourcev1.ResourceSlice).Spec
			return fields.Set{"spec.driver": s.Driver, "spec.nodeName": textOr(s.NodeName, "")}
		},
		FieldNames:   []string{"spec.driver", "spec.nodeName"},
		FieldRefusal: "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: %s",
		Printer:      table.Printer{Columns: resourceSliceColumns(), Cells: resourceSliceCells},
	}
}

// textOr is what p points to, or instead if it points nowhere.
func textOr(p *string, instead string) string {
	if p == nil {
		return instead
	}
	return *p
}

// defaultTaint notes since when a device is tainted.
func defaultTaint(t *resourcev1.DeviceTaint) {
	if t.TimeAdded == nil {
		orDefault(&t.TimeAdded, metav1.Now().Rfc3339Copy())
	}
}

func validateResourceSlice(obj runtime.Object) field.ErrorList {
	s := &obj.(*resourcev1.ResourceSlice).Spec
	at := field.NewPath("spec")
	errs := published(resourcev1.Validate_ResourceSliceSpec(context.Background(), creation(), at, s, nil))
	return append(errs, validateSlice(s, at)...)
}

func validateResourceSliceUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*resourcev1.ResourceSlice).Spec, &old.(*resourcev1.ResourceSlice).Spec
	at := field.NewPath("spec")
	errs := published(resourcev1.Validate_ResourceSliceSpec(context.Background(), change(), at, s, was))
	errs = append(errs, validateSlice(s, at)...)
	errs = append(errs, apivalidation.ValidateImmutableField(s.Driver, was.Driver, at.Child("driver"))...)
	errs = append(errs, apivalidation.ValidateImmutableField(s.Pool.Name, was.Pool.Name, at.Child("pool", "name"))...)
	return append(errs, apivalidation.ValidateImmutableField(s.NodeName, was.NodeName, at.Child("nodeName"))...)
}

// validateSlice checks what the published checks leave out.
func validateSlice(s *resourcev1.ResourceSliceSpec, at *field.Path) field.ErrorList {
	errs := validateDriverName(s.Driver, at.Child("driver"))
	errs = append(errs, validatePoolName(s.Pool.Name, at.Child("pool", "name"))...)
	if s.Pool.ResourceSliceCount <= 0 {
		errs = append(errs, field.Invalid(at.Child("pool", "resourceSliceCount"), s.Pool.ResourceSliceCount, "must be greater than zero"))
	}
	if s.Pool.Generation < 0 {
		errs = append(errs, field.Invalid(at.Child("pool", "generation"), s.Pool.Generation, "must be greater than or equal to zero"))
	}
	errs = append(errs, validateReach(s, at)...)
	if s.SharedCounters != nil && s.Devices != nil {
		errs = append(errs, field.Invalid(at, "", "only one of `sharedCounters` or `devices` is allowed"))
	}
	return append(errs, validateDevices(s, at.Child("devices"))...)
}

const maxPoolName = 253 // characters

// validatePoolName wants a name, or a path of names.
func validatePoolName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > maxPoolName {
		errs = append(errs, field.TooLong(at, "", maxPoolName))
	}
	for part := range strings.SplitSeq(name, "/") {
		errs = append(errs, named(at, part, apivalidation.NameIsDNSSubdomain(part, false))...)
	}
	return errs
}

func resourceSliceColumns() []metav1.TableColumnDefinition {
	doc := resourcev1.ResourceSliceSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Node", doc["nodeName"]),
		column("Driver", doc["driver"]),
		column("Pool", resourcev1.ResourcePool{}.SwaggerDoc()["name"]),
		ageColumn(),
	}
}

func resourceSliceCells(obj runtime.Object, now time.Time) []any {
	s := obj.(*resourcev1.ResourceSlice)
	return []any{s.Name, textOr(s.Spec.NodeName, unset), s.Spec.Driver, s.Spec.Pool.Name, age(s.CreationTimestamp, now)}
}
