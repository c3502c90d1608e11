package kinds_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
)

// What the server itself writes into an object at a create.
func TestKind_Create(t *testing.T) {
	tests := []struct{ name, kind, text, want string }{
		{"gets label, finalizer and phase", "Namespace", `{metadata: {name: a}, status: {phase: Terminating}}`,
			`{metadata: {name: a, labels: {kubernetes.io/metadata.name: a}}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}`},
		{"keeps finalizers", "Namespace", `{metadata: {name: a}, spec: {finalizers: [kubernetes, a.b/c]}}`,
			`{metadata: {name: a, labels: {kubernetes.io/metadata.name: a}}, spec: {finalizers: [kubernetes, a.b/c]}, status: {phase: Active}}`},
		{"stringData wins", "Secret", `{data: {a: AA==, b: AA==}, stringData: {a: x}}`, `{type: Opaque, data: {a: eA==, b: AA==}}`},
		{"names of Secrets alone", "ServiceAccount", `{secrets: [{name: a, namespace: b, kind: Secret}]}`, `{secrets: [{name: a}]}`},
		{"podCIDR is the first", "Node", `{spec: {podCIDR: 10.0.0.0/24, podCIDRs: [10.1.0.0/24]}}`, `{spec: {podCIDR: 10.0.0.0/24, podCIDRs: [10.0.0.0/24]}}`},
		{"podCIDRs give podCIDR", "Node", `{spec: {podCIDRs: [10.1.0.0/24]}}`, `{spec: {podCIDR: 10.1.0.0/24, podCIDRs: [10.1.0.0/24]}}`},
		{"all is allocatable", "Node", `{status: {capacity: {cpu: 1500u}}}`, `{status: {capacity: {cpu: 2m}, allocatable: {cpu: 2m}}}`},
		{"bare Service", "Service", `{spec: {ports: [{port: 80}]}, status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}}`,
			`{spec: {type: ClusterIP, sessionAffinity: None, internalTrafficPolicy: Cluster, ports: [{port: 80, targetPort: 80, protocol: TCP}]}}`},
		{"stated IP is the first", "Service", `{spec: {clusterIP: None}}`,
			`{spec: {clusterIP: None, clusterIPs: [None], type: ClusterIP, sessionAffinity: None, internalTrafficPolicy: Cluster}}`},
		{"load balancer", "Service", `{spec: {type: LoadBalancer, sessionAffinity: ClientIP}}`,
			`{spec: {type: LoadBalancer, sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}},
			internalTrafficPolicy: Cluster, externalTrafficPolicy: Cluster, allocateLoadBalancerNodePorts: true}}`},
		{"reachable by external IPs", "Service", `{spec: {externalIPs: [1.2.3.4]}}`,
			`{spec: {externalIPs: [1.2.3.4], type: ClusterIP, sessionAffinity: None, internalTrafficPolicy: Cluster, externalTrafficPolicy: Cluster}}`},
		{"external name", "Service", `{spec: {type: ExternalName}}`, `{spec: {type: ExternalName, sessionAffinity: None}}`},
		{"election is off", "Lease", `{spec: {strategy: OldestEmulationVersion, preferredHolder: a, holderIdentity: b}}`, `{spec: {holderIdentity: b}}`},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			obj := mustParse[runtime.Object](t, k, tt.text)
			enter(k, obj)
			if want := mustParse[runtime.Object](t, k, tt.want); !equality.Semantic.DeepEqual(obj, want) {
				t.Errorf("made\n%v, want\n%v", obj, want)
			}
		})
	}
}

// A namespace's finalizers have a door of their own.
func TestNamespace_FinalizersKept(t *testing.T) {
	k := mustKind(t, "Namespace")
	old := mustParse[*corev1.Namespace](t, k, `{metadata: {name: a}}`)
	enter(k, old)
	for _, door := range []func(obj, old runtime.Object){k.PrepareForUpdate, k.PrepareForStatusUpdate} {
		obj := mustParse[*corev1.Namespace](t, k, `{metadata: {name: a}}`)
		door(obj, old)
		if !slices.Equal(obj.Spec.Finalizers, old.Spec.Finalizers) {
			t.Errorf("finalizers %v", obj.Spec.Finalizers)
		}
	}
}

