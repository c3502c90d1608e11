package controllers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
)

// A counter keeps the status of ResourceQuotas (Kubernetes documentation, "Resource Quotas"). Admission counts new
// objects; the counter counts objects that are older than their quota, and deletions. The rules of counting are
// official. The official controller around them watches every object of every kind; this one watches what a quota
// names.
type counter struct {
	Client
	api      kubernetes.Interface
	log      *slog.Logger
	quotas   listers.ResourceQuotaLister
	registry quota.Registry
	claims   informers.SharedInformerFactory // for counting devices; started when a quota names any
	queue    workqueue.TypedRateLimitingInterface[string]

	running sync.WaitGroup

	mu        sync.Mutex                                           // guards the rest
	resources map[schema.GroupResource]schema.GroupVersionResource // that the server was seen to serve
	watched   map[schema.GroupVersionResource]bool
	seen      map[string]seen // the newest version of each quota, by its key
}

// A seen is when the counter first saw a version of a quota.
type seen struct {
	resourceVersion string
	at              time.Time
}

// settling is how long a version of a quota is left alone before a lower count replaces what it says: admission counts an object before
// it is stored, and a list in between lacks it.
const settling = time.Second

// gathering is how long changes in a namespace are gathered before its quotas are counted once for all of them.
const gathering = 50 * time.Millisecond

// recount is how often every quota is counted again, as in kube-controller-manager.
const recount = 5 * time.Minute

func runQuotas(ctx context.Context, h host) {
	c := &counter{
		Client: h.plain(), api: h.api(), log: h.log, claims: informers.NewSharedInformerFactory(h.api(), 0),
		resources: map[schema.GroupResource]schema.GroupVersionResource{}, watched: map[schema.GroupVersionResource]bool{},
		seen:  map[string]seen{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	evaluators, err := core.NewEvaluators(c.lister, c.claims, nil)
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	c.registry = generic.NewRegistry(evaluators)
	factory := informers.NewSharedInformerFactory(c.api, recount)
	quotas := factory.Core().V1().ResourceQuotas()
	c.quotas = quotas.Lister()
	_, err = quotas.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: c.updated,
	})
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer c.claims.Shutdown()
	defer c.running.Wait()
	go func() {
		<-ctx.Done()
		c.queue.ShutDown()
	}()
	for c.work(ctx) {
	}
}

// updated has a quota counted whose limits have changed, or whose turn it is. A change of the status alone is the
// admission plugin's, which counts an object before it is stored.
func (c *counter) updated(was, is any) {
	old, now := was.(*corev1.ResourceQuota), is.(*corev1.ResourceQuota)
	c.age(now)
	if old.ResourceVersion == now.ResourceVersion || !quota.Equals(old.Spec.Hard, now.Spec.Hard) {
		c.enqueue(now)
	}
}

func (c *counter) enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

// work counts one quota, and reports false when there is no more to do.
func (c *counter) work(ctx context.Context) bool {
	key, ended := c.queue.Get()
	if ended {
		return false
	}
	defer c.queue.Done(key)
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err == nil {
		err = c.count(ctx, namespace, name)
	}
	if err != nil && ctx.Err() == nil {
		c.log.Debug("quota was not counted", "quota", key, "error", err)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// count writes what a quota's namespace uses, if its status says anything else.
func (c *counter) count(ctx context.Context, namespace, name string) error {
	q, err := c.quotas.ResourceQuotas(namespace).Get(name)
	if err != nil { // it is gone
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.seen, namespace+"/"+name)
		return nil
	}
	if err := c.attend(ctx, q); err != nil {
		return err
	}
	used, failed := quota.CalculateUsage(namespace, q.Spec.Scopes, q.Spec.Hard, c.registry, q.Spec.ScopeSelector)
	for resource, last := range q.Status.Used { // the last figure stays where a resource could not be counted
		if _, counted := used[resource]; !counted {
			used[resource] = last
		}
	}
	used = quota.Mask(used, quota.ResourceNames(q.Spec.Hard))
	if q.Status.Used != nil && apiequality.Semantic.DeepEqual(q.Spec.Hard, q.Status.Hard) && quota.Equals(used, q.Status.Used) {
		return failed
	}
	if fits, _ := quota.LessThanOrEqual(q.Status.Used, used); !fits && c.age(q) < settling {
		c.queue.AddAfter(namespace+"/"+name, settling-c.age(q))
		return failed
	}
	next := q.DeepCopy()
	next.Status = corev1.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: used}
	if _, err := c.api.CoreV1().ResourceQuotas(namespace).UpdateStatus(ctx, next, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return failed
}

// age returns how long ago the counter first saw this version of a quota.
func (c *counter) age(q *corev1.ResourceQuota) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := q.Namespace + "/" + q.Name
	if c.seen[key].resourceVersion != q.ResourceVersion {
		c.seen[key] = seen{q.ResourceVersion, time.Now()}
	}
	return time.Since(c.seen[key].at)
}

// recountIn has the quotas of a namespace counted again, once its changes have settled.
func (c *counter) recountIn(namespace string) {
	quotas, err := c.quotas.ResourceQuotas(namespace).List(labels.Everything())
	if err != nil {
		return
	}
	for _, q := range quotas {
		c.queue.AddAfter(q.Namespace+"/"+q.Name, gathering)
	}
}

// recountAll has all quotas counted again.
func (c *counter) recountAll() {
	quotas, err := c.quotas.List(labels.Everything())
	if err != nil {
		return
	}
	for _, q := range quotas {
		c.enqueue(q)
	}
}
