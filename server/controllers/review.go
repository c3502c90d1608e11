package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A table is a collection as it was last seen. It is safe for concurrent use.
type table[T any] struct {
	mu      sync.Mutex // guards what follows
	objects map[string]T
	listed  map[string]bool // what came in the list that is being read
}

// take takes in an event.
func (t *table[T]) take(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.objects == nil {
		t.objects, t.listed = map[string]T{}, map[string]bool{}
	}
	if e.Type == listed {
		maps.DeleteFunc(t.objects, func(key string, _ T) bool { return !t.listed[key] })
		clear(t.listed)
		return
	}
	var m metav1.PartialObjectMetadata
	var object T
	if json.Unmarshal(e.Object, &m) != nil || json.Unmarshal(e.Object, &object) != nil {
		return
	}
	key := m.Namespace + "/" + m.Name
	if e.Type == "DELETED" {
		delete(t.objects, key)
		return
	}
	t.objects[key] = object
	if e.Listed {
		t.listed[key] = true
	}
}

// all returns the objects by namespace and name.
func (t *table[T]) all() []T {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []T
	for _, key := range slices.Sorted(maps.Keys(t.objects)) {
		all = append(all, t.objects[key])
	}
	return all
}

// get returns an object of no namespace.
func (t *table[T]) get(name string) (object T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	object, ok = t.objects["/"+name]
	return object, ok
}

// quiet is how long a review waits for further changes.
const quiet = 100 * time.Millisecond

// review follows collections, by path, and calls act when all have been seen and after changes, once for all changes of
// a moment. An act that fails is tried again.
func (c Client) review(ctx context.Context, log *slog.Logger, takers map[string]func(event), act func(context.Context) error) {
	var unseen gate
	var wg sync.WaitGroup
	defer wg.Wait()
	changed := make(chan struct{}, 1)
	poke := func() {
		select {
		case changed <- struct{}{}:
		default: // a review is due already
		}
	}
	for path, take := range takers {
		seen := unseen.hold()
		wg.Go(func() {
			c.follow(ctx, log, path, func(_ context.Context, e event) {
				take(e)
				if e.Type == listed {
					seen()
				}
				poke()
			})
		})
	}
	for unseen.wait(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		sleep(ctx, quiet)
		if err := act(ctx); err != nil && ctx.Err() == nil {
			log.Debug("review", "controller", c.Name, "error", err)
			time.AfterFunc(time.Second, poke)
		}
	}
}
