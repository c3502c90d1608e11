package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// runServiceAccounts runs the official controller that keeps the ServiceAccount "default" in each namespace.
func runServiceAccounts(ctx context.Context, h host) {
	api := h.api()
	accounts := informers.NewSharedInformerFactoryWithOptions(api, 0, ofName("default"))
	namespaces := informers.NewSharedInformerFactory(api, 0)
	c, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), accounts.Core().V1().ServiceAccounts(),
		namespaces.Core().V1().Namespaces(), api, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	following(ctx, func() { c.Run(ctx, 1) }, accounts, namespaces)
}

// runRootCA runs the official controller that keeps the ConfigMap "kube-root-ca.crt" in each namespace: the bundle by which
// pods check the API server's certificate. A server without HTTPS has none, so the bundle is empty.
func runRootCA(ctx context.Context, h host) {
	api := h.api()
	bundles := informers.NewSharedInformerFactoryWithOptions(api, 0, ofName(rootcacertpublisher.RootCACertConfigMapName))
	namespaces := informers.NewSharedInformerFactory(api, 0)
	c, err := rootcacertpublisher.NewPublisher(bundles.Core().V1().ConfigMaps(), namespaces.Core().V1().Namespaces(), api, h.server.RootCA)
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	following(ctx, func() { c.Run(ctx, 1) }, bundles, namespaces)
}

// runAggregation runs the official controller that fills ClusterRoles which have an aggregationRule.
func runAggregation(ctx context.Context, h host) {
	api := h.api()
	roles := informers.NewSharedInformerFactory(api, 0)
	c := clusterroleaggregation.NewClusterRoleAggregation(roles.Rbac().V1().ClusterRoles(), api.RbacV1())
	following(ctx, func() { c.Run(ctx, 1) }, roles)
}

// following starts the informers that a controller has asked for, and runs it until ctx ends.
func following(ctx context.Context, run func(), factories ...informers.SharedInformerFactory) {
	for _, f := range factories {
		f.Start(ctx.Done())
		defer f.Shutdown()
	}
	run()
}

// ofName restricts informers to objects of one name.
func ofName(name string) informers.SharedInformerOption {
	return informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	})
}
