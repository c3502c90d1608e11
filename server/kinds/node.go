package kinds

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// node is the row of Node. A kubelet registers its Node with its status, so a create keeps it.
func node() *Kind {
	return &Kind{
		GroupVersionKind:     corev1.SchemeGroupVersion.WithKind("Node"),
		Resource:             "nodes",
		Singular:             "node",
		ShortNames:           []string{"no"},
		New:                  func() runtime.Object { return &corev1.Node{} },
		NewList:              func() runtime.Object { return &corev1.NodeList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		StatusAtCreate:       true,
		Default:              defaultNode,
		Validate:             validateNode,
		ValidateUpdate:       validateNodeUpdate,
		ValidateStatusUpdate: validateNodeStatusUpdate,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"spec.unschedulable": strconv.FormatBool(obj.(*corev1.Node).Spec.Unschedulable)}
		},
		FieldNames: []string{"spec.unschedulable"},
		Warn:       warnNode,
		Printer:    table.Printer{Columns: nodeColumns(), Cells: nodeCells},
	}
}

// defaultNode takes the whole capacity as allocatable if nobody said, rounds quantities up to thousandths, and keeps
// podCIDR the first of podCIDRs.
func defaultNode(obj runtime.Object) {
	n := obj.(*corev1.Node)
	if n.Status.Allocatable == nil && n.Status.Capacity != nil {
		n.Status.Allocatable = n.Status.Capacity.DeepCopy()
	}
	roundToMilli(n.Status.Capacity)
	roundToMilli(n.Status.Allocatable)
	// Older clients know podCIDR only, so where the two differ it is what they meant.
	first := n.Spec.PodCIDR
	if first != "" && (len(n.Spec.PodCIDRs) == 0 || n.Spec.PodCIDRs[0] != first) {
		n.Spec.PodCIDRs = []string{first}
	}
	if len(n.Spec.PodCIDRs) > 0 {
		n.Spec.PodCIDR = n.Spec.PodCIDRs[0]
	}
}

func roundToMilli(list corev1.ResourceList) {
	const milli = -3
	for name, q := range list {
		q.RoundUp(milli)
		list[name] = q
	}
}

func nodeColumns() []metav1.TableColumnDefinition {
	info, status := corev1.NodeSystemInfo{}.SwaggerDoc(), corev1.NodeStatus{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Status", "The status of the node"),
		column("Roles", "The roles of the node"),
		ageColumn(),
		column("Version", info["kubeletVersion"]),
		wideColumn("Internal-IP", status["addresses"]),
		wideColumn("External-IP", status["addresses"]),
		wideColumn("OS-Image", info["osImage"]),
		wideColumn("Kernel-Version", info["kernelVersion"]),
		wideColumn("Container-Runtime", info["containerRuntimeVersion"]),
	}
}

func nodeCells(obj runtime.Object, now time.Time) []any {
	n := obj.(*corev1.Node)
	info := n.Status.NodeInfo
	return []any{
		n.Name, nodeState(n), nodeRoles(n), age(n.CreationTimestamp, now), info.KubeletVersion,
		nodeAddress(n, corev1.NodeInternalIP), nodeAddress(n, corev1.NodeExternalIP),
		orElse(info.OSImage, unknown), kernelVersion(info), orElse(info.ContainerRuntimeVersion, unknown),
	}
}

// kernelVersion also names the processor's architecture, if it is known: "6.1 (amd64)".
func kernelVersion(info corev1.NodeSystemInfo) string {
	version := orElse(info.KernelVersion, unknown)
	if info.Architecture == "" {
		return version
	}
	return version + " (" + info.Architecture + ")"
}

// nodeState is what the condition Ready says, and whether Pods may come: "Ready,SchedulingDisabled".
func nodeState(n *corev1.Node) string {
	state := "Unknown"
	for _, c := range n.Status.Conditions {
		if c.Type != corev1.NodeReady {
			continue
		}
		state = "NotReady"
		if c.Status == corev1.ConditionTrue {
			state = "Ready"
		}
	}
	if n.Spec.Unschedulable {
		state += ",SchedulingDisabled"
	}
	return state
}

// nodeRoles reads the roles from the labels that name them, sorted.
func nodeRoles(n *corev1.Node) string {
	roles := map[string]bool{}
	for key, value := range n.Labels {
		if role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/"); ok && role != "" {
			roles[role] = true
		}
		if key == "kubernetes.io/role" && value != "" {
			roles[value] = true
		}
	}
	return orElse(strings.Join(slices.Sorted(maps.Keys(roles)), ","), none)
}

func nodeAddress(n *corev1.Node, wanted corev1.NodeAddressType) string {
	for _, a := range n.Status.Addresses {
		if a.Type == wanted {
			return a.Address
		}
	}
	return none
}
