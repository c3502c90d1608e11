package kinds_test

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// What EndpointSlices and RuntimeClasses are refused for.
func TestEndpointSlice_Validate(t *testing.T) {
	runEntryTests(t, []entryTest{
		{"good", "EndpointSlice", `{addressType: IPv4, endpoints: [{addresses: [10.0.0.1], nodeName: a, hostname: b, hints: {forZones: [{name: c}], forNodes: [{name: d}]}}], ports: [{port: 80}, {name: x, appProtocol: http}]}`, nil},
		{"empty", "EndpointSlice", `{}`, []string{`addressType: Required value`}},
		{"odd type", "EndpointSlice", `{addressType: IP}`, []string{`addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"`}},
		{"bad addresses", "EndpointSlice", `{addressType: IPv4, endpoints: [{addresses: []}, {addresses: [127.0.0.1, x]}]}`, []string{
			`endpoints[0].addresses: Required value`,
			`endpoints[1].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`,
			`endpoints[1].addresses[1]: Invalid value: "x": ` + badIP}},
		{"leading zeros", "EndpointSlice", `{addressType: IPv6, endpoints: [{addresses: ["FD00::1"]}]}`,
			[]string{`endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in canonical form ("fd00::1")`}},
		{"of another family", "EndpointSlice", `{addressType: IPv6, endpoints: [{addresses: [10.0.0.1]}]}`,
			[]string{`endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address`}},
		{"bad names", "EndpointSlice", `{addressType: FQDN, endpoints: [{addresses: [a.b], nodeName: A, hostname: B, hints: {forZones: [{name: c}, {name: c}], forNodes: [{name: D}]}}]}`, []string{
			`endpoints[0].nodeName: Invalid value: "A": ` + badLabel,
			`endpoints[0].hostname: Invalid value: "B": ` + dnsLabel,
			`endpoints[0].hints.forZones[1].name: Duplicate value: "c"`,
			`endpoints[0].hints.forNodes[0].name: Invalid value: "D": ` + badLabel}},
		{"bad ports", "EndpointSlice", `{addressType: IPv4, ports: [{name: A}, {}, {}, {name: x, protocol: ICMP, appProtocol: "a b"}]}`, []string{
			`ports[0].name: Invalid value: "A": ` + dnsLabel,
			`ports[2].name: Duplicate value: ""`,
			`ports[3].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
			`ports[3].appProtocol: Invalid value: "a b": ` + qualifiedName}},

		{"good", "RuntimeClass", `{handler: a, overhead: {podFixed: {cpu: 1m}}, scheduling: {nodeSelector: {a: b}, tolerations: [{operator: Exists}]}}`, nil},
		{"twice", "RuntimeClass", `{handler: a, scheduling: {tolerations: [{key: b, operator: Exists}, {key: b, operator: Exists}]}}`, []string{
			`scheduling.tolerations[1]: Duplicate value: {"Key":"b","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}`}},
		{"empty", "RuntimeClass", `{}`, []string{`handler: Required value`}},
		{"bad", "RuntimeClass", `{handler: A, overhead: {podFixed: {cpu: "-1"}}, scheduling: {tolerations: [{}]}}`, []string{
			`handler: Invalid value: "A": ` + dnsLabel,
			`overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
			`scheduling.tolerations[0].operator: Invalid value: "": operator must be Exists when ` + "`key` is empty, which means \"match all values and all keys\""}},
	})
	runChangeTests(t, []changeTest{
		{"type", "EndpointSlice", `{addressType: IPv4}`, `{addressType: IPv6}`, []string{`addressType: Invalid value: null: field is immutable`}},
		{"handler", "RuntimeClass", `{handler: a}`, `{handler: b}`, []string{`handler: Invalid value: null: field is immutable`}},
	})
	runDefaultTests(t, []defaultTest{
		{"ports", "EndpointSlice", `{ports: [{port: 80}]}`, `{ports: [{port: 80, name: "", protocol: TCP}]}`},
		{"overhead", "RuntimeClass", `{overhead: {podFixed: {cpu: 1u}}}`, `{overhead: {podFixed: {cpu: 1m}}}`},
	})
}

func TestEndpointSlice_Cells(t *testing.T) {
	runCellTests(t, []cellTest{
		{"many", "EndpointSlice", `{metadata: {name: a, ` + fiveMinutes + `}, addressType: IPv4, ports: [{port: 80}, {name: b}, {}], endpoints: [{addresses: [x, w]}, {addresses: [z]}, {addresses: [u, v]}]}`,
			[]any{"a", "IPv4", "80,b,*", "x,w,z + 2 more...", "5m"}},
		{"none", "EndpointSlice", `{metadata: {name: a, ` + fiveMinutes + `}, addressType: FQDN}`, []any{"a", "FQDN", "<unset>", "<unset>", "5m"}},
		{"plain", "RuntimeClass", `{metadata: {name: a, ` + fiveMinutes + `}, handler: b}`, []any{"a", "b", "5m"}},
	})
}

// The generation of an EndpointSlice counts changes of endpoints, ports and labels, and the old topology is dropped.
func TestEndpointSlice_Generation(t *testing.T) {
	k := mustKind(t, "EndpointSlice")
	old := mustParse[*discoveryv1.EndpointSlice](t, k, `{metadata: {generation: 7}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1], deprecatedTopology: {a: b}}]}`)
	enter(k, old)
	if old.Generation != 1 || old.Endpoints[0].DeprecatedTopology != nil {
		t.Errorf("created with generation %d and topology %v", old.Generation, old.Endpoints[0].DeprecatedTopology)
	}
	for text, want := range map[string]int64{
		`{addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], metadata: {generation: 1, annotations: {a: b}}}`: 1,
		`{addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], metadata: {generation: 1, labels: {a: b}}}`:      2,
		`{addressType: IPv4, endpoints: [{addresses: [10.0.0.2]}], metadata: {generation: 1}}`:                      2,
		`{addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], ports: [{}], metadata: {generation: 1}}`:         2,
	} {
		s := mustParse[*discoveryv1.EndpointSlice](t, k, text)
		replace(k, s, old)
		if s.Generation != want {
			t.Errorf("%s: generation %d, want %d", text, s.Generation, want)
		}
	}
}
