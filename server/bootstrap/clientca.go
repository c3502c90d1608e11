package bootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust"
)

// clientCA runs the official controller that keeps the ConfigMap "extension-apiserver-authentication", by which servers behind
// APIServices know whose client certificates are believed.
func (b *Bootstrap) clientCA(ctx context.Context) {
	if b.o.ClientCA == nil || !b.servesAll([]schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("configmaps")}) {
		return
	}
	trust := clusterauthenticationtrust.ClusterAuthenticationInfo{ClientCA: b.o.ClientCA}
	c := clusterauthenticationtrust.NewClusterAuthenticationTrustController(trust, b.api)
	b.o.ClientCA.AddListener(c)
	c.Run(ctx, 1)
}
