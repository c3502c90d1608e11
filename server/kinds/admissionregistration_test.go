package kinds_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	anyRule     = `apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE]`
	goodHook    = `name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a.example.com/b"}`
	constraints = `matchConstraints: {resourceRules: [{` + anyRule + `}]}`
	filledHook  = `failurePolicy: Fail, matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {}, timeoutSeconds: 10`
)

// What webhooks, policies and bindings have that say nothing of it.
func TestAdmissionRegistration_Default(t *testing.T) {
	match := `matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {}`
	runDefaultTests(t, []defaultTest{
		{"webhook", "ValidatingWebhookConfiguration", `{webhooks: [{rules: [{}], clientConfig: {service: {name: a}}}]}`,
			`{webhooks: [{rules: [{scope: "*"}], clientConfig: {service: {name: a, port: 443}}, ` + filledHook + `}]}`},
		{"webhook", "MutatingWebhookConfiguration", `{webhooks: [{}]}`, `{webhooks: [{` + filledHook + `, reinvocationPolicy: Never}]}`},
		{"policy", "ValidatingAdmissionPolicy", `{spec: {matchConstraints: {resourceRules: [{}]}}}`,
			`{spec: {failurePolicy: Fail, matchConstraints: {resourceRules: [{scope: "*"}], ` + match + `}}}`},
		{"policy", "MutatingAdmissionPolicy", `{}`, `{spec: {failurePolicy: Fail}}`},
		{"binding", "ValidatingAdmissionPolicyBinding", `{spec: {paramRef: {name: a}, matchResources: {}}}`,
			`{spec: {paramRef: {name: a}, matchResources: {` + match + `}}}`},
		{"binding", "MutatingAdmissionPolicyBinding", `{}`, `{}`},
	})
}

