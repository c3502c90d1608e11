package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/client-go/util/jsonpath"
)

const (
	maxAuditAnnotations = 20
	maxAuditExpression  = 5 << 10 // bytes
)

// A policy is what the two kinds of policies have in common.
type policy struct {
	failure     *admissionv1.FailurePolicyType
	params      *admissionv1.ParamKind
	constraints *admissionv1.MatchResources
	conditions  []admissionv1.MatchCondition
	variables   []admissionv1.Variable
}

// validatePolicy checks the common parts in the order of kube-apiserver; was is nil at a create.
func validatePolicy(p policy, was *policy, c *compilation) field.ErrorList {
	at := field.NewPath("spec")
	errs := among(at.Child("failurePolicy"), *p.failure, admissionv1.Fail, admissionv1.Ignore)
	if p.params != nil {
		errs = append(errs, validateParamKind(p.params, at.Child("paramKind"))...)
	}
	if p.constraints == nil {
		errs = append(errs, field.Required(at.Child("matchConstraints"), ""))
	} else {
		errs = append(errs, validateMatchResources(p.constraints, at.Child("matchConstraints"))...)
		if len(p.constraints.ResourceRules) == 0 {
			errs = append(errs, field.Required(at.Child("matchConstraints", "resourceRules"), ""))
		}
	}
	same := was != nil && equality.Semantic.DeepEqual(p.params, was.params) && equality.Semantic.DeepEqual(p.conditions, was.conditions)
	if !same {
		errs = append(errs, validateMatchConditions(p.conditions, p.params != nil, c.known, at.Child("matchConditions"))...)
	}
	return append(errs, validateVariables(p.variables, c, at.Child("variables"))...)
}

// validateValidatingPolicy checks a policy; old is nil at a create.
func validateValidatingPolicy(obj, old runtime.Object) field.ErrorList {
	p := obj.(*admissionv1.ValidatingAdmissionPolicy)
	s := &p.Spec
	c := &compilation{known: expressions{}, declared: plugincel.OptionalVariableDeclarations{HasParams: s.ParamKind != nil, HasAuthorizer: true}}
	var was *policy
	if old != nil {
		o := &old.(*admissionv1.ValidatingAdmissionPolicy).Spec
		was = &policy{params: o.ParamKind, conditions: o.MatchConditions}
		c.known.addValidations(o)
	}
	errs := validatePolicy(policy{s.FailurePolicy, s.ParamKind, s.MatchConstraints, s.MatchConditions, s.Variables}, was, c)
	at := field.NewPath("spec")
	if len(s.Validations) == 0 && len(s.AuditAnnotations) == 0 {
		const none = "validations or auditAnnotations must contain at least one item"
		return append(errs, field.Required(at.Child("validations"), none), field.Required(at.Child("auditAnnotations"), none))
	}
	c.open(len(s.Variables) > 0)
	for i := range s.Validations {
		errs = append(errs, validateValidation(&s.Validations[i], c, at.Child("validations").Index(i))...)
	}
	return append(errs, validateAuditAnnotations(p.Name, s.AuditAnnotations, c, at.Child("auditAnnotations"))...)
}

// addValidations remembers the expressions of a policy.
func (known expressions) addValidations(s *admissionv1.ValidatingAdmissionPolicySpec) {
	known.addConditions(s.MatchConditions)
	for _, v := range s.Validations {
		known[v.Expression] = true
		known[v.MessageExpression] = true
	}
	for _, a := range s.AuditAnnotations {
		known[a.ValueExpression] = true
	}
}

