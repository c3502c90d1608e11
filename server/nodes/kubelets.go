package nodes

import (
	"context"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"kubarium/server/loopback"
	"kubarium/server/nodes/script"
)

const (
	workers    = 8               // Pods that are taken on at the same time
	retryAfter = 2 * time.Second // for what has failed

	// A missing object is looked for after firstRetry, then after twice as long, up to lastRetry.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 4 * time.Second
)

// kubelets do for all simulated nodes what a kubelet does for one. They share one watch of Pods and one of Nodes.
type kubelets struct {
	api   kubernetes.Interface
	log   *slog.Logger
	nodes map[string]*node // by name; not changed after the start
	queue workqueue.TypedDelayingInterface[types.NamespacedName]
	pods  corelisters.PodLister
	known corelisters.NodeLister

	mu   sync.Mutex // guards runs
	runs map[types.NamespacedName]*run
}

func newKubelets(dialer *loopback.Dialer, log *slog.Logger) *kubelets {
	return &kubelets{
		api: dialer.As("kubelets", manager).Kubernetes(), log: log, nodes: map[string]*node{}, runs: map[types.NamespacedName]*run{},
		queue: workqueue.NewTypedDelayingQueue[types.NamespacedName](),
	}
}

// run works until ctx ends. All that it starts is in wg.
func (k *kubelets) run(ctx context.Context, wg *sync.WaitGroup) {
	bound := informers.NewSharedInformerFactoryWithOptions(k.api, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	}))
	all := informers.NewSharedInformerFactory(k.api, 0)
	pods := bound.Core().V1().Pods()
	k.pods, k.known = pods.Lister(), all.Core().V1().Nodes().Lister()
	enqueue := func(o any) {
		if key, err := cache.DeletionHandlingObjectToName(o); err == nil {
			k.queue.Add(types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
		}
	}
	_, _ = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, o any) { enqueue(o) }, DeleteFunc: enqueue})
	nodes := all.Core().V1().Nodes().Informer()
	for _, n := range k.nodes {
		n.start(ctx)
		wg.Go(func() { <-ctx.Done(); n.events.Shutdown() })
	}
	bound.Start(ctx.Done())
	all.Start(ctx.Done())
	wg.Go(func() {
		defer bound.Shutdown()
		defer all.Shutdown()
		defer k.queue.ShutDown()
		if cache.WaitForCacheSync(ctx.Done(), pods.Informer().HasSynced, nodes.HasSynced) {
			for range workers {
				wg.Go(func() { k.work(ctx) })
			}
			k.beat(ctx)
		}
		<-ctx.Done()
	})
}

// beat renews the Leases and reports the Nodes.
func (k *kubelets) beat(ctx context.Context) {
	ticks := time.NewTicker(renewPeriod)
	defer ticks.Stop()
	reported := time.Now()
	for {
		report := time.Since(reported) > reportPeriod
		if report {
			reported = time.Now()
		}
		for _, n := range k.nodes {
			if !k.alive(n) {
				continue
			}
			err := n.renew(ctx)
			if err == nil && report {
				err = n.report(ctx)
			}
			if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) {
				k.log.Warn("a simulated node was not renewed", "node", n.name, "error", err)
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// alive reports whether the kubelet of a node works: its Node is there, and no annotation says that it is not ready.
func (k *kubelets) alive(n *node) bool {
	o, err := k.known.Get(n.name)
	return err == nil && o.UID == n.uid && o.Annotations[script.Prefix+"ready"] != "false"
}

// work takes Pods from the queue until it is shut down.
func (k *kubelets) work(ctx context.Context) {
	for {
		key, down := k.queue.Get()
		if down {
			return
		}
		again, err := k.sync(ctx, key)
		if err != nil && ctx.Err() == nil {
			k.log.Warn("a simulated Pod does not go on", "pod", key, "error", err)
			again = retryAfter
		}
		k.queue.Done(key)
		if again > 0 {
			k.queue.AddAfter(key, again)
		}
	}
}

// sync takes one Pod to the present, and returns after how long it goes on; 0 if it waits for others.
func (k *kubelets) sync(ctx context.Context, key types.NamespacedName) (again time.Duration, err error) {
	pod, err := k.pods.Pods(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		k.drop(key)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := k.nodes[pod.Spec.NodeName]
	if n == nil {
		return 0, nil
	}
	if !k.alive(n) {
		return retryAfter, nil
	}
	if g := pod.DeletionGracePeriodSeconds; pod.DeletionTimestamp != nil && g != nil && *g == 0 {
		k.drop(key) // only finalizers hold it
		return 0, nil
	}
	r := k.of(key, pod, n)
	if pod.DeletionTimestamp == nil && !podutil.IsPodPhaseTerminal(pod.Status.Phase) {
		if refusal := n.admit(pod, k.known, r.course.Begun()); refusal != nil {
			return 0, r.refuse(ctx, pod, refusal)
		}
	}
	return r.sync(ctx, pod)
}

// of is the run of a Pod; another Pod of the same name begins another one.
func (k *kubelets) of(key types.NamespacedName, pod *corev1.Pod, n *node) *run {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.runs[key]
	if r == nil || r.uid != pod.UID {
		if r != nil {
			r.node.release(r.uid)
		}
		r = newRun(pod, n)
		k.runs[key] = r
	}
	return r
}

func (k *kubelets) drop(key types.NamespacedName) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.runs[key]; r != nil {
		r.node.release(r.uid)
		delete(k.runs, key)
	}
}