// What configurations of webhooks are refused for.
func TestWebhookConfiguration_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "ValidatingWebhookConfiguration", `{webhooks: [{` + goodHook + `, rules: [{` + anyRule + `}], matchConditions: [{name: a, expression: "object.metadata.name == 'b'"}]}]}`, nil},
		{"good", "MutatingWebhookConfiguration", `{webhooks: [{` + goodHook + `}]}`, nil},
		{"empty", "MutatingWebhookConfiguration", `{webhooks: [{name: a.b.c}, {name: a.b.c, ` + strings.Replace(goodHook, "name: a.example.com, ", "", 1) + `, reinvocationPolicy: Odd}]}`, []string{
			`webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun`,
			`webhooks[0].clientConfig: Required value: exactly one of url or service is required`,
			`webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1`,
			`webhooks[1].reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"`,
			`webhooks[1].name: Duplicate value: "a.b.c"`}},
		{"bad words", "ValidatingWebhookConfiguration", `{webhooks: [{name: a.b.c, sideEffects: Some, failurePolicy: Odd, matchPolicy: Odd, timeoutSeconds: 31,
			admissionReviewVersions: [v2, v2], clientConfig: {url: "http://a"}}]}`, []string{
			`webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
			`webhooks[0].failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore"`,
			`webhooks[0].matchPolicy: Unsupported value: "Odd": supported values: "Equivalent", "Exact"`,
			`webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`,
			`webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version`,
			`webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1`,
			`webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`}},
		{"rules", "ValidatingWebhookConfiguration", `{webhooks: [{` + goodHook + `, rules: [{}, {operations: ["*", CREATE], apiGroups: ["*", a], apiVersions: ["*", ""],
			resources: ["a/*", "a/b", "*", c], scope: Odd}, {operations: [Odd], apiGroups: [""], apiVersions: [v1], resources: ["*/*", "*/a"]}]}]}`, []string{
			`webhooks[0].rules[0].operations: Required value`, `webhooks[0].rules[0].apiGroups: Required value`,
			`webhooks[0].rules[0].apiVersions: Required value`, `webhooks[0].rules[0].resources: Required value`,
			`webhooks[0].rules[1].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
			`webhooks[0].rules[1].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`,
			`webhooks[0].rules[1].apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
			`webhooks[0].rules[1].apiVersions[1]: Required value`,
			`webhooks[0].rules[1].resources[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`,
			`webhooks[0].rules[1].resources: Invalid value: ["a/*","a/b","*","c"]: if '*' is present, must not specify other resources without subresources`,
			`webhooks[0].rules[1].scope: Unsupported value: "Odd": supported values: "*", "Cluster", "Namespaced"`,
			`webhooks[0].rules[2].operations[0]: Unsupported value: "Odd": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
			`webhooks[0].rules[2].resources[1]: Invalid value: "*/a": if '*/*' is present, must not specify */a`,
			`webhooks[0].rules[2].resources: Invalid value: ["*/*","*/a"]: if '*/*' is present, must not specify other resources`}},
	})
}

// A change of the webhooks is a new generation, and what was wrong may stay.
func TestWebhookConfiguration_Update(t *testing.T) {
	k := mustKind(t, "ValidatingWebhookConfiguration")
	old := mustParse[*admissionv1.ValidatingWebhookConfiguration](t, k, `{webhooks: [{name: a.b.c, sideEffects: Some, admissionReviewVersions: [v9], clientConfig: {url: "https://a"}}]}`)
	k.Default(old)
	k.PrepareForCreate(old)
	same := old.DeepCopy()
	expectErrors(t, replace(k, same, old), nil)
	other := old.DeepCopy()
	*other.Webhooks[0].TimeoutSeconds = 5
	expectErrors(t, replace(k, other, old), nil)
	if same.Generation != 1 || other.Generation != 2 {
		t.Errorf("generations %d and %d", same.Generation, other.Generation)
	}
}

// What policies are refused for; the details of CEL are the library's.
func TestAdmissionPolicy_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "ValidatingAdmissionPolicy", `{metadata: {name: a}, spec: {` + constraints + `, paramKind: {apiVersion: v1, kind: ConfigMap}, variables: [{name: who, expression: "object.metadata.name"}],
			validations: [{expression: "variables.who == params.data.name", messageExpression: "variables.who + ' is bad'", reason: Forbidden}],
			auditAnnotations: [{key: k, valueExpression: "string(variables.who)"}]}}`, nil},
		{"empty", "ValidatingAdmissionPolicy", `{}`, []string{`spec.matchConstraints: Required value`,
			`spec.validations: Required value: validations or auditAnnotations must contain at least one item`,
			`spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item`}},
		{"expressions", "ValidatingAdmissionPolicy", `{metadata: {name: a}, spec: {matchConstraints: {}, paramKind: {apiVersion: a/b/c}, matchConditions: [{expression: " "}],
			variables: [{name: "1", expression: " "}], validations: [{expression: "1"}, {expression: "true", message: "a\nb", reason: Odd, messageExpression: " "}],
			auditAnnotations: [{key: k, valueExpression: "'a'"}, {key: k}]}}`, []string{
			`spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`, `spec.paramKind.kind: Required value`,
			`spec.matchConstraints.resourceRules: Required value`, `spec.matchConditions[0].expression: Required value`, `spec.matchConditions[0].name: Required value`,
			`spec.variables[0].name: Invalid value: "1": name is not a valid CEL identifier`, `spec.variables[0].expression: Required value: expression is not specified`,
			`spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int`,
			`spec.validations[1].messageExpression: Invalid value: " ": must be non-empty if specified`,
			`spec.validations[1].message: Invalid value: "a\nb": message must not contain line breaks`,
			`spec.validations[1].reason: Unsupported value: "Odd": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"`,
			`spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified`, `spec.auditAnnotations[1].key: Duplicate value: "k"`}},
		{"good", "MutatingAdmissionPolicy", `{spec: {` + constraints + `, reinvocationPolicy: Never, mutations: [
			{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"}},
			{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]"}}]}}`, nil},
		{"bad", "MutatingAdmissionPolicy", `{spec: {` + constraints + `, mutations: [{}, {patchType: Odd}, {patchType: JSONPatch, applyConfiguration: {}},
			{patchType: ApplyConfiguration, applyConfiguration: {expression: "1"}}]}}`, []string{
			`spec.mutations[0].patchType: Required value`,
			`spec.mutations[1].patchType: Unsupported value: "Odd": supported values: "ApplyConfiguration", "JSONPatch"`,
			`spec.mutations[2].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`,
			`spec.mutations[2].jsonPatch: Required value: must be specified when patchType is JSONPatch`,
			`spec.mutations[3].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int`,
			`spec.reinvocationPolicy: Required value`}},
		{"good", "ValidatingAdmissionPolicyBinding", `{spec: {policyName: a, validationActions: [Deny, Audit], paramRef: {name: b, parameterNotFoundAction: Deny}, matchResources: {}}}`, nil},
		{"bad", "ValidatingAdmissionPolicyBinding", `{spec: {validationActions: [Deny, Warn, Warn, Odd], paramRef: {name: b, selector: {}, parameterNotFoundAction: Odd}}}`, []string{
			`spec.policyName: Required value`, `spec.paramRef.name: Forbidden: name and selector are mutually exclusive`,
			`spec.paramRef.selector: Forbidden: name and selector are mutually exclusive`,
			`spec.paramRef.parameterNotFoundAction: Unsupported value: "Odd": supported values: "Deny", "Allow"`,
			`spec.validationActions[2]: Duplicate value: "Warn"`, `spec.validationActions[3]: Unsupported value: "Odd": supported values: "Audit", "Deny", "Warn"`,
			`spec.validationActions: Invalid value: ["Deny","Warn","Warn","Odd"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`}},
		{"empty", "MutatingAdmissionPolicyBinding", `{spec: {policyName: A, paramRef: {}}}`, []string{
			`spec.policyName: Invalid value: "A": ` + badSubdomain, `spec.paramRef: Required value: one of name or selector must be specified`,
			`spec.paramRef.parameterNotFoundAction: Required value`}},
	})
}