func validateValidation(v *admissionv1.Validation, c *compilation, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if strings.TrimSpace(v.Expression) == "" {
		errs = append(errs, field.Required(at.Child("expression"), "expression is not specified"))
	} else {
		errs = append(errs, c.compile(&expression{text: v.Expression, returns: truth}, c.declared, at.Child("expression"))...)
	}
	switch {
	case v.MessageExpression == "":
	case strings.TrimSpace(v.MessageExpression) == "":
		errs = append(errs, field.Invalid(at.Child("messageExpression"), v.MessageExpression, "must be non-empty if specified"))
	default:
		declared := plugincel.OptionalVariableDeclarations{HasParams: c.declared.HasParams}
		errs = append(errs, c.compile(&expression{text: v.MessageExpression, returns: text}, declared, at.Child("messageExpression"))...)
	}
	switch trimmed := strings.TrimSpace(v.Message); {
	case v.Message != "" && trimmed == "":
		errs = append(errs, field.Invalid(at.Child("message"), v.Message, "message must be non-empty if specified"))
	case strings.ContainsAny(trimmed, "\n\r"):
		errs = append(errs, field.Invalid(at.Child("message"), v.Message, "message must not contain line breaks"))
	}
	if v.Reason != nil {
		errs = append(errs, among(at.Child("reason"), *v.Reason, metav1.StatusReasonForbidden, metav1.StatusReasonInvalid,
			metav1.StatusReasonRequestEntityTooLarge, metav1.StatusReasonUnauthorized)...)
	}
	return errs
}

func validateAuditAnnotations(policy string, annotations []admissionv1.AuditAnnotation, c *compilation, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(annotations) > maxAuditAnnotations {
		errs = append(errs, field.Invalid(at, annotations, fmt.Sprintf("must not have more than %d auditAnnotations", maxAuditAnnotations)))
	}
	seen := map[string]bool{}
	for i, a := range annotations {
		at := at.Index(i)
		if policy == "" {
			errs = append(errs, field.Invalid(at.Child("key"), a.Key, "requires metadata.name be non-empty"))
		} else {
			key := policy + "/" + a.Key
			errs = append(errs, named(at.Child("key"), key, validation.IsQualifiedName(key))...)
		}
		switch trimmed := strings.TrimSpace(a.ValueExpression); {
		case trimmed == "":
			errs = append(errs, field.Required(at.Child("valueExpression"), "valueExpression is not specified"))
		case len(trimmed) > maxAuditExpression:
			errs = append(errs, field.Required(at.Child("valueExpression"), fmt.Sprintf("must not exceed %d bytes in length", maxAuditExpression)))
		default:
			errs = append(errs, c.compile(&expression{text: trimmed, returns: maybeText}, c.declared, at.Child("valueExpression"))...)
		}
		errs = append(errs, once(seen, a.Key, at.Child("key"))...)
	}
	return errs
}

func validateParamKind(k *admissionv1.ParamKind, at *field.Path) field.ErrorList {
	version := at.Child("apiVersion")
	var errs field.ErrorList
	gv, err := schema.ParseGroupVersion(k.APIVersion)
	switch {
	case k.APIVersion == "":
		errs = append(errs, field.Required(version, ""))
	case err != nil:
		errs = append(errs, field.Invalid(version, k.APIVersion, err.Error()))
	default:
		if reasons := validation.IsDNS1123Subdomain(gv.Group); gv.Group != "" && len(reasons) > 0 {
			errs = append(errs, field.Invalid(version, gv.Group, strings.Join(reasons, ",")))
		}
		if gv.Version == "" {
			errs = append(errs, field.Invalid(version, k.APIVersion, "version must be specified"))
		} else if reasons := validation.IsDNS1035Label(gv.Version); len(reasons) > 0 {
			errs = append(errs, field.Invalid(version, gv.Version, strings.Join(reasons, ",")))
		}
	}
	if k.Kind == "" {
		return append(errs, field.Required(at.Child("kind"), ""))
	}
	if reasons := validation.IsDNS1035Label(strings.ToLower(k.Kind)); len(reasons) > 0 {
		errs = append(errs, field.Invalid(at.Child("kind"), k.Kind, "may have mixed case, but should otherwise match: "+strings.Join(reasons, ",")))
	}
	return errs
}

