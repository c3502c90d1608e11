package kinds

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const defaultPrecedence = 1000 // of a FlowSchema that states none

// flowSchema is the row of FlowSchema.
func flowSchema() *Kind {
	return &Kind{
		GroupVersionKind:    flowcontrolv1.SchemeGroupVersion.WithKind("FlowSchema"),
		Resource:            "flowschemas",
		Singular:            "flowschema",
		New:                 func() runtime.Object { return &flowcontrolv1.FlowSchema{} },
		NewList:             func() runtime.Object { return &flowcontrolv1.FlowSchemaList{} },
		UnconditionalUpdate: true,
		Status:              true,
		StatusAlone:         true,
		Generation:          true,
		Default: func(obj runtime.Object) {
			orValue(&obj.(*flowcontrolv1.FlowSchema).Spec.MatchingPrecedence, defaultPrecedence)
		},
		Validate: validateFlowSchema,
		ValidateStatusUpdate: func(obj, _ runtime.Object) field.ErrorList {
			var types []string
			for _, c := range obj.(*flowcontrolv1.FlowSchema).Status.Conditions {
				types = append(types, string(c.Type))
			}
			return validateConditionTypes(types)
		},
		Printer: table.Printer{Columns: flowSchemaColumns(), Cells: flowSchemaCells},
	}
}

// validateConditionTypes wants each condition of a status to have a type of its own.
func validateConditionTypes(types []string) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, t := range types {
		at := field.NewPath("status", "conditions").Index(i).Child("type")
		errs = append(errs, once(seen, t, at)...)
		if t == "" {
			errs = append(errs, field.Required(at, "must not be empty"))
		}
	}
	return errs
}

func flowSchemaColumns() []metav1.TableColumnDefinition {
	doc := flowcontrolv1.FlowSchemaSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("PriorityLevel", flowcontrolv1.PriorityLevelConfigurationReference{}.SwaggerDoc()["name"]),
		column("MatchingPrecedence", doc["matchingPrecedence"]),
		column("DistinguisherMethod", doc["distinguisherMethod"]),
		ageColumn(),
		column("MissingPL", "references a broken or non-existent PriorityLevelConfiguration"),
	}
}

func flowSchemaCells(obj runtime.Object, now time.Time) []any {
	f := obj.(*flowcontrolv1.FlowSchema)
	method, dangling := none, "?"
	if m := f.Spec.DistinguisherMethod; m != nil {
		method = string(m.Type)
	}
	for _, c := range f.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			dangling = string(c.Status)
			break
		}
	}
	return []any{
		f.Name, f.Spec.PriorityLevelConfiguration.Name, int64(f.Spec.MatchingPrecedence), method,
		age(f.CreationTimestamp, now), dangling,
	}
}