// An expression that does not compile is refused in new objects, with what the compiler says of it.
func TestAdmissionPolicy_BadExpression(t *testing.T) {
	k := mustKind(t, "ValidatingAdmissionPolicy")
	obj := mustParse[runtime.Object](t, k, `{metadata: {name: a}, spec: {`+constraints+`, validations: [{expression: "object.a +"}]}}`)
	errs := enter(k, obj)
	if len(errs) != 1 || errs[0].Field != "spec.validations[0].expression" || !strings.HasPrefix(errs[0].Detail, "compilation failed: ERROR: <input>:1:11: Syntax error") {
		t.Errorf("got %v", errs)
	}
}

func TestAdmissionRegistration_Cells(t *testing.T) {
	created := `metadata: {name: a, creationTimestamp: "2026-01-02T11:55:00Z"}`
	runCellTests(t, []cellTest{
		{"hooks", "ValidatingWebhookConfiguration", `{` + created + `, webhooks: [{}, {}]}`, []any{"a", int64(2), "5m"}},
		{"policy", "ValidatingAdmissionPolicy", `{` + created + `, spec: {validations: [{}], paramKind: {apiVersion: v1, kind: B}}}`, []any{"a", int64(1), "v1/B", "5m"}},
		{"policy", "MutatingAdmissionPolicy", `{` + created + `}`, []any{"a", int64(0), "<unset>", "5m"}},
		{"binding", "ValidatingAdmissionPolicyBinding", `{` + created + `, spec: {policyName: p, paramRef: {name: b, namespace: c}}}`, []any{"a", "p", "c/b", "5m"}},
		{"binding", "MutatingAdmissionPolicyBinding", `{` + created + `}`, []any{"a", "", "<unset>", "5m"}},
	})
}

// The status of a policy says where its type checker found something.
func TestAdmissionPolicy_ValidateStatus(t *testing.T) {
	k := mustKind(t, "ValidatingAdmissionPolicy")
	obj := mustParse[runtime.Object](t, k, `{status: {typeChecking: {expressionWarnings: [{fieldRef: "spec.validations[0].expression", warning: a}, {fieldRef: "a["}]}}}`)
	expectErrors(t, k.ValidateStatusUpdate(obj, obj), []string{
		`status.typeChecking.expressionWarnings[1].warning: Required value`,
		`status.typeChecking.expressionWarnings[1].fieldRef: Invalid value: "a[": invalid JSONPath: unterminated array`})
}
