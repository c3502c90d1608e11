package bootstrap

import (
	"context"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/tools/cache"
)

// serviceRange keeps the ServiceCIDR of the range that the addresses of Services are taken from, and says that it is
// ready. One that a user has changed is left alone.
func (b *Bootstrap) serviceRange() *task {
	const name = "kubernetes"
	return &task{
		name:  "the range of Services",
		kinds: []schema.GroupVersionResource{networkingv1.SchemeGroupVersion.WithResource("servicecidrs")},
		watch: []cache.SharedIndexInformer{networkinginformers.NewFilteredServiceCIDRInformer(b.api, 0, cache.Indexers{}, named(name))},
		ensure: func(ctx context.Context) error {
			api := b.api.NetworkingV1().ServiceCIDRs()
			cidr, err := api.Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				cidr, err = api.Create(ctx, &networkingv1.ServiceCIDR{
					ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{b.o.ServiceRange}},
				}, metav1.CreateOptions{})
			}
			if err != nil {
				return ignore(err, apierrors.IsAlreadyExists)
			}
			ready := apimeta.FindStatusCondition(cidr.Status.Conditions, networkingv1.ServiceCIDRConditionReady)
			if cidr.DeletionTimestamp != nil || !slices.Equal(cidr.Spec.CIDRs, []string{b.o.ServiceRange}) || ready != nil && ready.Status != metav1.ConditionUnknown {
				return nil
			}
			apply := networkingapply.ServiceCIDR(name).WithStatus(networkingapply.ServiceCIDRStatus().WithConditions(
				metaapply.Condition().WithType(networkingv1.ServiceCIDRConditionReady).WithStatus(metav1.ConditionTrue).
					WithMessage("Kubernetes default Service CIDR is ready").WithLastTransitionTime(metav1.Now())))
			_, err = api.ApplyStatus(ctx, apply, metav1.ApplyOptions{FieldManager: "kubernetes-service-cidr-controller", Force: true})
			return err
		},
	}
}
