package kinds

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// flowVerbs are the verbs that a rule of a FlowSchema may name.
var flowVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}

func validateFlowSchema(obj runtime.Object) field.ErrorList {
	f := obj.(*flowcontrolv1.FlowSchema)
	s, at := &f.Spec, field.NewPath("spec")
	errs := validatePrecedence(f.Name, s.MatchingPrecedence, at.Child("matchingPrecedence"))
	if m := s.DistinguisherMethod; m != nil && len(among(at, m.Type, "ByNamespace", "ByUser")) > 0 {
		// The type without JSON names shows the value as Kubernetes does, from its internal type.
		shown := struct {
			Type flowcontrolv1.FlowDistinguisherMethodType
		}(*m)
		errs = append(errs, field.NotSupported(at.Child("distinguisherMethod", "type"), shown, []string{"ByNamespace", "ByUser"}))
	}
	level := at.Child("priorityLevelConfiguration", "name")
	if name := s.PriorityLevelConfiguration.Name; name != "" {
		errs = append(errs, named(level, name, apivalidation.NameIsDNSSubdomain(name, false))...)
	} else {
		errs = append(errs, field.Required(level, "must reference a priority level"))
	}
	for i := range s.Rules {
		errs = append(errs, validateFlowRule(&s.Rules[i], at.Child("rules").Index(i))...)
	}
	if fixed, ok := fixedFlowSchema(f.Name); ok && !equality.Semantic.DeepEqual(*s, fixed) {
		errs = append(errs, field.Invalid(at, internalForm(*s), fmt.Sprintf("spec of '%s' must equal the fixed value", f.Name)))
	}
	return errs
}

func validatePrecedence(schema string, n int32, at *field.Path) field.ErrorList {
	switch {
	case n <= 0:
		return field.ErrorList{field.Invalid(at, n, "must be a positive value")}
	case n > flowcontrolv1.FlowSchemaMaxMatchingPrecedence:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("must not be greater than %v", flowcontrolv1.FlowSchemaMaxMatchingPrecedence))}
	case n == 1 && schema != flowcontrolv1.FlowSchemaNameExempt:
		return field.ErrorList{field.Invalid(at, n, "only the schema named 'exempt' may have matchingPrecedence 1")}
	}
	return nil
}

// fixedFlowSchema returns the specification of a schema that every cluster has, and nobody may change.
func fixedFlowSchema(name string) (flowcontrolv1.FlowSchemaSpec, bool) {
	spec := flowcontrolv1.FlowSchemaSpec{PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: name}}
	var groups []string
	switch name {
	case flowcontrolv1.FlowSchemaNameExempt:
		spec.MatchingPrecedence = 1
		groups = []string{"system:masters"}
	case flowcontrolv1.FlowSchemaNameCatchAll:
		spec.MatchingPrecedence = flowcontrolv1.FlowSchemaMaxMatchingPrecedence
		spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
		groups = []string{"system:unauthenticated", "system:authenticated"}
	default:
		return spec, false
	}
	all := []string{"*"}
	rule := flowcontrolv1.PolicyRulesWithSubjects{
		ResourceRules:    []flowcontrolv1.ResourcePolicyRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: all, NonResourceURLs: all}},
	}
	for _, group := range groups {
		rule.Subjects = append(rule.Subjects, flowcontrolv1.Subject{
			Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: group}})
	}
	spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{rule}
	return spec, true
}

