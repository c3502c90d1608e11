package registry_test

import (
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/server/authz"
)

func validatingPolicy(name, apiVersion, kind string) string {
	return `{metadata: {name: ` + name + `}, spec: {paramKind: {apiVersion: ` + apiVersion + `, kind: ` + kind + `}, validations: [{expression: "true"}],
matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}}}`
}

func validatingBinding(name, policy string) string {
	return `{metadata: {name: ` + name + `}, spec: {policyName: ` + policy + `, validationActions: [Deny],
paramRef: {name: x, namespace: demo, parameterNotFoundAction: Deny}}}`
}

func mutatingPolicy(name, apiVersion, kind string) string {
	return `{metadata: {name: ` + name + `}, spec: {paramKind: {apiVersion: ` + apiVersion + `, kind: ` + kind + `}, reinvocationPolicy: Never,
matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]},
mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{}"}}]}}`
}

func mutatingBinding(name, policy string) string {
	return `{metadata: {name: ` + name + `}, spec: {policyName: ` + policy + `, paramRef: {name: x, namespace: demo, parameterNotFoundAction: Deny}}}`
}

// Who writes an admission policy or its binding must be allowed to read its parameters. The answers are those of
// kube-apiserver 1.37.
func TestRegistry_policyParameters(t *testing.T) {
	r, factory := mustAuthorized(t, authz.Modes{authz.ModeRBAC})
	root := user.DefaultInfo{Name: "root", Groups: []string{"system:masters"}}
	for _, w := range []write{
		{verb: "create", resource: "clusterroles", body: `{metadata: {name: pol}, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}`},
		{verb: "create", resource: "clusterrolebindings", body: binding("pol", "ClusterRole", "pol", "pol")},
		{verb: "create", resource: "validatingadmissionpolicies", body: validatingPolicy("p4", "v1", "ConfigMap")},
		{verb: "create", resource: "validatingadmissionpolicies", body: validatingPolicy("p5", "a.b/v1", "Odd")},
		{verb: "create", resource: "mutatingadmissionpolicies", body: mutatingPolicy("m4", "v1", "ConfigMap")},
	} {
		if err := w.do(t, r, root); err != nil {
			t.Fatal(err)
		}
	}
	await(t, factory, "pol")
	const (
		pol     = "user &{pol  [system:authenticated] map[]} "
		all     = `is invalid: spec.paramKind: Forbidden: ` + pol + `must have "get" permission on all objects of the referenced paramKind `
		unknown = ` to determine minimum required permissions and ` + pol + `does not have "get" permission for all groups, versions and resources`
	)
	who := user.DefaultInfo{Name: "pol", Groups: []string{"system:authenticated"}}
	for _, w := range []write{
		{"a kind that may not be read", "create", "validatingadmissionpolicies", "", validatingPolicy("p1", "v1", "ConfigMap"),
			`ValidatingAdmissionPolicy.admissionregistration.k8s.io "p1" ` + all + `(kind=ConfigMap, apiVersion=v1)`, 422},
		{"one that may", "create", "validatingadmissionpolicies", "", validatingPolicy("p2", "v1", "Secret"), "", 0},
		{"one that is not served", "create", "validatingadmissionpolicies", "", validatingPolicy("p3", "a.b/v1", "Odd"),
			`ValidatingAdmissionPolicy.admissionregistration.k8s.io "p3" ` + all + `(kind=Odd, apiVersion=a.b/v1)`, 422},
		{"a binding to what may be read", "create", "validatingadmissionpolicybindings", "", validatingBinding("b1", "p2"), "", 0},
		{"to nothing", "create", "validatingadmissionpolicybindings", "", validatingBinding("b2", "none"),
			`ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b2" is invalid: spec.paramRef: Forbidden: unable to get policy none` + unknown, 422},
		{"to what may not be read", "create", "validatingadmissionpolicybindings", "", validatingBinding("b3", "p4"),
			`ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b3" is invalid: spec.paramRef: Forbidden: ` + pol + `does not have "get" permission on the object referenced by paramRef`, 422},
		{"to what is not served", "create", "validatingadmissionpolicybindings", "", validatingBinding("b4", "p5"),
			`ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b4" is invalid: spec.paramRef: Forbidden: unable to resolve paramKind &{a.b/v1 Odd}` + unknown, 422},
		{"a mutating one", "create", "mutatingadmissionpolicies", "", mutatingPolicy("m1", "v1", "ConfigMap"),
			`MutatingAdmissionPolicy.admissionregistration.k8s.io "m1" ` + all + `(kind=ConfigMap, apiVersion=v1)`, 422},
		{"a mutating one that may", "create", "mutatingadmissionpolicies", "", mutatingPolicy("m2", "v1", "Secret"), "", 0},
		{"a mutating binding", "create", "mutatingadmissionpolicybindings", "", mutatingBinding("b1", "m2"), "", 0},
		{"a mutating binding to nothing", "create", "mutatingadmissionpolicybindings", "", mutatingBinding("b2", "none"),
			`MutatingAdmissionPolicyBinding.admissionregistration.k8s.io "b2" is invalid: spec.paramRef: Forbidden: unable to get policy none` + unknown, 422},
		{"a mutating binding to what may not be read", "create", "mutatingadmissionpolicybindings", "", mutatingBinding("b3", "m4"),
			`MutatingAdmissionPolicyBinding.admissionregistration.k8s.io "b3" is invalid: spec.paramRef: Forbidden: user get does not have "&{pol  [system:authenticated] map[]}" permission on the object referenced by paramRef`, 422},
	} {
		w.expect(t, w.do(t, r, who))
	}
}