// validateMutatingPolicy checks a policy; old is nil at a create.
func validateMutatingPolicy(obj, old runtime.Object) field.ErrorList {
	s := &obj.(*admissionv1.MutatingAdmissionPolicy).Spec
	c := &compilation{known: expressions{}, declared: plugincel.OptionalVariableDeclarations{HasParams: s.ParamKind != nil, HasAuthorizer: true, HasPatchTypes: true}}
	var was *policy
	if old != nil {
		o := &old.(*admissionv1.MutatingAdmissionPolicy).Spec
		was = &policy{params: o.ParamKind, conditions: o.MatchConditions}
		c.known.addConditions(o.MatchConditions)
		c.known.addMutations(o.Mutations)
	}
	errs := validatePolicy(policy{s.FailurePolicy, s.ParamKind, s.MatchConstraints, s.MatchConditions, s.Variables}, was, c)
	at := field.NewPath("spec")
	if len(s.Mutations) == 0 {
		errs = append(errs, field.Required(at.Child("mutations"), "mutations must contain at least one item"))
	}
	c.open(len(s.Variables) > 0)
	for i := range s.Mutations {
		errs = append(errs, validateMutation(&s.Mutations[i], c, at.Child("mutations").Index(i))...)
	}
	if s.ReinvocationPolicy == "" {
		return append(errs, field.Required(at.Child("reinvocationPolicy"), ""))
	}
	return append(errs, among(at.Child("reinvocationPolicy"), s.ReinvocationPolicy, admissionv1.IfNeededReinvocationPolicy, admissionv1.NeverReinvocationPolicy)...)
}

// addMutations remembers the expressions of mutations.
func (known expressions) addMutations(mutations []admissionv1.Mutation) {
	for _, m := range mutations {
		if m.ApplyConfiguration != nil {
			known[m.ApplyConfiguration.Expression] = true
		}
		if m.JSONPatch != nil {
			known[m.JSONPatch.Expression] = true
		}
	}
}

func validateMutation(m *admissionv1.Mutation, c *compilation, at *field.Path) field.ErrorList {
	apply, patch := at.Child("applyConfiguration"), at.Child("jsonPatch")
	var errs field.ErrorList
	switch m.PatchType {
	case "":
		return field.ErrorList{field.Required(at.Child("patchType"), "")}
	case admissionv1.PatchTypeApplyConfiguration:
		if m.JSONPatch != nil {
			errs = append(errs, field.Invalid(patch, "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration"))
		}
		if m.ApplyConfiguration == nil {
			return append(errs, field.Required(apply, "must be specified when patchType is ApplyConfiguration"))
		}
		return append(errs, validatePatch(m.ApplyConfiguration.Expression, appliedObj, c, apply)...)
	case admissionv1.PatchTypeJSONPatch:
		if m.ApplyConfiguration != nil {
			errs = append(errs, field.Invalid(apply, "{applyConfiguration}", "must not be specified when patchType is JSONPatch"))
		}
		if m.JSONPatch == nil {
			return append(errs, field.Required(patch, "must be specified when patchType is JSONPatch"))
		}
		return append(errs, validatePatch(m.JSONPatch.Expression, jsonPatch, c, patch)...)
	}
	return among(at.Child("patchType"), m.PatchType, admissionv1.PatchTypeApplyConfiguration, admissionv1.PatchTypeJSONPatch)
}

func validatePatch(of string, returns []*cel.Type, c *compilation, at *field.Path) field.ErrorList {
	if strings.TrimSpace(of) == "" {
		return field.ErrorList{field.Required(at.Child("expression"), "expression is not specified")}
	}
	return c.compile(&expression{text: of, returns: returns}, c.declared, at.Child("expression"))
}

