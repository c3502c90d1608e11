package kinds

import (
	"context"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
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
			return published(resourcev1.Validate_DeviceClassSpec(context.Background(), creation(), field.NewPath("spec"), &obj.(*resourcev1.DeviceClass).Spec, nil))
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return published(resourcev1.Validate_DeviceClassSpec(context.Background(), change(), field.NewPath("spec"),
				&obj.(*resourcev1.DeviceClass).Spec, &old.(*resourcev1.DeviceClass).Spec))
		},
		Printer: namedPrinter(),
	}
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
			return append(errs, required(field.NewPath("spec", "taint", "key"), s.Taint.Key)...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			s := &obj.(*resourcev1.DeviceTaintRule).Spec
			errs := published(resourcev1.Validate_DeviceTaintRuleSpec(context.Background(), change(), field.NewPath("spec"),
				s, &old.(*resourcev1.DeviceTaintRule).Spec))
			return append(errs, required(field.NewPath("spec", "taint", "key"), s.Taint.Key)...)
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
