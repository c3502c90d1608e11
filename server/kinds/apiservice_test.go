package kinds_test

import (
	"testing"

	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// What an APIService is refused for.
func TestAPIService_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"core", "APIService", `{metadata: {name: v1.}, spec: {version: v1, groupPriorityMinimum: 18000, versionPriority: 1}}`, nil},
		{"good", "APIService", `{metadata: {name: v1.a.b}, spec: {version: v1, group: a.b, groupPriorityMinimum: 1, versionPriority: 1, service: {namespace: ns, name: s}}}`, nil},
		{"empty", "APIService", `{metadata: {name: a}, spec: {version: V, caBundle: YQ==, insecureSkipTLSVerify: true}}`, []string{
			"metadata.name: Invalid value: \"a\": must be `spec.version+\".\"+spec.group`: \"V.\"",
			`spec.group: Required value: only v1 may have an empty group and it better be legacy kube`,
			`spec.version: Invalid value: "V": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
			`spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000`,
			`spec.versionPriority: Invalid value: 0: must be positive and less than 1000`,
			`spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle`,
			`spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify`}},
		{"service", "APIService", `{metadata: {name: v1.a}, spec: {version: v1, group: a, groupPriorityMinimum: 1, versionPriority: 1, caBundle: YQ==, insecureSkipTLSVerify: true, service: {port: 0}}}`, []string{
			`spec.service.namespace: Required value`, `spec.service.name: Required value`,
			`spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
			`spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present`}},
	})
}

// What the server serves itself is available at once; what a Service serves is when somebody says so.
func TestAPIService_Available(t *testing.T) {
	k := mustKind(t, "APIService")
	local := mustParse[*apiregistrationv1.APIService](t, k, `{metadata: {name: v1.a}}`)
	k.PrepareForCreate(local)
	if c := local.Status.Conditions; len(c) != 1 || c[0].Reason != "Local" || c[0].Status != "True" {
		t.Errorf("conditions %+v", c)
	}
	runCellTests(t, []cellTest{
		{"remote", "APIService", `{metadata: {name: a}, spec: {service: {namespace: ns, name: s}}}`, []any{"a", "ns/s", "Unknown", "<unknown>"}},
		{"down", "APIService", `{metadata: {name: a}, status: {conditions: [{type: Available, status: "False", reason: Down}]}}`, []any{"a", "Local", "False (Down)", "<unknown>"}},
	})
	local.Status.Conditions[0].Status = "Odd"
	expectErrors(t, k.ValidateStatusUpdate(local, local), []string{
		`status.conditions[0].status: Unsupported value: "Odd": supported values: "True", "False", "Unknown"`})
}
