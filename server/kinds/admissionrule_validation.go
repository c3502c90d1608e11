package kinds

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateOperationsRule checks which requests a webhook or policy wants to see.
func validateOperationsRule(r *admissionv1.RuleWithOperations, at *field.Path) field.ErrorList {
	operations := at.Child("operations")
	var errs field.ErrorList
	if len(r.Operations) == 0 {
		errs = append(errs, field.Required(operations, ""))
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, admissionv1.OperationAll) {
		errs = append(errs, field.Invalid(operations, r.Operations, "if '*' is present, must not specify other operations"))
	}
	for i, o := range r.Operations {
		errs = append(errs, among(operations.Index(i), o, admissionv1.OperationAll, admissionv1.Connect, admissionv1.Create,
			admissionv1.Delete, admissionv1.Update)...)
	}
	errs = append(errs, validateWildcard(r.APIGroups, "API groups", at.Child("apiGroups"))...)
	errs = append(errs, validateWildcard(r.APIVersions, "API versions", at.Child("apiVersions"))...)
	for i, v := range r.APIVersions {
		errs = append(errs, required(at.Child("apiVersions").Index(i), v)...)
	}
	errs = append(errs, validateRuleResources(r.Resources, at.Child("resources"))...)
	if r.Scope != nil {
		errs = append(errs, among(at.Child("scope"), *r.Scope, admissionv1.AllScopes, admissionv1.ClusterScope, admissionv1.NamespacedScope)...)
	}
	return errs
}

// validateWildcard wants a list of what names, in which "*" stands alone.
func validateWildcard(list []string, what string, at *field.Path) field.ErrorList {
	switch {
	case len(list) == 0:
		return field.ErrorList{field.Required(at, "")}
	case len(list) > 1 && slices.Contains(list, "*"):
		return field.ErrorList{field.Invalid(at, list, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

// validateRuleResources refuses a list in which a wildcard makes other entries idle.
func validateRuleResources(resources []string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(resources) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	allOf, ofAll := map[string]bool{}, map[string]bool{} // "x/*" and "*/x"
	plain := false
	for i, entry := range resources {
		if entry == "" {
			errs = append(errs, field.Required(at.Index(i), ""))
			continue
		}
		resource, sub, found := strings.Cut(entry, "/")
		if !found {
			plain = entry != "*"
			continue
		}
		if allOf[resource] {
			errs = append(errs, field.Invalid(at.Index(i), entry, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, entry)))
		}
		if ofAll[sub] {
			errs = append(errs, field.Invalid(at.Index(i), entry, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, entry)))
		}
		allOf[resource] = allOf[resource] || sub == "*"
		ofAll[sub] = ofAll[sub] || resource == "*"
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs = append(errs, field.Invalid(at, resources, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(resources, "*") {
		errs = append(errs, field.Invalid(at, resources, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}

// validateMatchResources checks what a policy or its binding is about; nil is everything.
func validateMatchResources(m *admissionv1.MatchResources, at *field.Path) field.ErrorList {
	if m == nil {
		return nil
	}
	errs := among(at.Child("matchPolicy"), *m.MatchPolicy, admissionv1.Equivalent, admissionv1.Exact)
	strict := metav1validation.LabelSelectorValidationOptions{}
	errs = append(errs, metav1validation.ValidateLabelSelector(m.NamespaceSelector, strict, at.Child("namespaceSelector"))...)
	errs = append(errs, metav1validation.ValidateLabelSelector(m.ObjectSelector, strict, at.Child("objectSelector"))...)
	for i := range m.ResourceRules {
		errs = append(errs, validateNamedRule(&m.ResourceRules[i], at.Child("resourceRules").Index(i))...)
	}
	for i := range m.ExcludeResourceRules {
		errs = append(errs, validateNamedRule(&m.ExcludeResourceRules[i], at.Child("excludeResourceRules").Index(i))...)
	}
	return errs
}

func validateNamedRule(r *admissionv1.NamedRuleWithOperations, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, name := range r.ResourceNames {
		names := at.Child("resourceNames").Index(i)
		errs = append(errs, named(names, name, path.ValidatePathSegmentName(name, false))...)
		errs = append(errs, once(seen, name, names)...)
	}
	return append(errs, validateOperationsRule(&r.RuleWithOperations, at)...)
}
