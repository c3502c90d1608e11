package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

const (
	// collectors is how many objects are worked on at once, as in kube-controller-manager.
	collectors = 20
	// patience is how long garbage waits for resources that cannot be listed, as in kube-controller-manager.
	patience = 30 * time.Second
	// lookPause is the least time between two looks at what is served.
	lookPause = 100 * time.Millisecond
)

// While no definition and no APIService changes, what is served is looked up again after firstLook, since discovery may
// show a change late, and then less and less often, at last every lastLook, as in kube-controller-manager.
const (
	firstLook = time.Second
	lastLook  = 30 * time.Second
)

// runGarbage runs the official garbage collector (Kubernetes documentation, "Garbage Collection"), which watches the metadata
// of every resource. It looks up what is served every 30 s; here also as soon as a CustomResourceDefinition or an APIService
// changes.
func runGarbage(ctx context.Context, h host) {
	api, meta := h.api(), h.client.Metadata()
	monitors := newMonitors(ctx, meta)
	defer monitors.running.Wait()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(api.Discovery()))
	started := make(chan struct{})
	close(started)
	gc, err := garbagecollector.NewGarbageCollector(ctx, api, meta, mapper, garbagecollector.DefaultIgnoredResources(), monitors, started)
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	all := discovery.ToDiscoveryInterfaceWithContext(api.Discovery())
	monitors.running.Go(func() { gc.Sync(ctx, &look{api.Discovery(), all, monitors, 0}, lookPause) })
	gc.Run(ctx, collectors, patience)
}

// A look is what the collector asks for the resources that are served. It answers when they may have changed.
type look struct {
	discovery.ServerResourcesInterface
	discovery.ServerResourcesInterfaceWithContext
	monitors *monitors
	pause    time.Duration // until the next look
}

// ServerPreferredResourcesWithContext waits until it is time to look, and returns the resources that are served.
func (l *look) ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	select {
	case <-l.monitors.changed:
		l.pause = firstLook
	case <-time.After(l.pause):
		l.pause = min(max(2*l.pause, firstLook), lastLook)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	served, err := l.ServerResourcesInterfaceWithContext.ServerPreferredResourcesWithContext(ctx)
	l.monitors.keep(served, err)
	return served, err
}
