package kinds

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const (
	systemPriorityPrefix = "system-"
	// highestUserPriority is the most that a class may have which is not of the system (Pod Priority and Preemption).
	highestUserPriority = 1_000_000_000
)

// systemPriorities are the classes that a cluster has of its own.
var systemPriorities = map[string]int32{
	"system-cluster-critical": 2 * highestUserPriority,
	"system-node-critical":    2*highestUserPriority + 1000,
}

// priorityClass is the row of PriorityClass. It has no spec; its generation is always 1.
func priorityClass() *Kind {
	return &Kind{
		GroupVersionKind:    schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"),
		Resource:            "priorityclasses",
		Singular:            "priorityclass",
		ShortNames:          []string{"pc"},
		New:                 func() runtime.Object { return &schedulingv1.PriorityClass{} },
		NewList:             func() runtime.Object { return &schedulingv1.PriorityClassList{} },
		UnconditionalUpdate: true,
		Default: func(obj runtime.Object) {
			orDefault(&obj.(*schedulingv1.PriorityClass).PreemptionPolicy, corev1.PreemptLowerPriority)
		},
		PrepareForCreate: func(obj runtime.Object) { obj.(*schedulingv1.PriorityClass).Generation = 1 },
		ValidateCreate:   validatePriorityClass,
		ValidateUpdate:   validatePriorityClassUpdate,
		Printer:          table.Printer{Columns: priorityClassColumns(), Cells: priorityClassCells},
	}
}

func priorityClassColumns() []metav1.TableColumnDefinition {
	doc := schedulingv1.PriorityClass{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		countColumn("Value", doc["value"]),
		{Name: "Global-Default", Type: "boolean", Description: doc["globalDefault"]},
		ageColumn(),
		column("PreemptionPolicy", doc["preemptionPolicy"]),
	}
}

func priorityClassCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*schedulingv1.PriorityClass)
	policy := ""
	if c.PreemptionPolicy != nil {
		policy = string(*c.PreemptionPolicy)
	}
	return []any{c.Name, int64(c.Value), c.GlobalDefault, age(c.CreationTimestamp, now), policy}
}

func validatePriorityClass(obj runtime.Object) field.ErrorList {
	c := obj.(*schedulingv1.PriorityClass)
	var errs field.ErrorList
	switch {
	case strings.HasPrefix(c.Name, systemPriorityPrefix):
		if reason := notSystemPriority(c); reason != "" {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only. error: "+reason))
		}
	case c.Value > highestUserPriority:
		errs = append(errs, field.Forbidden(field.NewPath("value"),
			fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserPriority)))
	}
	if c.PreemptionPolicy != nil {
		errs = append(errs, oneOf(field.NewPath("preemptionPolicy"), *c.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	return errs
}

// notSystemPriority says why a class is not one of those that a cluster has of its own; empty if it is.
func notSystemPriority(c *schedulingv1.PriorityClass) string {
	value, known := systemPriorities[c.Name]
	switch {
	case !known:
		return c.Name + " is not a known system priority class"
	case c.Value != value:
		return fmt.Sprintf("value of %s PriorityClass must be %d", c.Name, value)
	case c.GlobalDefault:
		return fmt.Sprintf("globalDefault of %s PriorityClass must be false", c.Name)
	}
	return ""
}

func validatePriorityClassUpdate(obj, old runtime.Object) field.ErrorList {
	c, was := obj.(*schedulingv1.PriorityClass), old.(*schedulingv1.PriorityClass)
	var errs field.ErrorList
	if c.Value != was.Value {
		errs = append(errs, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	return append(errs, apivalidation.ValidateImmutableField(c.PreemptionPolicy, was.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}
