package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A collector is the garbage collector (Kubernetes documentation, "Garbage Collection"): it deletes objects whose owners
// are all gone, and does what the finalizers foregroundDeletion and orphan ask for. It watches the metadata of every
// resource, keeps the graph of owners, and works on one object at a time, a few at once. A change of a
// CustomResourceDefinition has it look anew at what there is to watch.
type collector struct {
	Client
	log     *slog.Logger
	unseen  gate          // held for each resource that has not been listed yet: dependents may be missing from the graph
	changed chan struct{} // a definition has changed since resources were looked up

	mu      sync.Mutex // guards what follows; nothing is sent while it is held
	graph   graph
	kinds   map[string]collection // by apiVersion and kind, as owner references name them
	pending map[types.UID]bool    // waiting in queue
	queue   chan types.UID
}

// collectors is how many objects are worked on at once.
const collectors = 8

func newCollector(c Client, log *slog.Logger) *collector {
	c.Accept = metadataList
	return &collector{
		Client: c, log: log, changed: make(chan struct{}, 1),
		graph: graph{}, kinds: map[string]collection{}, pending: map[types.UID]bool{}, queue: make(chan types.UID, 1024),
	}
}

// gathering is how long changes of definitions are gathered before resources are looked up once for all of them. It is
// short beside the time in which anybody notices that garbage is there.
const gathering = 50 * time.Millisecond

// run collects until ctx ends.
func (c *collector) run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	watched := map[collection]context.CancelFunc{}
	for !c.look(ctx, &wg, watched) {
		if sleep(ctx, time.Second); ctx.Err() != nil {
			return
		}
	}
	for range collectors {
		wg.Go(func() { c.work(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.changed:
			sleep(ctx, gathering)
			if !c.look(ctx, &wg, watched) {
				c.definitionChanged()
			}
		}
	}
}

// look looks up what is served, begins to watch what is new and ends watching what is gone, whose objects leave the graph.
// It reports false if it could not be looked up.
func (c *collector) look(ctx context.Context, wg *sync.WaitGroup, watched map[collection]context.CancelFunc) bool {
	served, err := c.inventory(ctx)
	if err != nil {
		return false
	}
	c.mu.Lock()
	c.kinds = served.kinds
	c.mu.Unlock()
	there := map[collection]bool{}
	for _, in := range served.collections {
		there[in] = in.resource != "events" // nobody owns events, and there are many
		if there[in] && watched[in] == nil {
			life, end := context.WithCancel(ctx)
			watched[in] = end
			seen := c.unseen.hold()
			time.AfterFunc(patience, seen)
			wg.Go(func() {
				c.watch(life, in, seen)
				c.sweep(ctx, in, forever)
			})
		}
	}
	for in, end := range watched {
		if !there[in] {
			end()
			delete(watched, in)
		}
	}
	return true
}

const (
	// patience is how long garbage waits for a resource that can not be listed, as with kube-controller-manager.
	patience = 30 * time.Second
	// forever is a round that no list reaches.
	forever = int(^uint(0) >> 1)
)

// definitionChanged asks to look up resources again.
func (c *collector) definitionChanged() {
	select {
	case c.changed <- struct{}{}:
	default: // it was asked for already
	}
}

// watch keeps the graph's nodes of one resource. seen is called when all of them have been seen, and again.
func (c *collector) watch(ctx context.Context, in collection, seen func()) {
	defer seen()
	round := 0
	c.follow(ctx, c.log, in.in(""), func(ctx context.Context, e event) {
		if e.Type == listed {
			c.sweep(ctx, in, round)
			seen()
			round++
			return
		}
		if in.definesKinds() {
			c.definitionChanged()
		}
		var object metav1.PartialObjectMetadata
		if json.Unmarshal(e.Object, &object) == nil {
			last := round // that the object was in
			if !e.Listed {
				last--
			}
			c.take(ctx, in, e.Type, object.ObjectMeta, last)
		}
	})
}

// take takes an event into the graph, and enqueues what it may concern.
func (c *collector) take(ctx context.Context, in collection, eventType string, m metav1.ObjectMeta, round int) {
	c.mu.Lock()
	var next []types.UID
	if eventType == "DELETED" {
		next = c.graph.remove(m.UID)
	} else {
		before := c.graph.node(m.UID).owners
		n := c.graph.put(in, m, round)
		if len(n.owners) > 0 || n.deleting && len(n.finalizers) > 0 {
			next = append(next, n.uid)
		}
		for _, o := range before {
			next = append(next, o.UID) // it may have waited for this dependent
		}
		if n.deleting {
			for d := range n.dependents {
				next = append(next, d)
			}
		}
	}
	c.mu.Unlock()
	c.enqueue(ctx, next...)
}

// sweep takes out objects that were there before a list and did not come in it.
func (c *collector) sweep(ctx context.Context, in collection, round int) {
	c.mu.Lock()
	var next []types.UID
	for uid, n := range c.graph {
		if n.present && n.in == in && n.round < round {
			next = append(next, c.graph.remove(uid)...)
		}
	}
	c.mu.Unlock()
	c.enqueue(ctx, next...)
}

// enqueue asks for work on objects; those that wait already are not asked for twice.
func (c *collector) enqueue(ctx context.Context, uids ...types.UID) {
	for _, uid := range uids {
		c.mu.Lock()
		waits := c.pending[uid]
		c.pending[uid] = true
		c.mu.Unlock()
		if waits {
			continue
		}
		select {
		case c.queue <- uid:
		case <-ctx.Done():
			return
		default: // a full queue must not stop a watch
			go func() {
				select {
				case c.queue <- uid:
				case <-ctx.Done():
				}
			}()
		}
	}
}

// retryAfter is how long an object waits after work on it went wrong.
const retryAfter = 200 * time.Millisecond

// work takes objects from the queue until ctx ends.
func (c *collector) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case uid := <-c.queue:
			c.mu.Lock()
			delete(c.pending, uid)
			c.mu.Unlock()
			if !c.unseen.wait(ctx) {
				return
			}
			if err := c.collect(ctx, uid); err != nil && ctx.Err() == nil {
				c.log.Debug("garbage is not collected yet", "uid", uid, "error", err)
				time.AfterFunc(retryAfter, func() { c.enqueue(ctx, uid) })
			}
		}
	}
}

