package informers

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"

	"kubarium/server/storage"
)

// longestSettle bounds how long Settle waits: an informer that has to list again does so after a second.
const longestSettle = 2 * time.Second

// Settle waits until the informers that run, and all handlers of their events, have seen these changes, so that the
// guards of requests know them. It gives up after a while.
func (f *Factory) Settle(ctx context.Context, changes []storage.Change) {
	newest := map[string]int64{}
	for _, c := range changes {
		newest[c.Key.Resource] = int64(c.Revision)
	}
	ctx, cancel := context.WithTimeout(ctx, longestSettle)
	defer cancel()
	for _, informer := range f.begun() {
		t, ok := informer.(*told)
		if !ok || newest[t.resource] == 0 {
			continue
		}
		for !t.upTo(newest[t.resource]) {
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
	}
}

// told is an informer that knows the newest revision that all handlers of its events have seen.
type told struct {
	cache.SharedIndexInformer
	resource string

	mu       sync.Mutex // guards handlers
	handlers map[cache.ResourceEventHandlerRegistration]*handler
}

// newTold adds a handler of its own, which is called after the index has the change.
func newTold(informer cache.SharedIndexInformer, resource string) *told {
	t := &told{SharedIndexInformer: informer, resource: resource, handlers: map[cache.ResourceEventHandlerRegistration]*handler{}}
	_, _ = t.AddEventHandler(cache.ResourceEventHandlerFuncs{}) // which an informer that has ended alone refuses
	return t
}

func (t *told) upTo(revision int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.handlers {
		if h.seen.Load() < revision {
			return false
		}
	}
	return true
}

// AddEventHandler fulfils cache.SharedInformer.
func (t *told) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return t.add(h, t.SharedIndexInformer.AddEventHandler)
}

// AddEventHandlerWithResyncPeriod fulfils cache.SharedInformer.
func (t *told) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return t.add(h, func(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
		return t.SharedIndexInformer.AddEventHandlerWithResyncPeriod(h, resync)
	})
}

// AddEventHandlerWithOptions fulfils cache.SharedInformer.
func (t *told) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return t.add(h, func(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
		return t.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
	})
}

func (t *told) add(h cache.ResourceEventHandler, to func(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error)) (cache.ResourceEventHandlerRegistration, error) {
	noting := &handler{ResourceEventHandler: h}
	registration, err := to(noting)
	if err != nil {
		return registration, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.handlers[registration] = noting
	return registration, nil
}

// RemoveEventHandler fulfils cache.SharedInformer.
func (t *told) RemoveEventHandler(r cache.ResourceEventHandlerRegistration) error {
	t.mu.Lock()
	delete(t.handlers, r)
	t.mu.Unlock()
	return t.SharedIndexInformer.RemoveEventHandler(r)
}

// A handler notes the newest revision that it has seen.
type handler struct {
	cache.ResourceEventHandler
	seen atomic.Int64
}

// OnAdd fulfils cache.ResourceEventHandler.
func (h *handler) OnAdd(obj any, initial bool) {
	h.ResourceEventHandler.OnAdd(obj, initial)
	h.note(obj)
}

// OnUpdate fulfils cache.ResourceEventHandler.
func (h *handler) OnUpdate(old, obj any) {
	h.ResourceEventHandler.OnUpdate(old, obj)
	h.note(obj)
}

// OnDelete fulfils cache.ResourceEventHandler.
func (h *handler) OnDelete(obj any) {
	h.ResourceEventHandler.OnDelete(obj)
	h.note(obj)
}

// note is called by one goroutine at a time.
func (h *handler) note(obj any) {
	o, err := meta.Accessor(obj)
	if err != nil { // of a deletion that was missed
		return
	}
	if revision, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64); err == nil && revision > h.seen.Load() {
		h.seen.Store(revision)
	}
}
