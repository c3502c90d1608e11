package kinds

import (
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// lease is the row of Lease. It has no unconditional update: two holders must not overwrite each other unseen.
func lease() *Kind {
	return &Kind{
		GroupVersionKind: coordinationv1.SchemeGroupVersion.WithKind("Lease"),
		Resource:         "leases",
		Singular:         "lease",
		Namespaced:       true,
		New:              func() runtime.Object { return &coordinationv1.Lease{} },
		NewList:          func() runtime.Object { return &coordinationv1.LeaseList{} },
		CreateOnUpdate:   true,
		PrepareForCreate: func(obj runtime.Object) { dropElection(obj.(*coordinationv1.Lease), nil) },
		PrepareForUpdate: func(obj, old runtime.Object) {
			dropElection(obj.(*coordinationv1.Lease), old.(*coordinationv1.Lease))
		},
		Validate: validateLease,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Holder", coordinationv1.LeaseSpec{}.SwaggerDoc()["holderIdentity"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				l := obj.(*coordinationv1.Lease)
				holder := ""
				if l.Spec.HolderIdentity != nil {
					holder = *l.Spec.HolderIdentity
				}
				return []any{l.Name, holder, age(l.CreationTimestamp, now)}
			},
		},
	}
}

// dropElection empties the fields of the feature CoordinatedLeaderElection, which is off by default, unless old, which
// may be nil, has them already.
func dropElection(l, old *coordinationv1.Lease) {
	inUse := old != nil && (old.Spec.Strategy != nil || old.Spec.PreferredHolder != nil)
	if inUse {
		return
	}
	l.Spec.Strategy = nil
	l.Spec.PreferredHolder = nil
}

func validateLease(obj runtime.Object) field.ErrorList {
	spec := obj.(*coordinationv1.Lease).Spec
	path := field.NewPath("spec")
	var errs field.ErrorList
	if n := spec.LeaseDurationSeconds; n != nil && *n <= 0 {
		errs = append(errs, field.Invalid(path.Child("leaseDurationSeconds"), n, "must be greater than 0"))
	}
	if n := spec.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(path.Child("leaseTransitions"), n, "must be greater than or equal to 0"))
	}
	if spec.Strategy != nil {
		// The path names the strategy twice in Kubernetes too.
		errs = append(errs, validateLeaseStrategy(*spec.Strategy, path.Child("strategy", "strategy"))...)
	}
	hasStrategy := spec.Strategy != nil && *spec.Strategy != ""
	if spec.PreferredHolder != nil && *spec.PreferredHolder != "" && !hasStrategy {
		errs = append(errs, field.Forbidden(path.Child("preferredHolder"), "may only be specified if `strategy` is defined"))
	}
	return errs
}

// validateLeaseStrategy accepts a strategy of Kubernetes, or any other with a domain.
func validateLeaseStrategy(s coordinationv1.CoordinatedLeaseStrategy, path *field.Path) field.ErrorList {
	known := []coordinationv1.CoordinatedLeaseStrategy{coordinationv1.OldestEmulationVersion}
	if !strings.Contains(string(s), "/") {
		if slices.Contains(known, s) {
			return nil
		}
		return field.ErrorList{field.NotSupported(path, s, known)}
	}
	var errs field.ErrorList
	for _, msg := range validation.IsQualifiedName(string(s)) {
		errs = append(errs, field.Invalid(path, s, msg))
	}
	return errs
}
