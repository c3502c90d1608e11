package bootstrap

import (
	"context"
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controlplane/controller/kubernetesservice"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"
)

// kubernetesService keeps the Service by which pods find the API server, with its Endpoints and its EndpointSlice. These
// name the address that kube-apiserver would advertise: that of the interface of the default route, if there is one.
func (b *Bootstrap) kubernetesService() *task {
	const name = "kubernetes"
	factory := informers.NewSharedInformerFactoryWithOptions(b.api, 0, informers.WithNamespace(metav1.NamespaceDefault), informers.WithTweakListOptions(named(name)))
	services := factory.Core().V1().Services()
	t := &task{
		name: "the Service kubernetes",
		kinds: []schema.GroupVersionResource{
			corev1.SchemeGroupVersion.WithResource("services"), corev1.SchemeGroupVersion.WithResource("endpoints"),
			discoveryv1.SchemeGroupVersion.WithResource("endpointslices"),
		},
		watch: []cache.SharedIndexInformer{
			services.Informer(), factory.Core().V1().Endpoints().Informer(), factory.Discovery().V1().EndpointSlices().Informer(),
		},
		ensure: func(ctx context.Context) error {
			ip, port := b.advertised()
			var all *together
			if b.o.Servers != nil && ip != nil {
				var err error
				if all, err = findTogether(ctx, b.o.Servers, hostPort(ip, port)); err != nil {
					return err
				}
				port = all.port
			}
			api := kubernetesservice.New(kubernetesservice.Config{}, b.api, services)
			ports := []corev1.ServicePort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt32(port)}}
			err := api.CreateOrUpdateMasterServiceIfNeeded(name, net.ParseIP(b.o.ServiceIP), ports, corev1.ServiceTypeClusterIP, false)
			if err != nil || ip == nil {
				return err
			}
			// With room for one address, that of an earlier start goes.
			adapter := reconcilers.NewEndpointsAdapter(b.api.CoreV1(), b.api.DiscoveryV1())
			endpoints := reconcilers.NewMasterCountEndpointReconciler(1, adapter)
			if all != nil {
				endpoints = reconcilers.NewLeaseEndpointReconciler(adapter, all)
			}
			return endpoints.ReconcileEndpoints(name, ip, []corev1.EndpointPort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: port}}, true)
		},
	}
	if b.o.Servers != nil {
		t.every = serversEvery
	}
	return t
}

// advertised is the address where others would find the server, as kube-apiserver chooses it; nil where a machine has
// only that of the loopback interface.
func (b *Bootstrap) advertised() (net.IP, int32) {
	address := b.o.Address
	if u, err := url.Parse(b.o.Server.URL); address == "" && err == nil {
		address = u.Host
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, 0
	}
	port, _ := strconv.ParseInt(text, 10, 32)
	ip, err := utilnet.ResolveBindAddress(net.ParseIP(host))
	if err != nil {
		return nil, int32(port)
	}
	return ip, int32(port)
}

func hostPort(ip net.IP, port int32) string {
	return net.JoinHostPort(ip.String(), strconv.Itoa(int(port)))
}
