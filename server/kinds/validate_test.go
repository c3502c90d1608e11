package kinds_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	badDataKey = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`
	badIP      = `must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`
)

// What a create is refused for, and what it is not.
func TestKind_Validate(t *testing.T) {
	tests := []struct {
		name, kind, text string
		want             []string
	}{
		{"good", "Namespace", `{metadata: {name: a}, spec: {finalizers: [a.b/c, orphan]}}`, nil},
		{"finalizer without domain", "Namespace", `{metadata: {name: a}, spec: {finalizers: [x]}}`,
			[]string{`spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified`}},

		{"good", "ConfigMap", `{data: {a.b-c_D: x}, binaryData: {b: AA==}}`, nil},
		{"bad keys", "ConfigMap", `{data: {"a b": x, .: y}, binaryData: {"c/d": AA==}}`, []string{
			`data[a b]: Invalid value: "a b": ` + badDataKey,
			`data[.]: Invalid value: ".": must not be '.'`,
			`binaryData[c/d]: Invalid value: "c/d": ` + badDataKey}},
		{"key twice", "ConfigMap", `{data: {a: x}, binaryData: {a: AA==}}`, []string{
			`data[a]: Invalid value: "a": duplicate of key present in binaryData`,
			`binaryData[a]: Invalid value: "a": duplicate of key present in data`}},
		{"as large as may be", "ConfigMap", `{data: {a: ` + strings.Repeat("x", 1<<20) + `}}`, nil},
		{"too large", "ConfigMap", `{data: {a: ` + strings.Repeat("x", 1<<20) + `, b: y}}`, []string{`[]: Too long: may not be more than 1048576 bytes`}},

		{"good", "Secret", `{stringData: {a: x}}`, nil},
		{"too large", "Secret", `{stringData: {a: ` + strings.Repeat("x", 1<<20) + `, b: y}}`, []string{`data: Too long: may not be more than 1048576 bytes`}},
		{"bad key", "Secret", `{stringData: {"..": x}}`, []string{`data[..]: Invalid value: "..": must not be '..'`}},
		{"token without account", "Secret", `{type: kubernetes.io/service-account-token}`,
			[]string{`metadata.annotations[kubernetes.io/service-account.name]: Required value`}},
		{"token", "Secret", `{metadata: {annotations: {kubernetes.io/service-account.name: a}}, type: kubernetes.io/service-account-token}`, nil},
		{"dockercfg empty", "Secret", `{type: kubernetes.io/dockercfg}`, []string{`data[.dockercfg]: Required value`}},
		{"dockerconfig no JSON", "Secret", `{type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: "{"}}`,
			[]string{`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input`}},
		{"basic auth empty", "Secret", `{type: kubernetes.io/basic-auth}`, []string{`data[username]: Required value`, `data[password]: Required value`}},
		{"basic auth half", "Secret", `{type: kubernetes.io/basic-auth, stringData: {password: ""}}`, nil},
		{"ssh empty", "Secret", `{type: kubernetes.io/ssh-auth, stringData: {ssh-privatekey: ""}}`, []string{`data[ssh-privatekey]: Required value`}},
		{"tls half", "Secret", `{type: kubernetes.io/tls, stringData: {tls.crt: ""}}`, []string{`data[tls.key]: Required value`}},
		{"own type", "Secret", `{type: a.b/c}`, nil},

		{"good", "Lease", `{spec: {leaseDurationSeconds: 1, leaseTransitions: 0}}`, nil},
		{"election is dropped", "Lease", `{spec: {strategy: x, preferredHolder: y}}`, nil},
		{"bad numbers", "Lease", `{spec: {leaseDurationSeconds: 0, leaseTransitions: -1}}`, []string{
			`spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0`,
			`spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0`}},

		{"of a cluster's object", "Event", `{metadata: {name: a, namespace: default}, involvedObject: {kind: Node}}`, nil},
		{"beside its object", "Event", `{metadata: {name: a, namespace: n1}, involvedObject: {namespace: n1}}`, nil},
		{"elsewhere", "Event", `{metadata: {name: a, namespace: n1}, involvedObject: {namespace: n2}}`,
			[]string{`involvedObject.namespace: Invalid value: "n2": does not match event.namespace`}},
		{"of a cluster's object elsewhere", "Event", `{metadata: {name: a, namespace: n1}}`,
			[]string{`involvedObject.namespace: Invalid value: "": does not match event.namespace`}},
		{"timed", "Event", `{metadata: {name: a, namespace: n1}, involvedObject: {namespace: n1}, eventTime: "2026-01-02T03:04:05.000000Z",
			reportingComponent: a.b/c, reportingInstance: i, action: x, reason: y}`, nil},
		{"nobody reports", "Event", `{metadata: {name: a, namespace: n1}, involvedObject: {namespace: n1}, eventTime: "2026-01-02T03:04:05.000000Z",
			reportingInstance: i, action: x, reason: y}`, []string{`reportingComponent: Required value`,
			`reportingComponent: Invalid value: "": name part must be non-empty`, `reportingComponent: Invalid value: "": ` + badNamePart}},
		{"timed and bare", "Event", `{metadata: {name: a, namespace: n1}, eventTime: "2026-01-02T03:04:05.000000Z", reportingComponent: a.b/c,
			reportingInstance: ` + strings.Repeat("i", 129) + `, message: ` + strings.Repeat("m", 1025) + `}`, []string{
			`involvedObject.namespace: Invalid value: "": does not match event.namespace`,
			`reportingInstance: Invalid value: "": can have at most 128 characters`,
			`action: Required value`, `reason: Required value`,
			`message: Invalid value: "": can have at most 1024 characters`}},

		{"good", "Node", `{spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}], podCIDRs: [10.0.0.0/24, "fd00::/64"]},
			status: {capacity: {cpu: 100m, pods: "3", a.b/c: "1"}}}`, nil},
		{"bad taints", "Node", `{spec: {taints: [{key: a, effect: Never}, {key: b, value: "x y"}, {key: a, effect: Never}]}}`, []string{
			`metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`,
			`metadata.taints[1].value: Invalid value: "x y": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
			`metadata.taints[1].effect: Required value`,
			`metadata.taints[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`,
			`metadata.taints[2]: Duplicate value: {"Key":"a","Value":"","Effect":"Never","TimeAdded":null}: taints must be unique by key and effect pair`}},
		{"bad quantities", "Node", `{status: {capacity: {cpu: "-1", pods: 500m}, allocatable: {}}}`, []string{
			`status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0`,
			`status.capacity.pods: Invalid value: "500m": must be an integer`}},
		{"two networks of a family", "Node", `{spec: {podCIDRs: [10.0.0.0/24, 10.0.1.0/24]}}`,
			[]string{`spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family`}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			expectErrors(t, enter(k, mustParse[runtime.Object](t, k, tt.text)), tt.want)
		})
	}
}

