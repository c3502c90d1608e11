package kinds_test

import "testing"

const (
	pathName = `metadata: {name: "system:a", creationTimestamp: "2026-01-02T11:55:00Z"}`
	badLabel = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
)

// What RBAC objects are refused for.
func TestRBAC_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "Role", `{rules: [{verbs: [get], apiGroups: [""], resources: [pods], resourceNames: [a]}]}`, nil},
		{"no rules", "Role", `{}`, nil},
		{"empty rule", "Role", `{rules: [{}]}`, []string{
			`rules[0].verbs: Required value`,
			`rules[0].apiGroups: Required value: resource rules must supply at least one api group`,
			`rules[0].resources: Required value: resource rules must supply at least one resource`}},
		{"URLs", "Role", `{rules: [{verbs: [get], nonResourceURLs: [/healthz]}]}`,
			[]string{`rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs`}},
		{"URLs", "ClusterRole", `{rules: [{verbs: [get], nonResourceURLs: [/healthz]}]}`, nil},
		{"URLs and resources", "ClusterRole", `{rules: [{verbs: [get], nonResourceURLs: [/x], resources: [pods]}]}`,
			[]string{`rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs`}},
		{"aggregated", "ClusterRole", `{aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`, nil},
		{"aggregates nothing", "ClusterRole", `{aggregationRule: {}}`,
			[]string{`aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`}},
		{"good", "RoleBinding", `{roleRef: {kind: Role, name: "system:a"}, subjects: [{kind: User, name: a}, {kind: Group, name: b}, {kind: ServiceAccount, name: c}]}`, nil},
		{"empty", "RoleBinding", `{}`, []string{
			`roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"`, `roleRef.name: Required value`}},
		{"foreign role", "RoleBinding", `{roleRef: {apiGroup: x, kind: ClusterRole, name: a/b}}`, []string{
			`roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"`,
			`roleRef.name: Invalid value: "a/b": may not contain '/'`}},
		{"of the namespace", "ClusterRoleBinding", `{roleRef: {kind: Role, name: a}}`,
			[]string{`roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"`}},
		{"bad subjects", "ClusterRoleBinding", `{roleRef: {kind: ClusterRole, name: a}, subjects: [
			{kind: ServiceAccount, name: A, apiGroup: x}, {kind: User, apiGroup: z}, {kind: Dog, name: b}]}`, []string{
			`subjects[0].name: Invalid value: "A": ` + badLabel,
			`subjects[0].apiGroup: Unsupported value: "x": supported values: ""`,
			`subjects[0].namespace: Required value`,
			`subjects[1].name: Required value`,
			`subjects[1].name: Invalid value: "": user name cannot be empty`,
			`subjects[1].apiGroup: Unsupported value: "z": supported values: "rbac.authorization.k8s.io"`,
			`subjects[2].kind: Unsupported value: "Dog": supported values: "ServiceAccount", "User", "Group"`}},
	})
	k := mustKind(t, "Role")
	if why := k.ValidateName("system:node", false); why != nil {
		t.Errorf("a name with a colon is refused: %v", why)
	}
	if k.ValidateName("a/b", false) == nil {
		t.Error("a name with a slash is allowed")
	}
}

// A binding hands out one role all its life.
func TestRBAC_ValidateUpdate(t *testing.T) {
	runChangeTests(t, []changeTest{
		{"other subjects", "RoleBinding", `{roleRef: {kind: Role, name: a}}`, `{roleRef: {kind: Role, name: a}, subjects: [{kind: User, name: a}]}`, nil},
		{"other role", "RoleBinding", `{roleRef: {kind: Role, name: a}}`, `{roleRef: {kind: Role, name: b}}`,
			[]string{`roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef`}},
		{"other role", "ClusterRoleBinding", `{roleRef: {kind: ClusterRole, name: a}}`, `{roleRef: {kind: ClusterRole, name: b}}`,
			[]string{`roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"b"}: cannot change roleRef`}},
	})
}

// Groups are filled in where they can only be one.
func TestRBAC_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"groups", "RoleBinding", `{roleRef: {kind: Role, name: a}, subjects: [{kind: User, name: a}, {kind: ServiceAccount, name: b}]}`,
			`{roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a},
			subjects: [{kind: User, name: a, apiGroup: rbac.authorization.k8s.io}, {kind: ServiceAccount, name: b}]}`},
		{"groups", "ClusterRoleBinding", `{subjects: [{kind: Group, name: a}]}`,
			`{roleRef: {apiGroup: rbac.authorization.k8s.io}, subjects: [{kind: Group, name: a, apiGroup: rbac.authorization.k8s.io}]}`},
	})
}

// What "kubectl get" shows.
func TestRBAC_Cells(t *testing.T) {
	subjects := `subjects: [{kind: User, name: u}, {kind: Group, name: g}, {kind: Group, name: h}, {kind: ServiceAccount, namespace: ns, name: s}]`
	runCellTests(t, []cellTest{
		{"plain", "Role", `{` + pathName + `}`, []any{"system:a", "2026-01-02T11:55:00Z"}},
		{"plain", "ClusterRole", `{` + pathName + `}`, []any{"system:a", "2026-01-02T11:55:00Z"}},
		{"all", "RoleBinding", `{` + pathName + `, roleRef: {kind: Role, name: r}, ` + subjects + `}`,
			[]any{"system:a", "Role/r", "5m", "u", "g, h", "ns/s"}},
		{"none", "ClusterRoleBinding", `{` + pathName + `, roleRef: {kind: ClusterRole, name: r}}`,
			[]any{"system:a", "ClusterRole/r", "5m", "", "", ""}},
	})
}
