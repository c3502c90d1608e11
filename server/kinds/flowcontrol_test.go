package kinds_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// What the kinds of flowcontrol.apiserver.k8s.io are refused for.
func TestFlowControl_Validate(t *testing.T) {
	all := `{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}`
	urls := `{verbs: ["*"], nonResourceURLs: ["*"]}`
	level := `priorityLevelConfiguration: {name: a}`
	const verbs = `supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`
	runEntryTests(t, []entryTest{
		{"good", "FlowSchema", `{spec: {` + level + `, distinguisherMethod: {type: ByUser}, rules: [{subjects: [{kind: User, user: {name: "*"}},
			{kind: ServiceAccount, serviceAccount: {namespace: a, name: "*"}}], resourceRules: [{verbs: [get], apiGroups: [""], resources: [pods], namespaces: [a]}],
			nonResourceRules: [{verbs: [get], nonResourceURLs: [/, /healthz, "/a/*"]}]}]}}`, nil},
		{"exempt", "FlowSchema", `{metadata: {name: exempt}, spec: {priorityLevelConfiguration: {name: exempt}, matchingPrecedence: 1,
			rules: [{subjects: [{kind: Group, group: {name: "system:masters"}}], resourceRules: [` + all + `], nonResourceRules: [` + urls + `]}]}}`, nil},
		{"catch-all", "FlowSchema", `{metadata: {name: catch-all}, spec: {priorityLevelConfiguration: {name: catch-all}, matchingPrecedence: 10000, distinguisherMethod: {type: ByUser},
			rules: [{subjects: [{kind: Group, group: {name: "system:unauthenticated"}}, {kind: Group, group: {name: "system:authenticated"}}], resourceRules: [` + all + `], nonResourceRules: [` + urls + `]}]}}`, nil},
		{"empty", "FlowSchema", `{}`, []string{`spec.priorityLevelConfiguration.name: Required value: must reference a priority level`}},
		{"too early", "FlowSchema", `{metadata: {name: a}, spec: {` + level + `, matchingPrecedence: 1}}`,
			[]string{`spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1`}},
		{"negative", "FlowSchema", `{spec: {` + level + `, matchingPrecedence: -1}}`, []string{`spec.matchingPrecedence: Invalid value: -1: must be a positive value`}},
		{"too late", "FlowSchema", `{spec: {` + level + `, matchingPrecedence: 10001, distinguisherMethod: {type: Odd}}}`, []string{
			`spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000`,
			`spec.distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"`}},
		{"empty rule", "FlowSchema", `{spec: {` + level + `, rules: [{}]}}`, []string{
			`spec.rules[0].subjects: Required value: subjects must contain at least one value`,
			`spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty`}},
		{"bad subjects", "FlowSchema", `{spec: {` + level + `, rules: [{nonResourceRules: [` + urls + `], subjects: [{kind: Odd}, {kind: User, group: {name: a}},
			{kind: Group, group: {name: ""}, user: {name: a}, serviceAccount: {}}, {kind: ServiceAccount}, {kind: ServiceAccount, serviceAccount: {name: A}}]}]}}`, []string{
			`spec.rules[0].subjects[0].kind: Unsupported value: "Odd": supported values: "Group", "ServiceAccount", "User"`,
			`spec.rules[0].subjects[1].user: Required value: user is required when subject kind is 'User'`,
			`spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
			`spec.rules[0].subjects[2].group.name: Required value`,
			`spec.rules[0].subjects[2].user: Forbidden: user is forbidden when subject kind is not 'User'`,
			`spec.rules[0].subjects[2].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
			`spec.rules[0].subjects[3].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'`,
			`spec.rules[0].subjects[4].serviceAccount.name: Invalid value: "A": ` + badLabel,
			`spec.rules[0].subjects[4].serviceAccount.namespace: Required value: must specify namespace for service account`}},
		{"bad rules", "FlowSchema", `{spec: {` + level + `, rules: [{subjects: [{kind: User, user: {name: a}}], resourceRules: [{}, {verbs: [get, "*"], apiGroups: [a, "*"], resources: [b, "*"], namespaces: [A]}],
			nonResourceRules: [{verbs: [head], nonResourceURLs: [a, "/b c", //, "/*/d", ""]}]}]}}`, []string{
			`spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value`,
			`spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group`,
			`spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource`,
			`spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace`,
			`spec.rules[0].resourceRules[1].verbs: Invalid value: ["get","*"]: if '*' is present, must not specify other verbs`,
			`spec.rules[0].resourceRules[1].apiGroups: Invalid value: ["a","*"]: if '*' is present, must not specify other api groups`,
			`spec.rules[0].resourceRules[1].resources: Invalid value: ["b","*"]: if '*' is present, must not specify other resources`,
			`spec.rules[0].resourceRules[1].namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; ` + dnsLabel,
			`spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["head"]: ` + verbs,
			`spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash`,
			`spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/b c": must not contain white-space`,
			`spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "//": must not contain double slash`,
			`spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/*/d": wildcard can only do suffix matching`,
			`spec.rules[0].nonResourceRules[0].nonResourceURLs[4]: Invalid value: "": must not be empty`}},

		{"good", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {}}}}}`, nil},
		{"exempt", "PriorityLevelConfiguration", `{metadata: {name: exempt}, spec: {type: Exempt, exempt: {lendablePercent: 50}}}`, nil},
		{"catch-all", "PriorityLevelConfiguration", `{metadata: {name: catch-all}, spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}}}`, nil},
		{"empty", "PriorityLevelConfiguration", `{}`, []string{`spec.type: Required value`}},
		{"another exempt", "PriorityLevelConfiguration", `{spec: {type: Exempt, limited: {limitResponse: {type: Reject}}, exempt: {nominalConcurrencyShares: -1, lendablePercent: 101}}}`, []string{
			`spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if ` + "`name` is 'exempt'",
			`spec.limited: Forbidden`,
			`spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer`,
			`spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive`}},
		{"without limits", "PriorityLevelConfiguration", `{spec: {type: Limited, exempt: {}}}`, []string{`spec.limited: Required value`, `spec.exempt: Forbidden`}},
		{"bad limits", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {borrowingLimitPercent: -1, limitResponse: {type: Reject, queuing: {}}}}}`, []string{
			`spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer`,
			`spec.limited.limitResponse.queuing: Forbidden`}},
		{"no queues", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {limitResponse: {type: Queue}}}}`, []string{`spec.limited.limitResponse.queuing: Required value`}},
		{"bad queues", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 20000000, handSize: -1, queueLengthLimit: -1}}}}}`, []string{
			`spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive`,
			`spec.limited.limitResponse.queuing.queues: Invalid value: 20000000: must not be greater than 10000000`,
			`spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive`}},
		{"large hand", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 2, handSize: 3}}}}}`,
			[]string{`spec.limited.limitResponse.queuing.handSize: Invalid value: 3: should not be greater than queues (2)`}},
		{"many bits", "PriorityLevelConfiguration", `{spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 512, handSize: 8}}}}}`,
			[]string{`spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60`}},
	})
}

// What may not be changed is what every cluster has.
func TestFlowControl_Fixed(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"exempt", "FlowSchema", `{metadata: {name: exempt}, spec: {priorityLevelConfiguration: {name: exempt}, matchingPrecedence: 2}}`, []string{
			`spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":2,"DistinguisherMethod":null,"Rules":null}: spec of 'exempt' must equal the fixed value`}},
		{"catch-all", "PriorityLevelConfiguration", `{metadata: {name: catch-all}, spec: {type: Limited, limited: {limitResponse: {type: Reject}}}}`, []string{
			`spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`}},
		{"exempt", "PriorityLevelConfiguration", `{metadata: {name: exempt}, spec: {type: Exempt, limited: {limitResponse: {type: Reject}}}}`, []string{
			`spec.limited: Forbidden`,
			`spec: Invalid value: {"Type":"Exempt","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value`}},
	})
}