// A task is a copy of what the graph says of an object, to work on without the lock.
type task struct {
	node
	dependents []node
	owners     []owner
}

// An owner is an owner reference and what the graph says of its object.
type owner struct {
	metav1.OwnerReference
	present bool
	waits   bool // it is being deleted and waits for its dependents
}

// task copies a node; false if there is nothing to work on.
func (c *collector) task(uid types.UID) (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.graph[uid]
	if n == nil || !n.present {
		return task{}, false
	}
	t := task{node: *n}
	for _, d := range n.dependents {
		t.dependents = append(t.dependents, *d)
	}
	for _, ref := range n.owners {
		o := owner{OwnerReference: ref}
		if p := c.graph[ref.UID]; p != nil && p.present && c.sees(n, p) {
			o.present, o.waits = true, p.deleting && p.holds(metav1.FinalizerDeleteDependents)
		}
		t.owners = append(t.owners, o)
	}
	return t, true
}

// sees tells whether an object can be owned by another: owners live in the same namespace, or in none.
func (c *collector) sees(n, owner *node) bool {
	return owner.namespace == "" || owner.namespace == n.namespace
}

// collect does what one object needs.
func (c *collector) collect(ctx context.Context, uid types.UID) error {
	t, ok := c.task(uid)
	switch {
	case !ok:
		return nil
	case t.deleting && t.holds(metav1.FinalizerOrphanDependents):
		return c.orphan(ctx, t)
	case t.deleting && t.holds(metav1.FinalizerDeleteDependents):
		return c.deleteDependents(ctx, t)
	case t.deleting || len(t.owners) == 0:
		return nil
	}
	return c.deleteIfOwnerless(ctx, t)
}

// orphan takes the owner reference off all dependents, and then lets the object go.
func (c *collector) orphan(ctx context.Context, t task) error {
	for _, d := range t.dependents {
		if err := c.dropOwners(ctx, d, []types.UID{t.uid}); err != nil {
			return err
		}
	}
	return c.dropFinalizer(ctx, t, metav1.FinalizerOrphanDependents)
}

// deleteDependents deletes dependents in the foreground, and lets the object go when none is left that blocks it.
func (c *collector) deleteDependents(ctx context.Context, t task) error {
	blocked := false
	for _, d := range t.dependents {
		if blocks(d, t.uid) {
			blocked = true
		}
		c.enqueue(ctx, d.uid)
	}
	if blocked {
		return nil
	}
	return c.dropFinalizer(ctx, t, metav1.FinalizerDeleteDependents)
}

// blocks tells whether a dependent keeps its owner from going.
func blocks(d node, owner types.UID) bool {
	return slices.ContainsFunc(d.owners, func(o metav1.OwnerReference) bool {
		return o.UID == owner && o.BlockOwnerDeletion != nil && *o.BlockOwnerDeletion
	})
}

