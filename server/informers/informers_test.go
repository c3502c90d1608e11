package informers_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientcache "k8s.io/client-go/tools/cache"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/informers"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

func mustOpen(t *testing.T) *registry.Registry {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Cache.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func mustCreate(t *testing.T, r *registry.Registry, resource, namespace string, obj runtime.Object) {
	t.Helper()
	k := r.Catalogue.Stored(resource)
	k.Default(obj)
	internal, err := k.Internal(obj)
	if err == nil {
		_, err = r.Create(t.Context(), registry.Target{Kind: k, Namespace: namespace}, internal, registry.WriteOptions{Manager: "test"})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An informer sees what was there, what comes and what goes; one whose kind is not stored here sees nothing, and is in sync.
func TestFactory(t *testing.T) {
	r := mustOpen(t)
	mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "first"}})
	ctx, cancel := context.WithCancel(t.Context())
	f := informers.New(r, slog.New(slog.DiscardHandler))
	namespaces := f.Core().V1().Namespaces().Lister()
	unknown := f.InformerFor(&schedulingv1alpha3.Workload{}, nil)
	f.StartWithContext(ctx)
	if result := f.WaitForCacheSyncWithContext(ctx); result.Err != nil || !unknown.HasSynced() {
		t.Fatal(result.Err)
	}
	if n, err := namespaces.Get("first"); err != nil || n.ResourceVersion == "" || n.Spec.Finalizers == nil {
		t.Fatalf("%v, %v", n, err)
	}
	mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "second"}})
	within(t, "the second", func() bool { _, err := namespaces.Get("second"); return err == nil })
	later, err := f.ForResource(corev1.SchemeGroupVersion.WithResource("configmaps"))
	if err != nil {
		t.Fatal(err)
	}
	mustCreate(t, r, "configmaps", "first", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}})
	f.StartWithContext(ctx)
	lister := later.Lister()
	within(t, "the ConfigMap", func() bool {
		all, err := lister.ByNamespace("first").List(labels.Everything())
		return err == nil && len(all) == 1
	})
	if _, err := f.ForResource(corev1.SchemeGroupVersion.WithResource("gadgets")); err == nil {
		t.Error("an informer for what is not served")
	}
	cancel()
	f.Shutdown()
}

// Settle waits until all handlers of an informer have the changes, but not for one that has stopped, nor for changes
// without handlers.
func TestFactory_Settle(t *testing.T) {
	r := mustOpen(t)
	ctx, cancel := context.WithCancel(t.Context())
	f := informers.New(r, slog.New(slog.DiscardHandler))
	informer := f.Core().V1().Namespaces().Informer()
	var told atomic.Int64
	goOn := make(chan struct{})
	count := clientcache.ResourceEventHandlerFuncs{AddFunc: func(any) { <-goOn; told.Add(1) }}
	if _, err := informer.AddEventHandler(count); err != nil {
		t.Fatal(err)
	}
	stopped, err := informer.AddEventHandlerWithOptions(clientcache.ResourceEventHandlerFuncs{AddFunc: func(any) { <-ctx.Done() }}, clientcache.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.StartWithContext(ctx)
	f.WaitForCacheSyncWithContext(ctx)
	for _, name := range []string{"a", "b", "c"} {
		mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	changes, err := r.Store.Changes(ctx, "", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := informer.RemoveEventHandler(stopped); err != nil {
		t.Fatal(err)
	}
	settled := make(chan int64)
	go func() {
		f.Settle(ctx, changes)
		settled <- told.Load()
	}()
	f.Settle(ctx, []storage.Change{{Key: storage.NewKey("configmaps", "a", "b"), Revision: 1000}, {Key: storage.NewKey("roles", "a", "b"), Revision: 1000}})
	close(goOn)
	if n := <-settled; n != 3 {
		t.Errorf("settled after %d events", n)
	}
	cancel()
	f.Shutdown()
}

// Pods are looked up where they are: nothing is kept, and nothing is late.
func TestFactory_pods(t *testing.T) {
	r := mustOpen(t)
	f := informers.New(r, slog.New(slog.DiscardHandler))
	pods := f.Core().V1().Pods().Lister()
	for _, namespace := range []string{"a", "b"} {
		mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
		mustCreate(t, r, "pods", namespace, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"in": namespace}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		})
	}
	if p, err := pods.Pods("b").Get("p"); err != nil || p.Labels["in"] != "b" {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := pods.Pods("c").Get("p"); err == nil {
		t.Error("a pod in a namespace that is not there")
	}
	if in, err := pods.Pods("a").List(labels.Everything()); err != nil || len(in) != 1 {
		t.Errorf("in a: %v, %v", in, err)
	}
	if all, err := pods.List(labels.SelectorFromSet(labels.Set{"in": "b"})); err != nil || len(all) != 1 {
		t.Errorf("all: %v, %v", all, err)
	}
}

func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
	}
}
