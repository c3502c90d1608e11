package bootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust"

	"kubarium/server/authn"
)

// clientCA runs the official controller that keeps the ConfigMap "extension-apiserver-authentication", by which servers behind
// APIServices know whose client certificates are believed, and who tells them as a front proxy who asks.
func (b *Bootstrap) clientCA(ctx context.Context) {
	if b.o.ClientCA == nil && b.o.RequestHeaders == nil || !b.servesAll([]schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("configmaps")}) {
		return
	}
	trust := trustIn(b.o.ClientCA, b.o.RequestHeaders)
	c := clusterauthenticationtrust.NewClusterAuthenticationTrustController(trust, b.api)
	for _, ca := range []dynamiccertificates.CAContentProvider{trust.ClientCA, trust.RequestHeaderCA} {
		if ca != nil {
			ca.AddListener(c)
		}
	}
	c.Run(ctx, 1)
}

// trustIn is what the ConfigMap says.
func trustIn(clients dynamiccertificates.CAContentProvider, proxies *authn.RequestHeaders) clusterauthenticationtrust.ClusterAuthenticationInfo {
	trust := clusterauthenticationtrust.ClusterAuthenticationInfo{ClientCA: clients}
	if proxies != nil {
		trust.RequestHeaderCA = proxies.CA
		trust.RequestHeaderAllowedNames = headerrequest.StaticStringSlice(proxies.AllowedNames)
		trust.RequestHeaderUsernameHeaders = headerrequest.StaticStringSlice(proxies.Username)
		trust.RequestHeaderUIDHeaders = headerrequest.StaticStringSlice(proxies.UID)
		trust.RequestHeaderGroupHeaders = headerrequest.StaticStringSlice(proxies.Group)
		trust.RequestHeaderExtraHeaderPrefixes = headerrequest.StaticStringSlice(proxies.ExtraPrefixes)
	}
	return trust
}
