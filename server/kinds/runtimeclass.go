package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// runtimeClass is the row of RuntimeClass.
func runtimeClass() *Kind {
	return &Kind{
		GroupVersionKind: nodev1.SchemeGroupVersion.WithKind("RuntimeClass"),
		Resource:         "runtimeclasses",
		Singular:         "runtimeclass",
		New:              func() runtime.Object { return &nodev1.RuntimeClass{} },
		NewList:          func() runtime.Object { return &nodev1.RuntimeClassList{} },
		CreateOnUpdate:   true,
		Default: func(obj runtime.Object) {
			if o := obj.(*nodev1.RuntimeClass).Overhead; o != nil {
				roundToMilli(o.PodFixed)
			}
		},
		Validate: validateRuntimeClass,
		Warn:     warnRuntimeClass,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return frozen(field.NewPath("handler"), obj.(*nodev1.RuntimeClass).Handler, old.(*nodev1.RuntimeClass).Handler)
		},
		Printer: table.Printer{
			// Kubernetes describes the handler with nothing.
			Columns: []metav1.TableColumnDefinition{nameColumn(), column("Handler", ""), ageColumn()},
			Cells: func(obj runtime.Object, now time.Time) []any {
				c := obj.(*nodev1.RuntimeClass)
				return []any{c.Name, c.Handler, age(c.CreationTimestamp, now)}
			},
		},
	}
}

func validateRuntimeClass(obj runtime.Object) field.ErrorList {
	c := obj.(*nodev1.RuntimeClass)
	handler := field.NewPath("handler")
	errs := required(handler, c.Handler)
	if c.Handler != "" {
		errs = append(errs, named(handler, c.Handler, apivalidation.NameIsDNSLabel(c.Handler, false))...)
	}
	if c.Overhead != nil {
		// An overhead is read as the limits of a container would be.
		errs = append(errs, validateContainerResources(&corev1.ResourceRequirements{Limits: c.Overhead.PodFixed}, field.NewPath("overhead"))...)
	}
	if s := c.Scheduling; s != nil {
		at := field.NewPath("scheduling")
		errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, at.Child("nodeSelector"))...)
		errs = append(errs, validateTolerations(s.Tolerations, at.Child("tolerations"))...)
		errs = append(errs, sameTolerations(s.Tolerations, at.Child("tolerations"))...)
	}
	return errs
}

// sameTolerations reports those that stand twice, for whatever time.
func sameTolerations(tolerations []corev1.Toleration, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.Toleration]bool{}
	for i, t := range tolerations {
		key := t
		key.TolerationSeconds = nil
		if seen[key] {
			// The type without JSON names shows the value as Kubernetes does, from its internal type.
			errs = append(errs, field.Duplicate(at.Index(i), struct {
				Key               string
				Operator          corev1.TolerationOperator
				Value             string
				Effect            corev1.TaintEffect
				TolerationSeconds *int64
			}(t)))
		}
		seen[key] = true
	}
	return errs
}
