package kinds

import (
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// role is the row of Role. What RBAC names need only be fit for a path: "system:node" is one.
func role() *Kind {
	return &Kind{
		GroupVersionKind:    rbacv1.SchemeGroupVersion.WithKind("Role"),
		Resource:            "roles",
		Singular:            "role",
		Namespaced:          true,
		New:                 func() runtime.Object { return &rbacv1.Role{} },
		NewList:             func() runtime.Object { return &rbacv1.RoleList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		ValidateName:        path.ValidatePathSegmentName,
		Validate: func(obj runtime.Object) field.ErrorList {
			return validateRules(obj.(*rbacv1.Role).Rules, true)
		},
		Printer: table.Printer{
			Columns: createdColumns(),
			Cells: func(obj runtime.Object, _ time.Time) []any {
				r := obj.(*rbacv1.Role)
				return createdCells(&r.ObjectMeta)
			},
		},
	}
}

// clusterRole is the row of ClusterRole.
func clusterRole() *Kind {
	return &Kind{
		GroupVersionKind:    rbacv1.SchemeGroupVersion.WithKind("ClusterRole"),
		Resource:            "clusterroles",
		Singular:            "clusterrole",
		New:                 func() runtime.Object { return &rbacv1.ClusterRole{} },
		NewList:             func() runtime.Object { return &rbacv1.ClusterRoleList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		ValidateName:        path.ValidatePathSegmentName,
		Validate:            validateClusterRole,
		Printer: table.Printer{
			Columns: createdColumns(),
			Cells: func(obj runtime.Object, _ time.Time) []any {
				r := obj.(*rbacv1.ClusterRole)
				return createdCells(&r.ObjectMeta)
			},
		},
	}
}

// createdColumns are the columns of kinds for which Kubernetes has none in particular.
func createdColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		nameColumn(), {Name: "Created At", Type: "date", Description: metaDoc["creationTimestamp"]},
	}
}

func createdCells(m *metav1.ObjectMeta) []any {
	return []any{m.Name, m.CreationTimestamp.UTC().Format(time.RFC3339)}
}

func validateClusterRole(obj runtime.Object) field.ErrorList {
	r := obj.(*rbacv1.ClusterRole)
	errs := validateRules(r.Rules, false)
	if r.AggregationRule == nil {
		return errs
	}
	at := field.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(r.AggregationRule.ClusterRoleSelectors) == 0 {
		errs = append(errs, field.Required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range r.AggregationRule.ClusterRoleSelectors {
		errs = append(errs, validateRoleSelector(&r.AggregationRule.ClusterRoleSelectors[i], at.Index(i))...)
	}
	return errs
}

func validateRoleSelector(s *metav1.LabelSelector, at *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, at)
	if selector, err := metav1.LabelSelectorAsSelector(s); err != nil {
		errs = append(errs, field.Invalid(at, selector, "invalid label selector."))
	}
	return errs
}

func validateRules(rules []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i := range rules {
		errs = append(errs, validateRule(&rules[i], namespaced, field.NewPath("rules").Index(i))...)
	}
	return errs
}

// validateRule checks that a rule speaks of resources or of URLs, not of both.
func validateRule(r *rbacv1.PolicyRule, namespaced bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(r.Verbs) == 0 {
		errs = append(errs, field.Required(at.Child("verbs"), ""))
	}
	if len(r.NonResourceURLs) > 0 {
		return append(errs, validateURLRule(r, namespaced, at.Child("nonResourceURLs"))...)
	}
	if len(r.APIGroups) == 0 {
		errs = append(errs, field.Required(at.Child("apiGroups"), "resource rules must supply at least one api group"))
	}
	if len(r.Resources) == 0 {
		errs = append(errs, field.Required(at.Child("resources"), "resource rules must supply at least one resource"))
	}
	return errs
}

func validateURLRule(r *rbacv1.PolicyRule, namespaced bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if namespaced {
		errs = append(errs, field.Invalid(at, r.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
	}
	if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
		errs = append(errs, field.Invalid(at, r.NonResourceURLs,
			"rules cannot apply to both regular resources and non-resource URLs"))
	}
	return errs
}
