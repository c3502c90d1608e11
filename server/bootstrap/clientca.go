package bootstrap

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust"

	"kubarium/server/authn"
)

// clientCA runs the official controller that keeps the ConfigMap "extension-apiserver-authentication", from which
// servers behind APIServices learn which client certificates are valid, and which front proxies they may believe. It
// calls made once the ConfigMap exists.
func (b *Bootstrap) clientCA(ctx context.Context, made func()) {
	if b.o.ClientCA == nil && b.o.RequestHeaders == nil || !b.servesAll([]schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("configmaps")}) {
		made()
		return
	}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		if b.trusted(ctx) {
			made()
		}
	})
	trust := trustIn(b.o.ClientCA, b.o.RequestHeaders)
	c := clusterauthenticationtrust.NewClusterAuthenticationTrustController(trust, b.api)
	for _, ca := range []dynamiccertificates.CAContentProvider{trust.ClientCA, trust.RequestHeaderCA} {
		if ca != nil {
			ca.AddListener(c)
		}
	}
	c.Run(ctx, 1)
}

// trusted waits until the ConfigMap exists, and reports false if ctx ends first. The official controller does not
// report that.
func (b *Bootstrap) trusted(ctx context.Context) bool {
	const name = "extension-apiserver-authentication"
	one := metav1.SingleObject(metav1.ObjectMeta{Name: name})
	for ctx.Err() == nil {
		w, err := b.api.CoreV1().ConfigMaps(metav1.NamespaceSystem).Watch(ctx, one)
		if err == nil {
			e := <-w.ResultChan()
			w.Stop()
			if e.Type == watch.Added || e.Type == watch.Modified {
				b.troubles.over(name)
				return true
			}
		} else if ctx.Err() == nil {
			b.troubles.tell(name, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(quiet):
		}
	}
	return false
}

// trustIn reads the ConfigMap.
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