func validateValidatingBinding(obj runtime.Object) field.ErrorList {
	s := &obj.(*admissionv1.ValidatingAdmissionPolicyBinding).Spec
	errs := validateBound(s.PolicyName, s.ParamRef, s.MatchResources)
	return append(errs, validateActions(s.ValidationActions, field.NewPath("spec", "validationActions"))...)
}

func validateMutatingBinding(obj runtime.Object) field.ErrorList {
	s := &obj.(*admissionv1.MutatingAdmissionPolicyBinding).Spec
	return validateBound(s.PolicyName, s.ParamRef, s.MatchResources)
}

func validateBound(policy string, ref *admissionv1.ParamRef, match *admissionv1.MatchResources) field.ErrorList {
	at := field.NewPath("spec")
	var errs field.ErrorList
	if policy == "" {
		errs = append(errs, field.Required(at.Child("policyName"), ""))
	} else {
		errs = append(errs, named(at.Child("policyName"), policy, apivalidation.NameIsDNSSubdomain(policy, false))...)
	}
	errs = append(errs, validateParamRef(ref, at.Child("paramRef"))...)
	// The path is not the field's name in Kubernetes either.
	return append(errs, validateMatchResources(match, at.Child("matchResources"))...)
}

func validateParamRef(ref *admissionv1.ParamRef, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	var errs field.ErrorList
	const either = "name and selector are mutually exclusive"
	if ref.Name != "" {
		errs = append(errs, named(at.Child("name"), ref.Name, path.ValidatePathSegmentName(ref.Name, false))...)
		if ref.Selector != nil {
			errs = append(errs, field.Forbidden(at.Child("name"), either))
		}
	}
	if ref.Selector != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(ref.Selector, metav1validation.LabelSelectorValidationOptions{}, at.Child("selector"))...)
		if ref.Name != "" {
			errs = append(errs, field.Forbidden(at.Child("selector"), either))
		}
	}
	if ref.Name == "" && ref.Selector == nil {
		errs = append(errs, field.Required(at, "one of name or selector must be specified"))
	}
	if ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction == "" {
		return append(errs, field.Required(at.Child("parameterNotFoundAction"), ""))
	}
	return append(errs, among(at.Child("parameterNotFoundAction"), *ref.ParameterNotFoundAction, admissionv1.DenyAction, admissionv1.AllowAction)...)
}

func validateActions(actions []admissionv1.ValidationAction, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, a := range actions {
		errs = append(errs, among(at.Index(i), a, admissionv1.Audit, admissionv1.Deny, admissionv1.Warn)...)
		errs = append(errs, once(seen, string(a), at.Index(i))...)
	}
	if slices.Contains(actions, admissionv1.Deny) && slices.Contains(actions, admissionv1.Warn) {
		errs = append(errs, field.Invalid(at, actions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	if len(actions) == 0 {
		errs = append(errs, field.Required(at, "at least one validation action is required"))
	}
	return errs
}

// validatePolicyStatus checks what the type checker has found.
func validatePolicyStatus(obj, _ runtime.Object) field.ErrorList {
	s := &obj.(*admissionv1.ValidatingAdmissionPolicy).Status
	at := field.NewPath("status")
	var errs field.ErrorList
	if s.TypeChecking != nil {
		for i, w := range s.TypeChecking.ExpressionWarnings {
			at := at.Child("typeChecking", "expressionWarnings").Index(i)
			errs = append(errs, required(at.Child("warning"), w.Warning)...)
			errs = append(errs, validateWarningField(strings.TrimSpace(w.FieldRef), at.Child("fieldRef"))...)
		}
	}
	return append(errs, metav1validation.ValidateConditions(s.Conditions, at.Child("conditions"))...)
}

func validateWarningField(ref string, at *field.Path) field.ErrorList {
	if ref == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	if err := jsonpath.New("spec").Parse("{" + ref + "}"); err != nil {
		return field.ErrorList{field.Invalid(at, ref, fmt.Sprintf("invalid JSONPath: %v", err))}
	}
	return nil
}
