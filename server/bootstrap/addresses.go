package bootstrap

import (
	"context"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
)

// allocator is what IPAddresses name as their manager.
const allocator = "ipallocator.k8s.io"

// addresses keeps an IPAddress for each address of a Service. kube-apiserver writes both at once; here the IPAddress
// follows.
func (b *Bootstrap) addresses() *task {
	services := coreinformers.NewServiceInformer(b.api, metav1.NamespaceAll, 0, cache.Indexers{})
	addresses := networkinginformers.NewIPAddressInformer(b.api, 0, cache.Indexers{})
	book := &addressBook{
		b: b, services: corelisters.NewServiceLister(services.GetIndexer()),
		addresses: networkinglisters.NewIPAddressLister(addresses.GetIndexer()),
	}
	for _, informer := range []cache.SharedIndexInformer{services, addresses} {
		_ = informer.SetTransform(withoutManagers) // it fails if the informer runs already
	}
	return &task{
		name: "addresses",
		kinds: []schema.GroupVersionResource{
			corev1.SchemeGroupVersion.WithResource("services"), networkingv1.SchemeGroupVersion.WithResource("ipaddresses"),
		},
		watch:  []cache.SharedIndexInformer{services, addresses},
		ensure: book.ensure,
	}
}

// withoutManagers drops managedFields, which take most of the memory of small objects.
func withoutManagers(obj any) (any, error) {
	if m, err := apimeta.Accessor(obj); err == nil {
		m.SetManagedFields(nil)
	}
	return obj, nil
}

type addressBook struct {
	b         *Bootstrap
	services  corelisters.ServiceLister
	addresses networkinglisters.IPAddressLister
}

// ensure creates the addresses that are missing, and deletes those whose Service is gone or has others.
func (a *addressBook) ensure(ctx context.Context) error {
	services, err := a.services.List(labels.Everything())
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	var missing []*networkingv1.IPAddress
	for _, s := range services {
		for _, text := range s.Spec.ClusterIPs {
			ip, err := netip.ParseAddr(text)
			if err != nil {
				continue // "None"
			}
			wanted[ip.String()] = true
			if _, err := a.addresses.Get(ip.String()); err != nil {
				missing = append(missing, addressOf(s, ip))
			}
		}
	}
	api := a.b.api.NetworkingV1().IPAddresses()
	err = each(ctx, missing, func(ctx context.Context, ip *networkingv1.IPAddress) error {
		_, err := api.Create(ctx, ip, metav1.CreateOptions{})
		return ignore(err, apierrors.IsAlreadyExists)
	})
	if err != nil {
		return err
	}
	there, err := a.addresses.List(labels.SelectorFromSet(labels.Set{networkingv1.LabelManagedBy: allocator}))
	if err != nil {
		return err
	}
	return each(ctx, there, func(ctx context.Context, ip *networkingv1.IPAddress) error {
		if wanted[ip.Name] || ip.DeletionTimestamp != nil {
			return nil
		}
		return ignore(api.Delete(ctx, ip.Name, metav1.DeleteOptions{}), apierrors.IsNotFound)
	})
}

func addressOf(s *corev1.Service, ip netip.Addr) *networkingv1.IPAddress {
	family := corev1.IPv6Protocol
	if ip.Is4() {
		family = corev1.IPv4Protocol
	}
	return &networkingv1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{
			Name:   ip.String(),
			Labels: map[string]string{networkingv1.LabelIPAddressFamily: string(family), networkingv1.LabelManagedBy: allocator},
		},
		Spec: networkingv1.IPAddressSpec{
			ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: s.Namespace, Name: s.Name},
		},
	}
}