func validateFlowRule(r *flowcontrolv1.PolicyRulesWithSubjects, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range r.Subjects {
		errs = append(errs, validateFlowSubject(&r.Subjects[i], at.Child("subjects").Index(i))...)
	}
	if len(r.Subjects) == 0 {
		errs = append(errs, field.Required(at.Child("subjects"), "subjects must contain at least one value"))
	}
	if len(r.ResourceRules)+len(r.NonResourceRules) == 0 {
		errs = append(errs, field.Required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	}
	for i := range r.ResourceRules {
		errs = append(errs, validateFlowResources(&r.ResourceRules[i], at.Child("resourceRules").Index(i))...)
	}
	for i := range r.NonResourceRules {
		errs = append(errs, validateFlowURLs(&r.NonResourceRules[i], at.Child("nonResourceRules").Index(i))...)
	}
	return errs
}

// validateFlowSubject wants the one member that the kind of the subject names, filled in.
func validateFlowSubject(s *flowcontrolv1.Subject, at *field.Path) field.ErrorList {
	account, group, user := at.Child("serviceAccount"), at.Child("group"), at.Child("user")
	var errs field.ErrorList
	switch s.Kind {
	case flowcontrolv1.SubjectKindServiceAccount:
		errs = validateFlowAccount(s.ServiceAccount, account)
	case flowcontrolv1.SubjectKindUser:
		if s.User == nil {
			errs = append(errs, field.Required(user, "user is required when subject kind is 'User'"))
		} else {
			errs = required(user.Child("name"), s.User.Name)
		}
	case flowcontrolv1.SubjectKindGroup:
		if s.Group == nil {
			errs = append(errs, field.Required(group, "group is required when subject kind is 'Group'"))
		} else {
			errs = required(group.Child("name"), s.Group.Name)
		}
	default:
		return among(at.Child("kind"), s.Kind,
			flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount, flowcontrolv1.SubjectKindUser)
	}
	if s.ServiceAccount != nil && s.Kind != flowcontrolv1.SubjectKindServiceAccount {
		errs = append(errs, field.Forbidden(account, "serviceAccount is forbidden when subject kind is not 'ServiceAccount'"))
	}
	if s.User != nil && s.Kind != flowcontrolv1.SubjectKindUser {
		errs = append(errs, field.Forbidden(user, "user is forbidden when subject kind is not 'User'"))
	}
	if s.Group != nil && s.Kind != flowcontrolv1.SubjectKindGroup {
		errs = append(errs, field.Forbidden(group, "group is forbidden when subject kind is not 'Group'"))
	}
	return errs
}

func validateFlowAccount(s *flowcontrolv1.ServiceAccountSubject, at *field.Path) field.ErrorList {
	if s == nil {
		return field.ErrorList{field.Required(at, "serviceAccount is required when subject kind is 'ServiceAccount'")}
	}
	errs := required(at.Child("name"), s.Name)
	if s.Name != "" && s.Name != flowcontrolv1.NameAll {
		errs = append(errs, named(at.Child("name"), s.Name, apivalidation.ValidateServiceAccountName(s.Name, false))...)
	}
	if s.Namespace == "" {
		return append(errs, field.Required(at.Child("namespace"), "must specify namespace for service account"))
	}
	return append(errs, named(at.Child("namespace"), s.Namespace, apivalidation.ValidateNamespaceName(s.Namespace, false))...)
}

func validateFlowVerbs(verbs []string, at *field.Path) field.ErrorList {
	errs := loneWildcard(verbs, at, "verbs must contain at least one value", "verbs")
	isUnknown := func(v string) bool { return !slices.Contains(flowVerbs, v) }
	if len(verbs) > 0 && !slices.Contains(verbs, "*") && slices.ContainsFunc(verbs, isUnknown) {
		errs = append(errs, field.NotSupported(at, verbs, flowVerbs))
	}
	return errs
}

// loneWildcard wants some values, and no other beside "*".
func loneWildcard(values []string, at *field.Path, whenEmpty, what string) field.ErrorList {
	switch {
	case len(values) == 0:
		return field.ErrorList{field.Required(at, whenEmpty)}
	case len(values) > 1 && slices.Contains(values, "*"):
		return field.ErrorList{field.Invalid(at, values, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

func validateFlowResources(r *flowcontrolv1.ResourcePolicyRule, at *field.Path) field.ErrorList {
	errs := validateFlowVerbs(r.Verbs, at.Child("verbs"))
	errs = append(errs, loneWildcard(r.APIGroups, at.Child("apiGroups"), "resource rules must supply at least one api group", "api groups")...)
	errs = append(errs, loneWildcard(r.Resources, at.Child("resources"), "resource rules must supply at least one resource", "resources")...)
	namespaces := at.Child("namespaces")
	if len(r.Namespaces) > 0 || !r.ClusterScope {
		errs = append(errs, loneWildcard(r.Namespaces, namespaces,
			"resource rules that are not cluster scoped must supply at least one namespace", "namespaces")...)
	}
	if slices.Contains(r.Namespaces, flowcontrolv1.NamespaceEvery) {
		return errs
	}
	for i, name := range r.Namespaces {
		for _, reason := range apivalidation.ValidateNamespaceName(name, false) {
			errs = append(errs, field.Invalid(namespaces.Index(i), name,
				"each member of this list must be '*' or a DNS-1123 label; "+reason))
		}
	}
	return errs
}

func validateFlowURLs(r *flowcontrolv1.NonResourcePolicyRule, at *field.Path) field.ErrorList {
	errs := validateFlowVerbs(r.Verbs, at.Child("verbs"))
	urls := at.Child("nonResourceURLs")
	errs = append(errs, loneWildcard(r.NonResourceURLs, urls, "nonResourceURLs must contain at least one value", "non-resource URLs")...)
	if slices.Contains(r.NonResourceURLs, flowcontrolv1.NonResourceAll) {
		return errs
	}
	for i, url := range r.NonResourceURLs {
		if why := badURL(url); why != "" {
			errs = append(errs, field.Invalid(urls.Index(i), url, why))
		}
	}
	return errs
}

// badURL says what is wrong with a path of a rule, of which only the end may be open: "/healthz/*".
func badURL(url string) string {
	switch {
	case url == "":
		return "must not be empty"
	case !strings.HasPrefix(url, "/"):
		return "must start with slash"
	case strings.Contains(url, " "):
		return "must not contain white-space"
	case strings.Contains(url, "//"):
		return "must not contain double slash"
	case strings.Contains(strings.TrimSuffix(url, "/*"), "*"):
		return "wildcard can only do suffix matching"
	}
	return ""
}
