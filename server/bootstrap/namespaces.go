package bootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreinformers "k8s.io/client-go/informers/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Namespaces are the namespaces that every cluster has.
var Namespaces = []string{metav1.NamespaceDefault, corev1.NamespaceNodeLease, metav1.NamespacePublic, metav1.NamespaceSystem}

// namespaces makes the namespaces that are missing, also later: kube-node-lease can be deleted.
func (b *Bootstrap) namespaces() *task {
	informer := coreinformers.NewNamespaceInformer(b.api, 0, cache.Indexers{})
	lister := corelisters.NewNamespaceLister(informer.GetIndexer())
	return &task{
		name:  "namespaces",
		kinds: []schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("namespaces")},
		watch: []cache.SharedIndexInformer{informer},
		ensure: func(ctx context.Context) error {
			for _, name := range Namespaces {
				if _, err := lister.Get(name); err == nil {
					continue
				}
				ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
				if _, err := b.api.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
					return err
				}
			}
			return nil
		},
	}
}
