package planted

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// A controller keeps a Deployment and a Service for each Site. It is built as client-go's documentation advises: shared
// informers, a queue of keys, and rounds that compare what is there with what should be.
type controller struct {
	*client
	*progress
	steps

	siteStore   cache.SharedIndexInformer
	others      informers.SharedInformerFactory
	deployments cache.SharedIndexInformer
	services    cache.SharedIndexInformer
	queue       workqueue.TypedRateLimitingInterface[string]
	released    map[types.UID]bool // Sites that were let go, of which the informer may not know yet; only for rounds
	running     sync.WaitGroup
}

func newController(c *client, s steps) (*controller, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace(c.namespace))
	n := &controller{
		client: c, progress: newProgress(), steps: s,
		siteStore: cache.NewSharedIndexInformer(c.listWatch(), &Site{}, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
		others:      factory,
		deployments: factory.Apps().V1().Deployments().Informer(),
		services:    factory.Core().V1().Services().Informer(),
		released:    map[types.UID]bool{},
		queue:       workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	return n, errors.Join(
		n.follow("Site", n.siteStore), n.follow("Deployment", n.deployments), n.follow("Service", n.services))
}

func (c *client) listWatch() *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.sites.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.sites.Watch(ctx, o)
		},
	}
}

// follow puts the Site into the queue that an object belongs to, whenever that changes. A Site's objects have its name.
func (c *controller) follow(kind string, i cache.SharedIndexInformer) error {
	note := func(obj any, deleted bool) {
		if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = last.Obj
		}
		o := obj.(metav1.Object)
		key := o.GetNamespace() + "/" + o.GetName()
		c.saw(kind, o, deleted, key)
		c.queue.Add(key)
	}
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { note(obj, false) },
		UpdateFunc: func(_, obj any) { note(obj, false) },
		DeleteFunc: func(obj any) { note(obj, true) },
	})
	return err
}

// start begins to watch and to work, and returns when the stores hold what is there.
func (c *controller) start(ctx context.Context) error {
	c.running.Go(func() { c.siteStore.RunWithContext(ctx) })
	c.others.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.siteStore.HasSynced, c.deployments.HasSynced, c.services.HasSynced) {
		return fmt.Errorf("informers: %w", context.Cause(ctx))
	}
	if err := c.steps.begin(ctx, c); err != nil {
		return err
	}
	c.running.Go(func() {
		for c.work(ctx) {
		}
	})
	return nil
}

// stop waits for the end of everything that start began. Its context has ended.
func (c *controller) stop() {
	c.queue.ShutDown()
	c.others.Shutdown()
	c.running.Wait()
}

// work takes one Site out of the queue. It returns false when the queue is closed.
func (c *controller) work(ctx context.Context) bool {
	key, closed := c.queue.Get()
	if closed {
		return false
	}
	defer c.queue.Done(key)
	c.mu.Lock()
	covers := c.asked[key]
	c.mu.Unlock()
	if err := c.reconcile(ctx, key); err != nil {
		c.count("errors")
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	c.update(func() { c.done[key] = covers })
	return true
}

// settle waits until the controller rests, or has done enough.
func (c *controller) settle(ctx context.Context, enough ...func() bool) error {
	return c.until(ctx, append(enough, c.rests)...)
}

// until waits until one of the conditions holds, but not for ever.
func (c *controller) until(ctx context.Context, conditions ...func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, settling, errors.New("it does not get there"))
	defer cancel()
	return c.wait(ctx, conditions...)
}

// settling is how long a controller may take to do what a change asks of it, on a busy machine.
const settling = 30 * time.Second