func TestFlowControl_ValidateStatusUpdate(t *testing.T) {
	for _, kind := range []string{"FlowSchema", "PriorityLevelConfiguration"} {
		k := mustKind(t, kind)
		obj := mustParse[runtime.Object](t, k, `{status: {conditions: [{type: a}, {type: a}, {}]}}`)
		expectErrors(t, k.ValidateStatusUpdate(obj, k.New()), []string{
			`status.conditions[1].type: Duplicate value: "a"`, `status.conditions[2].type: Required value: must not be empty`})
	}
}

func TestFlowControl_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"precedence", "FlowSchema", `{}`, `{spec: {matchingPrecedence: 1000}}`},
		{"queues", "PriorityLevelConfiguration", `{spec: {limited: {limitResponse: {queuing: {}}}}}`,
			`{spec: {limited: {nominalConcurrencyShares: 30, lendablePercent: 0, limitResponse: {queuing: {queues: 64, handSize: 8, queueLengthLimit: 50}}}}}`},
		{"exempt", "PriorityLevelConfiguration", `{spec: {exempt: {}}}`, `{spec: {exempt: {nominalConcurrencyShares: 0, lendablePercent: 0}}}`},
		{"a jail", "PriorityLevelConfiguration", `{spec: {limited: {nominalConcurrencyShares: 0}}}`, `{spec: {limited: {nominalConcurrencyShares: 0, lendablePercent: 0}}}`},
	})
}

func TestFlowControl_Cells(t *testing.T) {
	runCellTests(t, []cellTest{
		{"fresh", "FlowSchema", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {matchingPrecedence: 7, priorityLevelConfiguration: {name: b}}}`, []any{"a", "b", int64(7), "<none>", "5m", "?"}},
		{"seen", "FlowSchema", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Dangling, status: "False"}]}}`,
			[]any{"a", "", int64(0), "ByUser", "5m", "False"}},
		{"exempt", "PriorityLevelConfiguration", `{metadata: {name: exempt, ` + fiveMinutes + `}, spec: {type: Exempt}}`, []any{"exempt", "Exempt", "<none>", "<none>", "<none>", "<none>", "5m"}},
		{"queues", "PriorityLevelConfiguration", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {type: Limited, limited: {nominalConcurrencyShares: 3, limitResponse: {type: Queue, queuing: {queues: 1, handSize: 2, queueLengthLimit: 4}}}}}`,
			[]any{"a", "Limited", int64(3), int64(1), int64(2), int64(4), "5m"}},
	})
}
