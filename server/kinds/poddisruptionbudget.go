package kinds

import (
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// podDisruptionBudget is the row of PodDisruptionBudget. It has no unconditional update: evictions count in its status,
// and must not overwrite each other unseen.
func podDisruptionBudget() *Kind {
	return &Kind{
		GroupVersionKind:     policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"),
		Resource:             "poddisruptionbudgets",
		Singular:             "poddisruptionbudget",
		ShortNames:           []string{"pdb"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &policyv1.PodDisruptionBudget{} },
		NewList:              func() runtime.Object { return &policyv1.PodDisruptionBudgetList{} },
		Status:               true,
		Generation:           true,
		ValidateName:         anyName,
		Validate:             validateDisruptionBudget,
		ValidateStatusUpdate: validateDisruptionBudgetStatus,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(),
				column("Min Available", "The minimum number of pods that must be available."),
				column("Max Unavailable", "The maximum number of pods that may be unavailable."),
				countColumn("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time."),
				ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				b := obj.(*policyv1.PodDisruptionBudget)
				return []any{b.Name, shareCell(b.Spec.MinAvailable), shareCell(b.Spec.MaxUnavailable),
					int64(b.Status.DisruptionsAllowed), age(b.CreationTimestamp, now)}
			},
		},
	}
}

// shareCell shows a number of pods or a part of them.
func shareCell(v *intstr.IntOrString) string {
	if v == nil {
		return "N/A"
	}
	return v.String()
}

func validateDisruptionBudget(obj runtime.Object) field.ErrorList {
	s := &obj.(*policyv1.PodDisruptionBudget).Spec
	path := field.NewPath("spec")
	var errs field.ErrorList
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		errs = append(errs, field.Invalid(path, internalForm(*s), "minAvailable and maxUnavailable cannot be both set"))
	}
	errs = append(errs, validateShare(s.MinAvailable, path.Child("minAvailable"))...)
	errs = append(errs, validateShare(s.MaxUnavailable, path.Child("maxUnavailable"))...)
	errs = append(errs, validateSelector(s.Selector, path.Child("selector"))...)
	known := []policyv1.UnhealthyPodEvictionPolicyType{policyv1.AlwaysAllow, policyv1.IfHealthyBudget}
	if p := s.UnhealthyPodEvictionPolicy; p != nil && !slices.Contains(known, *p) {
		errs = append(errs, field.NotSupported(path.Child("unhealthyPodEvictionPolicy"), *p, known))
	}
	return errs
}

func validateDisruptionBudgetStatus(obj, _ runtime.Object) field.ErrorList {
	s := &obj.(*policyv1.PodDisruptionBudget).Status
	path := field.NewPath("status")
	errs := metav1validation.ValidateConditions(s.Conditions, path.Child("conditions"))
	errs = append(errs, notNegative(path.Child("disruptionsAllowed"), s.DisruptionsAllowed)...)
	errs = append(errs, notNegative(path.Child("currentHealthy"), s.CurrentHealthy)...)
	errs = append(errs, notNegative(path.Child("desiredHealthy"), s.DesiredHealthy)...)
	return append(errs, notNegative(path.Child("expectedPods"), s.ExpectedPods)...)
}
