package kinds

import (
	"context"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// deviceClass is the row of DeviceClass: what claims ask for by name.
func deviceClass() *Kind {
	return &Kind{
		GroupVersionKind:    resourcev1.SchemeGroupVersion.WithKind("DeviceClass"),
		Resource:            "deviceclasses",
		Singular:            "deviceclass",
		New:                 func() runtime.Object { return &resourcev1.DeviceClass{} },
		NewList:             func() runtime.Object { return &resourcev1.DeviceClassList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		Generation:          true,
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			s, at := &obj.(*resourcev1.DeviceClass).Spec, field.NewPath("spec")
			return append(published(resourcev1.Validate_DeviceClassSpec(context.Background(), creation(), at, s, nil)), validateDeviceClass(s, at)...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			s, at := &obj.(*resourcev1.DeviceClass).Spec, field.NewPath("spec")
			errs := published(resourcev1.Validate_DeviceClassSpec(context.Background(), change(), at, s, &old.(*resourcev1.DeviceClass).Spec))
			return append(errs, validateDeviceClass(s, at)...)
		},
		Printer: namedPrinter(),
	}
}

func validateDeviceClass(s *resourcev1.DeviceClassSpec, at *field.Path) field.ErrorList {
	errs := validateDeviceSelectors(s.Selectors, at.Child("selectors"))
	for i := range s.Config {
		errs = append(errs, validateDeviceConfiguration(&s.Config[i].DeviceConfiguration, at.Child("config").Index(i))...)
	}
	return errs
}

// deviceTaintRule is the row of DeviceTaintRule, which taints devices that their driver knows nothing bad of.
func deviceTaintRule() *Kind {
	return &Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule"),
		Resource:         "devicetaintrules",
		Singular:         "devicetaintrule",
		New:              func() runtime.Object { return &resourcev1.DeviceTaintRule{} },
		NewList:          func() runtime.Object { return &resourcev1.DeviceTaintRuleList{} },
		Status:           true,
		StatusAlone:      true,
		Generation:       true,
		Default:          func(obj runtime.Object) { defaultTaint(&obj.(*resourcev1.DeviceTaintRule).Spec.Taint) },
		PrepareForUpdate: noteEffect,
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			s := &obj.(*resourcev1.DeviceTaintRule).Spec
			errs := published(resourcev1.Validate_DeviceTaintRuleSpec(context.Background(), creation(), field.NewPath("spec"), s, nil))
			return append(errs, validateTaintRule(s, field.NewPath("spec"))...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			s := &obj.(*resourcev1.DeviceTaintRule).Spec
			errs := published(resourcev1.Validate_DeviceTaintRuleSpec(context.Background(), change(), field.NewPath("spec"),
				s, &old.(*resourcev1.DeviceTaintRule).Spec))
			return append(errs, validateTaintRule(s, field.NewPath("spec"))...)
		},
		ValidateStatusUpdate: func(obj, _ runtime.Object) field.ErrorList {
			return metav1validation.ValidateConditions(obj.(*resourcev1.DeviceTaintRule).Status.Conditions, field.NewPath("status", "conditions"))
		},
		Printer: table.Printer{Columns: deviceTaintColumns(), Cells: deviceTaintCells},
	}
}

// noteEffect tells since when a taint has the effect that an update gives it, unless the client says so itself.
func noteEffect(obj, old runtime.Object) {
	taint, was := &obj.(*resourcev1.DeviceTaintRule).Spec.Taint, &old.(*resourcev1.DeviceTaintRule).Spec.Taint
	if taint.Effect != was.Effect && taint.TimeAdded.Equal(was.TimeAdded) {
		now := metav1.Now().Rfc3339Copy()
		taint.TimeAdded = &now
	}
}

// validateTaintRule checks what the published checks leave out.
func validateTaintRule(s *resourcev1.DeviceTaintRuleSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d := s.DeviceSelector; d != nil {
		in := at.Child("deviceSelector")
		if d.Driver != nil {
			errs = append(errs, validateDriverName(*d.Driver, in.Child("driver"))...)
		}
		if d.Pool != nil {
			errs = append(errs, validatePoolName(*d.Pool, in.Child("pool"))...)
		}
		if d.Device != nil {
			errs = append(errs, named(in.Child("device"), *d.Device, requestName(*d.Device))...)
		}
	}
	taint := at.Child("taint")
	errs = append(errs, metav1validation.ValidateLabelName(s.Taint.Key, taint.Child("key"))...)
	return append(errs, named(taint.Child("value"), s.Taint.Value, validation.IsValidLabelValue(s.Taint.Value))...)
}

func deviceTaintColumns() []metav1.TableColumnDefinition {
	doc := resourcev1.DeviceTaint{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(), column("Key", doc["key"]), column("Value", doc["value"]), column("Effect", doc["effect"]),
		column("TimeAdded", doc["timeAdded"]), ageColumn(),
	}
}

func deviceTaintCells(obj runtime.Object, now time.Time) []any {
	r := obj.(*resourcev1.DeviceTaintRule)
	taint, added := &r.Spec.Taint, ""
	if taint.TimeAdded != nil {
		added = age(*taint.TimeAdded, now)
	}
	return []any{r.Name, taint.Key, taint.Value, string(taint.Effect), added, age(r.CreationTimestamp, now)}
}
