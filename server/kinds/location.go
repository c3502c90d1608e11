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

// Location is where a kubelet serves log, exec, attach or portforward of a pod; nil for the log of a pod without a node. query has the
// options, get the pod in its internal form, and kubelet the address of a node's kubelet: host and port.
func Location(ctx context.Context, action, name string, query url.Values, get func() (runtime.Object, error), kubelet func(node string) (string, error)) (*url.URL, error) {
	options, err := podOptions(action, name, query)
	if err != nil {
		return nil, err
	}
	var at *url.URL
	switch o := options.(type) {
	case *core.PodLogOptions:
		at, _, err = pod.LogLocation(ctx, podGetter(get), kubelets(kubelet), name, o)
	case *core.PodExecOptions:
		at, _, err = pod.ExecLocation(ctx, podGetter(get), kubelets(kubelet), name, o)
	case *core.PodAttachOptions:
		at, _, err = pod.AttachLocation(ctx, podGetter(get), kubelets(kubelet), name, o)
	case *core.PodPortForwardOptions:
		at, _, err = pod.PortForwardLocation(ctx, podGetter(get), kubelets(kubelet), name, o)
	}
	return at, err
}

// podOptions are the options of such an action. Those of a log are checked.
func podOptions(action, name string, query url.Values) (runtime.Object, error) {
	kind := map[string]string{
		"log": "PodLogOptions", "exec": "PodExecOptions", "attach": "PodAttachOptions", "portforward": "PodPortForwardOptions",
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

// podGetter fulfils pod.ResourceGetter.
type podGetter func() (runtime.Object, error)

// Get fulfils pod.ResourceGetter.
func (get podGetter) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return get()
}

// kubelets fulfils client.ConnectionInfoGetter.
type kubelets func(node string) (string, error)

// GetConnectionInfo fulfils client.ConnectionInfoGetter.
func (find kubelets) GetConnectionInfo(_ context.Context, node types.NodeName) (*client.ConnectionInfo, error) {
	address, err := find(string(node))
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	return &client.ConnectionInfo{Scheme: "https", Hostname: host, Port: port}, err
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
	port := kubeletPort
	if told := int(n.Status.DaemonEndpoints.KubeletEndpoint.Port); told > 0 {
		port = told
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), err
}
