package kinds

import (
	"context"
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/client"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	nodeutil "k8s.io/kubernetes/pkg/util/node"
)

// A PodNode finds a pod, and the kubelet of its node.
type PodNode struct {
	Pod     func() (runtime.Object, error)                // in its internal form
	Kubelet func(node string) (address string, err error) // host and port
}

// Location is where a kubelet serves log, exec, attach or portforward of a pod; nil for the log of a pod without a
// node. query has the options.
func (n PodNode) Location(ctx context.Context, action, name string, query url.Values) (*url.URL, error) {
	options, err := podOptions(action, name, query)
	if err != nil {
		return nil, err
	}
	var at *url.URL
	switch o := options.(type) {
	case *core.PodLogOptions:
		at, _, err = pod.LogLocation(ctx, n, n, name, o)
	case *core.PodExecOptions:
		at, _, err = pod.ExecLocation(ctx, n, n, name, o)
	case *core.PodAttachOptions:
		at, _, err = pod.AttachLocation(ctx, n, n, name, o)
	case *core.PodPortForwardOptions:
		at, _, err = pod.PortForwardLocation(ctx, n, n, name, o)
	}
	return at, err
}

// Get fulfils pod.ResourceGetter.
func (n PodNode) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return n.Pod()
}

// GetConnectionInfo fulfils client.ConnectionInfoGetter.
func (n PodNode) GetConnectionInfo(_ context.Context, node types.NodeName) (*client.ConnectionInfo, error) {
	address, err := n.Kubelet(string(node))
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	return &client.ConnectionInfo{Scheme: "https", Hostname: host, Port: port}, err
}

// podOptions are the options of such an action. Those of a log are checked.
func podOptions(action, name string, query url.Values) (runtime.Object, error) {
	kind := map[string]string{
		"log": "PodLogOptions", "exec": "PodExecOptions",
		"attach": "PodAttachOptions", "portforward": "PodPortForwardOptions",
	}[action]
	options, err := ConnectOptions(gvk("", "v1", kind), query)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	log, ok := options.(*core.PodLogOptions)
	if !ok {
		return options, nil
	}
	streams := utilfeature.DefaultFeatureGate.Enabled(features.PodLogsQuerySplitStreams)
	if all := core.LogStreamAll; streams && log.Stream == nil {
		log.Stream = &all
	}
	if errs := validation.ValidatePodLogOptions(log, streams); len(errs) > 0 {
		return nil, apierrors.NewInvalid(core.Kind(kind), name, errs)
	}
	return log, nil
}

// kubeletPort is where a kubelet listens unless its Node says otherwise.
const kubeletPort = 10250

// addressTypes are the addresses of a node by which kube-apiserver reaches its kubelet, the preferred ones first
// (--kubelet-preferred-address-types).
var addressTypes = []corev1.NodeAddressType{
	corev1.NodeHostName, corev1.NodeInternalDNS, corev1.NodeInternalIP, corev1.NodeExternalDNS, corev1.NodeExternalIP,
}

// KubeletAddress is where the kubelet of a node listens: host and port.
func KubeletAddress(n *corev1.Node) (string, error) {
	host, err := nodeutil.GetPreferredNodeAddress(n, addressTypes)
	port := int(n.Status.DaemonEndpoints.KubeletEndpoint.Port)
	if port <= 0 {
		port = kubeletPort
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), err
}
