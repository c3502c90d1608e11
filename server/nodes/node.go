package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"kubarium/server/loopback"
	"kubarium/server/nodes/script"
)

// The kubelet's own times.
const (
	renewPeriod   = 10 * time.Second // of the Lease
	leaseDuration = 40 * time.Second
	reportPeriod  = 5 * time.Minute // of the Node's status, if nothing changes
)

// A node is one simulated node, with the addresses and images that its Pods have.
type node struct {
	name    string
	number  int
	version string
	api     kubernetes.Interface
	events  record.EventBroadcaster
	record  record.EventRecorder
	uid     types.UID
	lease   *coordinationv1.Lease // as it was renewed last; nil if it must be read

	mu        sync.Mutex // guards what follows
	images    map[string]bool
	addresses map[string]types.UID // of Pods
	places    places
}

func newNode(number int, version string, dialer *loopback.Dialer) *node {
	n := &node{name: nameOf(number), number: number, version: version, images: map[string]bool{}, addresses: map[string]types.UID{}, places: newPlaces()}
	n.api = dialer.As("kubelet-"+n.name, manager).Kubernetes()
	return n
}

// register makes the Node, or takes over the one of before.
func (n *node) register(ctx context.Context) error {
	made, err := n.api.CoreV1().Nodes().Create(ctx, n.object(), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if made, err = n.api.CoreV1().Nodes().Get(ctx, n.name, metav1.GetOptions{}); err == nil && !script.IsSimulated(made) {
			return fmt.Errorf("there is another Node of this name")
		}
	}
	if err != nil {
		return err
	}
	n.uid = made.UID
	return n.report(ctx)
}

// start begins to report events, until ctx ends.
func (n *node) start(ctx context.Context) {
	n.events = record.NewBroadcaster(record.WithContext(ctx))
	n.events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: n.api.CoreV1().Events("")})
	n.record = n.events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: n.name})
}

// renew renews the Lease.
func (n *node) renew(ctx context.Context) error {
	now, seconds := metav1.NowMicro(), int32(leaseDuration/time.Second)
	leases := n.api.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if n.lease == nil {
		l, err := leases.Get(ctx, n.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: n.name, UID: n.uid}
			l = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: n.name, Namespace: corev1.NamespaceNodeLease, OwnerReferences: []metav1.OwnerReference{owner}}}
			l.Spec = coordinationv1.LeaseSpec{HolderIdentity: &n.name, LeaseDurationSeconds: &seconds, RenewTime: &now}
			n.lease, err = leases.Create(ctx, l, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		n.lease = l
	}
	l := n.lease.DeepCopy()
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds, l.Spec.RenewTime = &n.name, &seconds, &now
	renewed, err := leases.Update(ctx, l, metav1.UpdateOptions{})
	if n.lease = renewed; err != nil {
		n.lease = nil
	}
	return err
}

// report writes the Node's status.
func (n *node) report(ctx context.Context) error {
	patch, err := json.Marshal(map[string]any{"status": n.object().Status})
	if err != nil {
		return err
	}
	_, err = n.api.CoreV1().Nodes().PatchStatus(ctx, n.name, patch)
	return err
}

// object is the Node as it is made.
func (n *node) object() *corev1.Node {
	size := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}
	now := metav1.Now()
	condition := func(t corev1.NodeConditionType, s corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: t, Status: s, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now}
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        n.name,
		Annotations: map[string]string{script.Mark: "true"},
		Labels: map[string]string{
			corev1.LabelHostname: n.name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: runtime.GOARCH,
		},
	}}
	node.Spec.PodCIDR = fmt.Sprintf("10.244.%d.0/24", n.number)
	node.Spec.PodCIDRs = []string{node.Spec.PodCIDR}
	node.Status = corev1.NodeStatus{
		Capacity: size, Allocatable: size,
		Conditions: []corev1.NodeCondition{
			condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
			condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
			condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
			condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "simulated by Kubarium: no container runs here"),
		},
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: n.host()}, {Type: corev1.NodeHostName, Address: n.name}},
		NodeInfo: corev1.NodeSystemInfo{
			KubeletVersion: n.version, ContainerRuntimeVersion: "simulated://kubarium", OperatingSystem: "linux", Architecture: runtime.GOARCH,
			OSImage: "simulated by Kubarium", KernelVersion: "none", MachineID: n.name, SystemUUID: n.name, BootID: n.name,
		},
	}
	return node
}

// host is the node's address, of a block that leads nowhere (RFC 5737).
func (n *node) host() string { return fmt.Sprintf("198.51.100.%d", n.number) }

// address is that of a Pod, which has it until it is released. It is the one that its status names, if no other Pod has that.
func (n *node) address(pod *corev1.Pod) string {
	if pod.Spec.HostNetwork {
		return n.host()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if ip := pod.Status.PodIP; ip != "" {
		if _, taken := n.addresses[ip]; !taken {
			n.addresses[ip] = pod.UID
		}
	}
	free := ""
	for i := 2; i < 255; i++ {
		ip := fmt.Sprintf("10.244.%d.%d", n.number, i)
		switch owner, taken := n.addresses[ip]; {
		case owner == pod.UID && taken:
			return ip
		case !taken && free == "":
			free = ip
		}
	}
	if free != "" {
		n.addresses[free] = pod.UID
	}
	return free
}

// release frees the address and the place of a Pod.
func (n *node) release(uid types.UID) {
	n.leave(uid)
	n.mu.Lock()
	defer n.mu.Unlock()
	for ip, owner := range n.addresses {
		if owner == uid {
			delete(n.addresses, ip)
		}
	}
}

// Has and Add make a node the course.Images of its Pods.
func (n *node) Has(image string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.images[image]
}

func (n *node) Add(image string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.images[image] = true
}