// What a Service is refused for. The spec stands in for the object.
func TestKind_ValidateService(t *testing.T) {
	tests := []struct {
		name, spec string
		want       []string
	}{
		{"good", `{ports: [{name: a, port: 80, targetPort: web}, {name: b, port: 80, protocol: UDP}], selector: {a: b}}`, nil},
		{"headless without ports", `{clusterIP: None}`, nil},
		{"nothing", `{}`, []string{`spec.ports: Required value`}},
		{"external name", `{type: ExternalName, externalName: a.b.}`, nil},
		{"external name without", `{type: ExternalName, clusterIP: 10.96.0.9}`, []string{
			`spec.clusterIPs: Forbidden: may not be set for ExternalName services`, `spec.externalName: Required value`}},
		{"bad ports", `{ports: [{port: 0, targetPort: 70000, protocol: ICMP}, {name: A, port: 1, targetPort: "-"}]}`, []string{
			`spec.ports[0].name: Required value`,
			`spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive`,
			`spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
			`spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
			`spec.ports[1].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
			`spec.ports[1].targetPort: Invalid value: "-": must contain at least one letter (a-z)`,
			`spec.ports[1].targetPort: Invalid value: "-": must not begin or end with a hyphen`}},
		{"ports twice", `{type: NodePort, ports: [{name: a, port: 80, nodePort: 30001}, {name: a, port: 80, nodePort: 30001}]}`, []string{
			`spec.ports[1].name: Duplicate value: "a"`,
			`spec.ports[1].nodePort: Duplicate value: 30001`,
			`spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}`}},
		{"node port of a ClusterIP", `{ports: [{port: 80, nodePort: 30001}]}`,
			[]string{"spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"}},
		{"headless NodePort", `{type: NodePort, clusterIP: None, ports: [{port: 80}]}`,
			[]string{`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`}},
		{"kubelet's port", `{type: LoadBalancer, ports: [{port: 10250}]}`,
			[]string{`spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet`}},
		{"bad type and affinity", `{type: Odd, sessionAffinity: Sticky, ports: [{port: 80}]}`, []string{
			`spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"`,
			`spec.sessionAffinity: Unsupported value: "Sticky": supported values: "ClientIP", "None"`}},
		{"long affinity", `{sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}, ports: [{port: 80}]}`,
			[]string{`spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400`}},
		{"bad addresses", `{clusterIP: x, externalIPs: [z, 127.0.0.1, 0.0.0.0], ports: [{port: 80}]}`, []string{
			`spec.clusterIPs[0]: Invalid value: "x": ` + badIP,
			`spec.externalIPs[0]: Invalid value: "z": ` + badIP,
			`spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`,
			`spec.externalIPs[2]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)`}},
		{"lists disagree", `{clusterIP: 10.96.0.9, clusterIPs: [10.96.0.8], ports: [{port: 80}]}`,
			[]string{"spec.clusterIPs: Invalid value: [\"10.96.0.8\"]: first value must match `clusterIP`"}},
		{"list alone", `{clusterIPs: [10.96.0.8], ports: [{port: 80}]}`,
			[]string{"spec.clusterIPs: Invalid value: [\"10.96.0.8\"]: must be empty when `clusterIP` is not specified"}},
		{"other family", `{clusterIP: 10.96.0.9, ipFamilies: [IPv6], ports: [{port: 80}]}`,
			[]string{"spec.clusterIPs[0]: Invalid value: \"10.96.0.9\": expected an IPv6 value as indicated by `ipFamilies[0]`"}},
		{"bad families", `{ipFamilies: [IPv5], ipFamilyPolicy: Odd, ports: [{port: 80}]}`, []string{
			`spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"`,
			`spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"`}},
		{"load balancer's fields", `{loadBalancerSourceRanges: [10.0.0.0/8], loadBalancerClass: a, allocateLoadBalancerNodePorts: true, ports: [{port: 80}]}`, []string{
			"spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
			"spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
			"spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'"}},
		{"traffic", `{externalTrafficPolicy: Local, healthCheckNodePort: 30001, internalTrafficPolicy: Odd, trafficDistribution: Far, ports: [{port: 80}]}`, []string{
			`spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services`,
			"spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
			`spec.internalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"`,
			`spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"`}},
	}
	k := mustKind(t, "Service")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mustParse[*corev1.Service](t, k, fmt.Sprintf("{metadata: {name: a}, spec: %s}", tt.spec))
			expectErrors(t, enter(k, s), tt.want)
		})
	}
}

