package kinds_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

const (
	fiveMinutes = `creationTimestamp: "2026-01-02T11:55:00Z"`
	dnsLabel    = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
	portRange   = `must be between 1 and 65535, inclusive`
)

// What the kinds of networking.k8s.io are refused for.
func TestNetworking_Validate(t *testing.T) {
	backend := `backend: {service: {name: web, port: {number: 80}}}`
	runEntryTests(t, []entryTest{
		{"good", "Ingress", `{spec: {ingressClassName: a.b, tls: [{hosts: ["*.a.b", a.b], secretName: c}], rules: [{host: "*.a.b", http: {paths: [
			{path: /x, pathType: Prefix, ` + backend + `}, {pathType: ImplementationSpecific, ` + backend + `}]}}]}}`, nil},
		{"default backend", "Ingress", `{spec: {defaultBackend: {resource: {apiGroup: a.b, kind: C, name: d}}}}`, nil},
		{"empty", "Ingress", `{}`, []string{"spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"}},
		{"bad paths", "Ingress", `{spec: {rules: [{http: {paths: [{path: x//y/.., pathType: Exact, ` + backend + `},
			{path: x, pathType: ImplementationSpecific, ` + backend + `}, {path: /, pathType: Odd, ` + backend + `}, {path: /}]}}, {http: {paths: []}}]}}`, []string{
			`spec.rules[0].http.paths[0].path: Invalid value: "x//y/..": must be an absolute path`,
			`spec.rules[0].http.paths[0].path: Invalid value: "x//y/..": must not contain '//'`,
			`spec.rules[0].http.paths[0].path: Invalid value: "x//y/..": cannot end with '/..'`,
			`spec.rules[0].http.paths[1].path: Invalid value: "x": must be an absolute path`,
			`spec.rules[0].http.paths[2].pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
			`spec.rules[0].http.paths[3].pathType: Required value: pathType must be specified`,
			`spec.rules[1].http.paths: Required value`}},
		{"bad hosts", "Ingress", `{spec: {ingressClassName: A, tls: [{hosts: [A], secretName: B}], rules: [{host: 1.2.3.4}, {host: "a.*"}]}}`, []string{
			`spec.ingressClassName: Invalid value: "A": ` + badLabel,
			`spec.tls[0].hosts[0]: Invalid value: "A": ` + badLabel,
			`spec.tls[0].secretName: Invalid value: "B": ` + badLabel,
			`spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address`,
			`spec.rules[1].host: Invalid value: "a.*": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`}},
		{"no backend", "Ingress", `{spec: {defaultBackend: {}}}`, []string{`spec.defaultBackend: Invalid value: "": resource or service backend is required`}},
		{"two backends", "Ingress", `{spec: {defaultBackend: {service: {name: a}, resource: {kind: b, name: c}}}}`,
			[]string{`spec.defaultBackend: Invalid value: "": cannot set both resource and service backends`}},
		{"two ports", "Ingress", `{spec: {defaultBackend: {service: {name: A, port: {name: a, number: 1}}}}}`, []string{
			`spec.defaultBackend.service.name: Invalid value: "A": ` + dnsLabel,
			`spec.defaultBackend: Invalid value: "": cannot set both port name & port number`}},
		{"no port", "Ingress", `{spec: {defaultBackend: {service: {}}}}`, []string{
			`spec.defaultBackend.service.name: Required value`,
			`spec.defaultBackend: Required value: port name or number is required`}},
		{"bad port", "Ingress", `{spec: {defaultBackend: {service: {name: a, port: {number: 70000}}}}}`,
			[]string{`spec.defaultBackend.service.port.number: Invalid value: 70000: ` + portRange}},
		{"bad resource", "Ingress", `{spec: {defaultBackend: {resource: {apiGroup: A, kind: a/b}}}}`, []string{
			`spec.defaultBackend.resource.apiGroup: Invalid value: "A": ` + badLabel,
			`spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain '/'`,
			`spec.defaultBackend.resource.name: Required value`}},
		{"two classes", "Ingress", `{metadata: {annotations: {kubernetes.io/ingress.class: a}}, spec: {ingressClassName: b, defaultBackend: {service: {name: a, port: {number: 1}}}}}`,
			[]string{"annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match `ingressClassName` when both are specified"}},

		{"good", "IngressClass", `{spec: {controller: a.b/c, parameters: {apiGroup: a.b, kind: C, name: d}}}`, nil},
		{"of a namespace", "IngressClass", `{spec: {controller: a.b/c, parameters: {kind: C, name: d, scope: Namespace, namespace: e}}}`, nil},
		{"empty", "IngressClass", `{spec: {parameters: {}}}`, []string{`spec.controller: Required value`,
			`spec.parameters.kind: Required value`, `spec.parameters.name: Required value`}},
		{"bad scope", "IngressClass", `{spec: {controller: a.b/c, parameters: {kind: C, name: d, scope: Odd}}}`,
			[]string{`spec.parameters.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespace"`}},
		{"namespace of a cluster", "IngressClass", `{spec: {controller: a.b/c, parameters: {kind: C, name: d, namespace: e}}}`,
			[]string{"spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"}},
		{"no namespace", "IngressClass", `{spec: {controller: a.b/c, parameters: {kind: C, name: d, scope: Namespace}}}`,
			[]string{"spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"}},
		{"no domain", "IngressClass", `{spec: {controller: x}}`,
			[]string{`spec.controller: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")`}},

		{"good", "NetworkPolicy", `{spec: {podSelector: {}, ingress: [{from: [{podSelector: {}, namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}],
			ports: [{port: 80, endPort: 90}, {port: http, protocol: SCTP}, {}]}], egress: [{}]}}`, nil},
		{"bad peers", "NetworkPolicy", `{spec: {ingress: [{from: [{}, {podSelector: {}, ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/16, 10.0.0.0/8]}}, {ipBlock: {cidr: ""}}]}]}}`, []string{
			`spec.ingress[0].from[0]: Required value: must specify a peer`,
			`spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer`,
			"spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: \"11.0.0.0/16\": must be a strict subset of `cidr`",
			"spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: \"10.0.0.0/8\": must be a strict subset of `cidr`",
			`spec.ingress[0].from[2].ipBlock.cidr: Required value`}},
		{"bad ports", "NetworkPolicy", `{spec: {policyTypes: [Odd], egress: [{ports: [{protocol: ICMP}, {endPort: 1}, {port: a, endPort: 1}, {port: 9, endPort: 8}, {port: 0}]}]}}`, []string{
			`spec.policyTypes[0]: Unsupported value: "Odd": supported values: "Ingress", "Egress"`,
			`spec.egress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`,
			"spec.egress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is not specified",
			"spec.egress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is non-numeric",
			"spec.egress[0].ports[3].endPort: Invalid value: 8: must be greater than or equal to `port`",
			`spec.egress[0].ports[4].port: Invalid value: 0: ` + portRange}},
		{"too many types", "NetworkPolicy", `{spec: {policyTypes: [Ingress, Egress, Ingress]}}`,
			[]string{`spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes`}},

		{"good", "IPAddress", `{spec: {parentRef: {resource: services, namespace: a, name: b}}}`, nil},
		{"empty", "IPAddress", `{}`, []string{`spec.parentRef: Required value`}},
		{"bad parent", "IPAddress", `{spec: {parentRef: {group: A, namespace: a/b}}}`, []string{
			`spec.parentRef.group: Invalid value: "A": ` + badLabel,
			`spec.parentRef.resource: Required value`, `spec.parentRef.name: Required value`,
			`spec.parentRef.namespace: Invalid value: "a/b": may not contain '/'`}},

		{"good", "ServiceCIDR", `{spec: {cidrs: [10.0.0.0/8, "fd00::/64"]}}`, nil},
		{"empty", "ServiceCIDR", `{}`, []string{`spec.cidrs: Required value: at least one CIDR required`}},
		{"three", "ServiceCIDR", `{spec: {cidrs: [a, b, c]}}`,
			[]string{`spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values`}},
		{"one family", "ServiceCIDR", `{spec: {cidrs: [10.0.0.0/8, 11.0.0.0/8]}}`,
			[]string{`spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64`}},
	})
	if why := mustKind(t, "IPAddress").ValidateName("10.0.0.1", false); why != nil {
		t.Errorf("an address is refused as name of an IPAddress: %v", why)
	}
	if mustKind(t, "IPAddress").ValidateName("010.0.0.1", false) == nil {
		t.Error("an address in odd form is allowed as name of an IPAddress")
	}
}

// What may not change.
func TestNetworking_ValidateUpdate(t *testing.T) {
	good := `{spec: {ingressClassName: b, defaultBackend: {service: {name: a, port: {number: 1}}}}}`
	runChangeTests(t, []changeTest{
		{"old annotation", "Ingress", good, `{metadata: {annotations: {kubernetes.io/ingress.class: a}}, ` + good[1:], nil},
		{"controller", "IngressClass", `{spec: {controller: a.b/c}}`, `{spec: {controller: a.b/d}}`,
			[]string{`spec.controller: Invalid value: "a.b/d": field is immutable`}},
		{"parent", "IPAddress", `{spec: {parentRef: {resource: a, name: b}}}`, `{spec: {parentRef: {resource: a, name: c}}}`,
			[]string{`spec.parentRef: Invalid value: null: field is immutable`}},
		{"second family", "ServiceCIDR", `{spec: {cidrs: [10.0.0.0/8]}}`, `{spec: {cidrs: [10.0.0.0/8, "fd00::/64"]}}`, nil},
		{"other range", "ServiceCIDR", `{spec: {cidrs: [10.0.0.0/8]}}`, `{spec: {cidrs: [11.0.0.0/8]}}`,
			[]string{`spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable`}},
		{"no range", "ServiceCIDR", `{spec: {cidrs: [10.0.0.0/8]}}`, `{}`, []string{`spec.cidrs: Invalid value: null: field is immutable`}},
	})
}

func TestNetworking_ValidateStatusUpdate(t *testing.T) {
	k := mustKind(t, "Ingress")
	obj := mustParse[runtime.Object](t, k, `{status: {loadBalancer: {ingress: [{ip: 1.2.3.4}, {ip: x}, {hostname: 1.2.3.4}, {hostname: A}]}}}`)
	expectErrors(t, k.ValidateStatusUpdate(obj, k.New()), []string{
		`status.loadBalancer.ingress[1].ip: Invalid value: "x": ` + badIP,
		`status.loadBalancer.ingress[2].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address`,
		`status.loadBalancer.ingress[3].hostname: Invalid value: "A": ` + badLabel})
}

func TestNetworking_Default(t *testing.T) {
	runDefaultTests(t, []defaultTest{
		{"scope", "IngressClass", `{spec: {parameters: {kind: a}}}`, `{spec: {parameters: {kind: a, scope: Cluster}}}`},
		{"no parameters", "IngressClass", `{}`, `{}`},
		{"ingress", "NetworkPolicy", `{spec: {ingress: [{ports: [{port: 80}]}]}}`, `{spec: {policyTypes: [Ingress], ingress: [{ports: [{port: 80, protocol: TCP}]}]}}`},
		{"egress", "NetworkPolicy", `{spec: {egress: [{ports: [{protocol: UDP}]}]}}`, `{spec: {policyTypes: [Ingress, Egress], egress: [{ports: [{protocol: UDP}]}]}}`},
		{"egress alone", "NetworkPolicy", `{spec: {policyTypes: [Egress]}}`, `{spec: {policyTypes: [Egress]}}`},
	})
}

func TestNetworking_Cells(t *testing.T) {
	runCellTests(t, []cellTest{
		{"any host", "Ingress", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {rules: [{}]}}`, []any{"a", "<none>", "*", "", "80", "5m"}},
		{"all", "Ingress", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {ingressClassName: c, tls: [{}], rules: [{host: a}, {host: b}, {host: c}, {host: d}, {host: e}]},
			status: {loadBalancer: {ingress: [{hostname: z}, {ip: 1.2.3.4}, {hostname: z}]}}}`, []any{"a", "c", "a,b,c + 2 more...", "1.2.3.4,z", "80, 443", "5m"}},
		{"default", "IngressClass", `{metadata: {name: a, ` + fiveMinutes + `, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}, spec: {controller: b/c, parameters: {apiGroup: d.e, kind: F, name: g}}}`,
			[]any{"a (default)", "b/c", "F.d.e/g", "5m"}},
		{"plain", "IngressClass", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {controller: b/c}}`, []any{"a", "b/c", "<none>", "5m"}},
		{"all pods", "NetworkPolicy", `{metadata: {name: a, ` + fiveMinutes + `}}`, []any{"a", "<none>", "5m"}},
		{"some pods", "NetworkPolicy", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {podSelector: {matchLabels: {b: c}}}}`, []any{"a", "b=c", "5m"}},
		{"of a Service", "IPAddress", `{metadata: {name: 10.0.0.1}, spec: {parentRef: {resource: services, namespace: a, name: b}}}`, []any{"10.0.0.1", "services/a/b"}},
		{"of another", "IPAddress", `{metadata: {name: 10.0.0.1}, spec: {parentRef: {group: X.y, resource: gates, name: b}}}`, []any{"10.0.0.1", "gates.x.y/b"}},
		{"orphan", "IPAddress", `{metadata: {name: 10.0.0.1}}`, []any{"10.0.0.1", "<none>"}},
		{"two", "ServiceCIDR", `{metadata: {name: a, ` + fiveMinutes + `}, spec: {cidrs: [a, b]}}`, []any{"a", "a,b", "5m"}},
	})
}
