package program_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program/programtest"
)

// A policy is followed with parameters of a kind of one's own, which come out of the cache: plugins do
// not list and watch them over the port. One that they have not heard of they get.
func TestPolicies_customParameters(t *testing.T) {
	p, client := mustGuard(t)
	const limits = "/apis/example.com/v1/limits"
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, `{"metadata":{"name":"limits.example.com"},"spec":{
		"group":"example.com","scope":"Cluster","names":{"plural":"limits","singular":"limit","kind":"Limit"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"most":{"type":"integer"}}}}}]}}`)
	programtest.Eventually(t, "the kind is served", func() bool { code, _ := programtest.Call(t, "GET", p.URL+limits, "", ""); return code == 200 })
	api := client.AdmissionregistrationV1()
	must[*admissionregistrationv1.ValidatingAdmissionPolicy](t)(api.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: programtest.Rules(admissionregistrationv1.Create)[0]}}},
			ParamKind:        &admissionregistrationv1.ParamKind{APIVersion: "example.com/v1", Kind: "Limit"},
			Validations:      []admissionregistrationv1.Validation{{Expression: "!has(object.data) || size(object.data) <= params.most", MessageExpression: "'at most ' + string(params.most)"}},
		},
	}, metav1.CreateOptions{}))
	deny := admissionregistrationv1.DenyAction
	must[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](t)(api.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: "few", ValidationActions: []admissionregistrationv1.ValidationAction{"Deny"}, ParamRef: &admissionregistrationv1.ParamRef{Name: "strict", ParameterNotFoundAction: &deny},
		},
	}, metav1.CreateOptions{}))
	three := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "three", Namespace: "default"}, Data: map[string]string{"a": "", "b": "", "c": ""}}
	says := func(want string) func() bool {
		return func() bool {
			_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), three, metav1.CreateOptions{DryRun: []string{"All"}})
			return want == "" && err == nil || want != "" && err != nil && strings.Contains(err.Error(), want)
		}
	}
	programtest.Eventually(t, "the policy is followed, and lacks its parameters", says("no params found for policy binding with `Deny` parameterNotFoundAction"))
	programtest.MustCall(t, 201, "POST", p.URL+limits, programtest.JSONType, `{"apiVersion":"example.com/v1","kind":"Limit","metadata":{"name":"strict"},"most":2}`)
	programtest.Eventually(t, "parameters come", says("denied request: at most 2"))
	programtest.MustCall(t, 200, "PATCH", p.URL+limits+"/strict", programtest.MergeType, `{"most":3}`)
	programtest.Eventually(t, "parameters change", says(""))
	flows, _ := p.Log.Since(0, 0)
	for _, f := range flows {
		if f.Path == limits && strings.Contains(f.Client.UserAgent, "admission") {
			t.Errorf("plugins follow their parameters over the port: %s %s?%s", f.Method, f.Path, f.Query)
		}
	}
}