// What an update is refused for.
func TestKind_ValidateUpdate(t *testing.T) {
	const immutable = "field is immutable when `immutable` is set"
	tests := []struct {
		name, kind, old, text string
		want                  []string
	}{
		{"changed", "ConfigMap", `{data: {a: x}}`, `{data: {a: y}, immutable: true}`, nil},
		{"labelled", "ConfigMap", `{immutable: true, data: {a: x}}`, `{immutable: true, data: {a: x}, metadata: {labels: {a: b}}}`, nil},
		{"immutable", "ConfigMap", `{immutable: true, data: {a: x}}`, `{immutable: false, binaryData: {a: AA==}}`, []string{
			`immutable: Forbidden: ` + immutable, `data: Forbidden: ` + immutable, `binaryData: Forbidden: ` + immutable}},
		{"immutable", "Secret", `{type: a/b, immutable: true, data: {a: AA==}}`, `{type: c/d}`, []string{
			`type: Invalid value: "c/d": field is immutable`,
			`immutable: Forbidden: ` + immutable, `data: Forbidden: ` + immutable}},
		{"set once", "Node", `{}`, `{spec: {podCIDR: 10.0.0.0/24, providerID: x}}`, nil},
		{"set twice", "Node", `{spec: {podCIDR: 10.0.0.0/24, providerID: x}}`, `{spec: {podCIDR: 10.0.1.0/24}}`, []string{
			`spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid`,
			`spec.providerID: Invalid value: null: field cannot be cleared once set`}},
		{"address twice", "Node", `{}`, `{status: {addresses: [{type: Hostname, address: a}, {type: Hostname, address: a}]}}`,
			[]string{`status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"a"}`}},
		{"class", "Service", `{spec: {type: LoadBalancer, loadBalancerClass: a, ports: [{port: 80}]}}`,
			`{spec: {type: LoadBalancer, loadBalancerClass: b, ports: [{port: 80}]}}`,
			[]string{`spec.loadBalancerClass: Invalid value: "b": may not change once set`}},
		{"second address dropped", "Service", `{spec: {clusterIP: 10.96.0.9, clusterIPs: [10.96.0.9, "fd00::1"], ipFamilies: [IPv4, IPv6], ports: [{port: 80}]}}`,
			`{spec: {clusterIP: 10.96.0.9, clusterIPs: [10.96.0.9], ipFamilies: [IPv4], ipFamilyPolicy: PreferDualStack, ports: [{port: 80}]}}`, []string{
				`spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP`,
				`spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary ipFamily`}},
		{"family", "Service", `{spec: {clusterIP: 10.96.0.9, ipFamilies: [IPv4], ports: [{port: 80}]}}`,
			`{spec: {clusterIP: "fd00::1", ipFamilies: [IPv6], ports: [{port: 80}]}}`, []string{
				`spec.clusterIPs[0]: Invalid value: ["fd00::1"]: may not change once set`,
				`spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set`}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			old := mustParse[runtime.Object](t, k, tt.old)
			enter(k, old)
			expectErrors(t, replace(k, mustParse[runtime.Object](t, k, tt.text), old), tt.want)
		})
	}
}

