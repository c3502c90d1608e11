package controllers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A collector is the garbage collector (Kubernetes documentation, "Garbage Collection"): it deletes objects whose owners
// are all gone, and does what the finalizers foregroundDeletion and orphan ask for. It watches the metadata of every
// resource, keeps the graph of owners, and works on one object at a time, a few at once. A change of a
// CustomResourceDefinition, or of an APIService that leads to another server, has it look anew at what there is to watch. It
// looks again and again as long as there are such servers, since nobody tells when what they serve changes.
type collector struct {
	Client
	log     *slog.Logger
	unseen  gate          // held for each resource that has not been listed yet: dependents may be missing from the graph
	changed chan struct{} // a definition or an APIService has changed since resources were looked up

	mu        sync.Mutex // guards what follows; nothing is sent while it is held
	graph     graph
	kinds     map[string]collection // by apiVersion and kind, as owner references name them
	pending   map[types.UID]bool    // waiting in queue
	failures  map[types.UID]int     // how often work on an object went wrong in a row
	elsewhere map[types.UID]bool    // APIServices that lead to other servers
	queue     chan types.UID
}

// collectors is how many objects are worked on at once.
const collectors = 8

func runGarbage(ctx context.Context, h host) { newCollector(h.plain(), h.log).run(ctx) }

func newCollector(c Client, log *slog.Logger) *collector {
	c.Accept = metadataList
	return &collector{
		Client: c, log: log, changed: make(chan struct{}, 1),
		graph: graph{}, kinds: map[string]collection{}, pending: map[types.UID]bool{},
		failures: map[types.UID]int{}, elsewhere: map[types.UID]bool{}, queue: make(chan types.UID, 1024),
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
	pause := firstLook
	for {
		var again <-chan time.Time
		if c.looksElsewhere() {
			again = time.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.changed:
			pause = firstLook
			sleep(ctx, gathering)
		case <-again:
			pause = min(2*pause, lastLook)
		}
		if !c.look(ctx, &wg, watched) {
			c.kindsChanged()
		}
	}
}

// While there are servers behind this one, resources are looked up again after a second, since discovery may not know of a change at
// once, and then more and more seldom, in the end as often as kube-controller-manager does.
const (
	firstLook = time.Second
	lastLook  = 30 * time.Second
)

// looksElsewhere tells whether there are servers behind this one.
func (c *collector) looksElsewhere() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.elsewhere) > 0
}

// look looks up what is served, begins to watch what is new and ends watching what is gone, whose objects leave the graph.
// What a server serves that is away stays as it was. It reports false if it could not be looked up.
func (c *collector) look(ctx context.Context, wg *sync.WaitGroup, watched map[collection]context.CancelFunc) bool {
	served, err := c.inventory(ctx)
	if err != nil {
		c.log.Debug("resources are not known", "controller", c.Name, "error", err)
		return false
	}
	c.mu.Lock()
	for name, in := range c.kinds {
		if served.away[in.version] {
			served.kinds[name] = in
		}
	}
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
		if !there[in] && !served.away[in.version] {
			end()
			delete(watched, in)
		}
	}
	return true
}

const (
	// patience is how long garbage waits for a resource that cannot be listed, as with kube-controller-manager.
	patience = 30 * time.Second
	// forever is a round that no list reaches.
	forever = int(^uint(0) >> 1)
)

// kindsChanged asks to look up resources again.
func (c *collector) kindsChanged() {
	select {
	case c.changed <- struct{}{}:
	default: // it was asked for already
	}
}