// A change of type empties what the new type has not, but not what the client changed with it.
func TestService_ChangeOfType(t *testing.T) {
	k := mustKind(t, "Service")
	old := mustParse[*corev1.Service](t, k, `{spec: {type: LoadBalancer, clusterIP: 10.96.0.9, ipFamilies: [IPv4], ipFamilyPolicy: SingleStack,
		loadBalancerClass: a, externalTrafficPolicy: Local, healthCheckNodePort: 30002, ports: [{port: 80, nodePort: 30001}]}}`)
	enter(k, old)
	obj := old.DeepCopy()
	obj.Spec.Type = corev1.ServiceTypeClusterIP
	if errs := replace(k, obj, old); len(errs) > 0 {
		t.Error(errs)
	}
	s := obj.Spec
	if s.Ports[0].NodePort != 0 || s.HealthCheckNodePort != 0 || s.ExternalTrafficPolicy != "" || s.LoadBalancerClass != nil ||
		s.AllocateLoadBalancerNodePorts != nil || s.ClusterIP != "10.96.0.9" {
		t.Errorf("a ClusterIP Service has %+v", s)
	}
	obj = old.DeepCopy()
	obj.Spec.Type, obj.Spec.ExternalName = corev1.ServiceTypeExternalName, "a.b"
	if errs := replace(k, obj, old); len(errs) > 0 {
		t.Error(errs)
	}
	if s := obj.Spec; s.ClusterIP != "" || s.ClusterIPs != nil || s.IPFamilies != nil || s.IPFamilyPolicy != nil || s.InternalTrafficPolicy != nil {
		t.Errorf("an ExternalName Service has %+v", s)
	}
}

// Names are DNS subdomains, but for these.
func TestKind_ValidateName(t *testing.T) {
	tests := []struct {
		kind, name string
		good       bool
	}{
		{"Namespace", "a-1", true}, {"Namespace", "a.b", false}, {"Namespace", strings.Repeat("a", 64), false},
		{"Service", "1a", true}, {"Service", "a.b", false},
		{"Event", "A_b.17", true}, {"Event", "a/b", false}, {"Event", "..", false},
	}
	for _, tt := range tests {
		if msgs := mustKind(t, tt.kind).ValidateName(tt.name, false); (len(msgs) == 0) != tt.good {
			t.Errorf("%s %q: %v", tt.kind, tt.name, msgs)
		}
	}
	for _, kind := range []string{"ConfigMap", "Secret", "ServiceAccount", "Node", "Lease"} {
		if mustKind(t, kind).ValidateName != nil {
			t.Errorf("%s has a rule of its own for names", kind)
		}
	}
}

// What field selectors find.
func TestKind_Fields(t *testing.T) {
	tests := []struct {
		kind, text string
		want       fields.Set
	}{
		{"Namespace", `{metadata: {name: a}, status: {phase: Active}}`, fields.Set{"status.phase": "Active"}},
		{"Secret", `{type: a/b}`, fields.Set{"type": "a/b"}},
		{"Node", `{spec: {unschedulable: true}}`, fields.Set{"spec.unschedulable": "true"}},
		{"Node", `{}`, fields.Set{"spec.unschedulable": "false"}},
		{"Service", `{spec: {clusterIP: None, type: ClusterIP}}`, fields.Set{"spec.clusterIP": "None", "spec.type": "ClusterIP"}},
		{"Event", `{involvedObject: {kind: Pod, name: p, namespace: n1, uid: u, apiVersion: v1, resourceVersion: "3", fieldPath: f}, reason: r, type: Normal, source: {component: c}, reportingComponent: d}`,
			fields.Set{"involvedObject.kind": "Pod", "involvedObject.name": "p", "involvedObject.namespace": "n1", "involvedObject.uid": "u",
				"involvedObject.apiVersion": "v1", "involvedObject.resourceVersion": "3", "involvedObject.fieldPath": "f",
				"reason": "r", "type": "Normal", "source": "c", "reportingComponent": "d"}},
	}
	for _, tt := range tests {
		k := mustKind(t, tt.kind)
		if got := k.Fields(mustParse[runtime.Object](t, k, tt.text)); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.kind, got, tt.want)
		}
	}
	// An Event told without a source is found by its controller.
	k := mustKind(t, "Event")
	if got := k.Fields(mustParse[runtime.Object](t, k, `{reportingComponent: d}`))["source"]; got != "d" {
		t.Errorf("source %q", got)
	}
}
