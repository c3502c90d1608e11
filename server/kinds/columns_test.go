package kinds_test

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What people see in "kubectl get", with -o wide.
func TestPrinter_Cells(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	created := `creationTimestamp: "2026-01-02T11:55:00Z"`
	tests := []struct {
		name, kind, text string
		want             []any
	}{
		{"plain", "Namespace", `{metadata: {name: a, ` + created + `}, status: {phase: Terminating}}`, []any{"a", "Terminating", "5m"}},
		{"no time", "Namespace", `{metadata: {name: a}, status: {phase: Active}}`, []any{"a", "Active", "<unknown>"}},
		{"both bags", "ConfigMap", `{metadata: {name: a, ` + created + `}, data: {x: "1"}, binaryData: {y: AA==}}`, []any{"a", int64(2), "5m"}},
		{"plain", "Secret", `{metadata: {name: a, ` + created + `}, type: Opaque, data: {x: AA==}}`, []any{"a", "Opaque", int64(1), "5m"}},
		{"plain", "ServiceAccount", `{metadata: {name: a, ` + created + `}, secrets: [{name: b}]}`, []any{"a", "5m"}},
		{"held", "Lease", `{metadata: {name: a, ` + created + `}, spec: {holderIdentity: me}}`, []any{"a", "me", "5m"}},
		{"free", "Lease", `{metadata: {name: a, ` + created + `}}`, []any{"a", "", "5m"}},
		{"node port", "Service", `{metadata: {name: a, ` + created + `}, spec: {type: NodePort, clusterIPs: [10.96.0.9], selector: {app: x},
			ports: [{port: 80, nodePort: 30001, protocol: TCP}, {port: 53, protocol: UDP}]}}`,
			[]any{"a", "NodePort", "10.96.0.9", "<none>", "80:30001/TCP,53/UDP", "5m", "app=x"}},
		{"headless", "Service", `{metadata: {name: a, ` + created + `}, spec: {type: ClusterIP, clusterIPs: [None]}}`,
			[]any{"a", "ClusterIP", "None", "<none>", "<none>", "5m", "<none>"}},
		{"waiting", "Service", `{metadata: {name: a, ` + created + `}, spec: {type: LoadBalancer, clusterIPs: [10.96.0.9]}}`,
			[]any{"a", "LoadBalancer", "10.96.0.9", "<pending>", "<none>", "5m", "<none>"}},
		{"balanced", "Service", `{metadata: {name: a, ` + created + `}, spec: {type: LoadBalancer, externalIPs: [9.9.9.9]},
			status: {loadBalancer: {ingress: [{ip: 2.2.2.2}, {hostname: b.c}, {ip: 2.2.2.2}]}}}`,
			[]any{"a", "LoadBalancer", "<none>", "9.9.9.9,2.2.2.2,b.c", "<none>", "5m", "<none>"}},
		{"external name", "Service", `{metadata: {name: a, ` + created + `}, spec: {type: ExternalName, externalName: b.c}}`,
			[]any{"a", "ExternalName", "<none>", "b.c", "<none>", "5m", "<none>"}},
		{"cordoned", "Node", `{metadata: {name: a, ` + created + `, labels: {node-role.kubernetes.io/worker: "", node-role.kubernetes.io/control-plane: "", kubernetes.io/role: old}},
			spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: "True"}], addresses: [{type: InternalIP, address: 10.0.0.1}],
			nodeInfo: {kubeletVersion: v1.37.0, osImage: Linux}}}`,
			[]any{"a", "Ready,SchedulingDisabled", "control-plane,old,worker", "5m", "v1.37.0", "10.0.0.1", "<none>", "Linux", "<unknown>", "<unknown>"}},
		{"silent", "Node", `{metadata: {name: a, ` + created + `}}`,
			[]any{"a", "Unknown", "<none>", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"}},
		{"not ready", "Node", `{metadata: {name: a, ` + created + `}, status: {conditions: [{type: Ready, status: Unknown}]}}`,
			[]any{"a", "NotReady", "<none>", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"}},
		{"counted", "Event", `{metadata: {name: a.1}, involvedObject: {kind: Pod, name: web, fieldPath: "spec.containers{x}"}, type: Normal, reason: Pulled,
			message: "done \n", source: {component: kubelet, host: n1}, firstTimestamp: "2026-01-02T11:00:00Z", lastTimestamp: "2026-01-02T11:59:50Z", count: 7}`,
			[]any{"10s", "Normal", "Pulled", "pod/web", "spec.containers{x}", "kubelet, n1", "done", "60m", int64(7), "a.1"}},
		{"single", "Event", `{metadata: {name: a.1}, involvedObject: {kind: Node}, eventTime: "2026-01-02T11:58:00.000000Z", reportingComponent: x/y}`,
			[]any{"2m", "", "", "node", "", "x/y", "", "2m", int64(1), "a.1"}},
		{"series", "Event", `{metadata: {name: a.1}, involvedObject: {kind: Node, name: n1}, eventTime: "2026-01-02T11:00:00.000000Z",
			series: {count: 3, lastObservedTime: "2026-01-02T11:59:00.000000Z"}}`,
			[]any{"60s", "", "", "node/n1", "", "", "", "60m", int64(3), "a.1"}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			got := k.Printer.Cells(mustParse[runtime.Object](t, k, tt.text), now)
			if !slices.Equal(got, tt.want) {
				t.Errorf("cells\n %q, want\n %q", got, tt.want)
			}
		})
	}
}

// The names of the columns, and which of them are for -o wide.
func TestPrinter_Columns(t *testing.T) {
	want := map[string][]string{
		"Namespace":      {"Name", "Status", "Age"},
		"ConfigMap":      {"Name", "Data", "Age"},
		"Secret":         {"Name", "Type", "Data", "Age"},
		"ServiceAccount": {"Name", "Age"},
		"Lease":          {"Name", "Holder", "Age"},
		"Service":        {"Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "+Selector"},
		"Node": {"Name", "Status", "Roles", "Age", "Version", "+Internal-IP", "+External-IP", "+OS-Image",
			"+Kernel-Version", "+Container-Runtime"},
		"Event": {"Last Seen", "Type", "Reason", "Object", "+Subobject", "+Source", "Message", "+First Seen", "+Count", "+Name"},
	}
	for kind, names := range want {
		var got []string
		for _, c := range mustKind(t, kind).Printer.Columns {
			got = append(got, shown(c))
		}
		if !slices.Equal(got, names) {
			t.Errorf("%s: %q, want %q", kind, got, names)
		}
	}
}

func shown(c metav1.TableColumnDefinition) string {
	if c.Priority > 0 {
		return "+" + c.Name
	}
	return c.Name
}