// deleteIfOwnerless deletes an object none of whose owners will stay. With one that stays, it loses its references to
// the others.
func (c *collector) deleteIfOwnerless(ctx context.Context, t task) error {
	var gone []types.UID
	stays, waits := false, false
	for _, o := range t.owners {
		present, err := c.there(ctx, t, o)
		switch {
		case err != nil:
			return err
		case !present:
			gone = append(gone, o.UID)
		case o.waits:
			waits = true
			gone = append(gone, o.UID)
		default:
			stays = true
		}
	}
	switch {
	case stays && len(gone) > 0:
		return c.dropOwners(ctx, t.node, gone)
	case stays:
		return nil
	case waits && len(t.dependents) > 0:
		return c.delete(ctx, t.node, metav1.DeletePropagationForeground)
	}
	return c.delete(ctx, t.node, policyOf(t.node))
}

// policyOf is how an object is deleted whose owners are gone: as its own finalizers say, else in the background.
func policyOf(n node) metav1.DeletionPropagation {
	switch {
	case n.holds(metav1.FinalizerOrphanDependents):
		return metav1.DeletePropagationOrphan
	case n.holds(metav1.FinalizerDeleteDependents):
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// there tells whether an owner exists. One that the graph has not seen is asked for, since its own watch may be behind;
// one of a kind that is not served is taken to be there, because nobody can know.
func (c *collector) there(ctx context.Context, t task, o owner) (bool, error) {
	if o.present {
		return true, nil
	}
	c.mu.Lock()
	in, ok := c.kinds[o.APIVersion+" "+o.Kind]
	c.mu.Unlock()
	if !ok {
		return true, nil
	}
	namespace := ""
	if in.namespaced {
		if namespace = t.namespace; namespace == "" {
			return true, nil // a cluster-wide object can not be owned by one in a namespace: leave it alone
		}
	}
	var found metav1.PartialObjectMetadata
	one := c.Client
	one.Accept = metadataOnly
	err := one.do(ctx, http.MethodGet, in.in(namespace)+"/"+o.Name, nil, &found)
	if isNotFound(err) {
		return false, nil
	}
	return err == nil && found.UID == o.UID, err
}

// delete deletes the object that was looked at, and no other of its name.
func (c *collector) delete(ctx context.Context, n node, policy metav1.DeletionPropagation) error {
	o := metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		Preconditions:     &metav1.Preconditions{UID: &n.uid},
		PropagationPolicy: &policy,
	}
	return c.settled(c.plain(ctx, http.MethodDelete, n.path(), o))
}

// dropOwners takes owner references off an object, if it is still as it was.
func (c *collector) dropOwners(ctx context.Context, n node, uids []types.UID) error {
	return c.edit(ctx, n, func(m *metav1.ObjectMeta) {
		m.OwnerReferences = slices.DeleteFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool { return slices.Contains(uids, o.UID) })
	})
}

// dropFinalizer takes a finalizer off an object.
func (c *collector) dropFinalizer(ctx context.Context, t task, finalizer string) error {
	return c.edit(ctx, t.node, func(m *metav1.ObjectMeta) {
		m.Finalizers = slices.DeleteFunc(m.Finalizers, func(f string) bool { return f == finalizer })
	})
}

// edit changes the owners and finalizers of an object in its newest version.
func (c *collector) edit(ctx context.Context, n node, change func(*metav1.ObjectMeta)) error {
	var object metav1.PartialObjectMetadata
	one := c.Client
	one.Accept = metadataOnly
	if err := one.do(ctx, http.MethodGet, n.path(), nil, &object); err != nil {
		return c.settled(err)
	}
	if object.UID != n.uid {
		return nil
	}
	change(&object.ObjectMeta)
	return c.settled(c.plain(ctx, http.MethodPatch, n.path(), map[string]any{"metadata": map[string]any{
		"resourceVersion": object.ResourceVersion, "uid": object.UID,
		"ownerReferences": object.OwnerReferences, "finalizers": object.Finalizers,
	}}))
}

// plain sends a request whose answer does not matter.
func (c *collector) plain(ctx context.Context, method, path string, body any) error {
	one := c.Client
	one.Accept = ""
	return one.do(ctx, method, path, body, nil)
}

// settled makes nothing of an object that is gone already; a conflict is tried again.
func (c *collector) settled(err error) error {
	if isNotFound(err) {
		return nil
	}
	var refused *StatusError
	if errors.As(err, &refused) && refused.Status.Code == http.StatusUnprocessableEntity {
		c.log.Warn("garbage can not be collected", "error", err)
		return nil
	}
	return err
}