// What an update through the subresource status is refused for.
func TestKind_ValidateStatusUpdate(t *testing.T) {
	tests := []struct {
		name, kind, text string
		want             []string
	}{
		{"alive", "Namespace", `{status: {phase: Active}}`, nil},
		{"terminating while alive", "Namespace", `{status: {phase: Terminating}}`,
			[]string{"status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"}},
		{"active while deleted", "Namespace", `{metadata: {deletionTimestamp: "2026-01-02T03:04:05Z"}, status: {phase: Active}}`,
			[]string{"status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"}},
		{"balanced", "Service", `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 1.2.3.4, ipMode: VIP}, {hostname: a.b}]}}}`, nil},
		{"of a ClusterIP", "Service", `{spec: {type: ClusterIP}, status: {loadBalancer: {ingress: [{ip: 1.2.3.4, ipMode: VIP}]}}}`,
			[]string{"status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is \"LoadBalancer\""}},
		{"bad ingress", "Service", `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: x}, {hostname: 1.2.3.4, ipMode: VIP}]}}}`, []string{
			`status.loadBalancer.ingress[0].ip: Invalid value: "x": ` + badIP,
			"status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set",
			"status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set",
			`status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address`}},
		{"quantities", "Node", `{status: {allocatable: {memory: "-1"}}}`,
			[]string{`status.allocatable.memory: Invalid value: "-1": must be greater than or equal to 0`}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			obj := mustParse[runtime.Object](t, k, tt.text)
			expectErrors(t, k.ValidateStatusUpdate(obj, k.New()), tt.want)
		})
	}
}
