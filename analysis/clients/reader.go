package clients

import (
	"time"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/rule"
)

// Limits of what is kept: some 30 MB for all clients together.
const (
	maxClients  = 1024
	maxObjects  = 1000   // of one client
	allObjects  = 50_000 // of all clients together
	maxRetries  = 100
	maxTries    = 12
	maxRefusals = 50
	maxCommits  = 1 << 14
	maxPutters  = 4096   // finalizers, with the client that added each
	maxOpen     = 10_000 // objects that are terminating; of more, it begins again
	maxEnded    = 32     // watches that ended, of one program
	maxManagers = 8      // field managers of one client
	maxName     = 253    // bytes of a name, Kubernetes' own limit
)

// A Reader follows the flows of a run. It is not safe for concurrent use.
type Reader struct {
	// Held returns the requests and events that fault rules hold; nil if that is not known.
	Held func() []rule.Held
	// Underway returns the requests that have not been answered; nil if that is not known.
	Underway func() []flow.Underway

	watches   func() []*flow.Watch
	clients   recent[string, *client]
	programs  recent[string, *program]
	objects   int // of all clients
	commits   commits
	deletions *deletion.Log
	putters   recent[finalizer, putter]
	missed    uint64
}

// NewReader returns a Reader that has seen nothing. watches are those of the run, open and ended.
func NewReader(watches func() []*flow.Watch) *Reader {
	return &Reader{
		watches:   watches,
		clients:   recent[string, *client]{most: maxClients},
		programs:  recent[string, *program]{most: maxClients},
		putters:   recent[finalizer, putter]{most: maxPutters},
		deletions: deletion.NewLog(),
	}
}

// A client is what is kept of one.
type client struct {
	Client             // its counts
	program  string    // Client.Program
	lease    bool      // its newest request was about a Lease
	latest   time.Time // when its newest answer was complete
	objects  recent[object.Ref, Object]
	attempts recent[attempt, *tries]
	refusals recent[refused, Refusal]
	managers []string // names under which it owns fields
	wrote    time.Time
	watched  int // how many watches it has opened
}

// Add reads the next flow.
func (r *Reader) Add(f *flow.Flow) {
	c := r.client(f)
	end := f.Start.Add(f.Duration)
	if end.After(c.latest) {
		c.latest = end
	}
	r.follow(f)
	if f.Phase == flow.WatchClosed {
		return // its opening was counted
	}
	c.count(f)
	for i := range f.Effects {
		r.commits.note(f, &f.Effects[i])
	}
	r.finalizers(f)
	if f.Target.Resource == "" {
		return
	}
	ref := refOf(f)
	had := len(c.objects.of)
	c.touch(f, ref, end)
	r.objects += len(c.objects.of) - had
	c.try(f, ref, end)
	if f.Status >= 400 {
		c.refuse(f, ref, end)
	}
	r.trim(c)
}

// Missed notes that so many flows before the next one are not known. It forgets what was going on: a write that was
// accepted may be among them, or the end of a deletion.
func (r *Reader) Missed(n uint64) {
	if n == 0 {
		return
	}
	r.missed += n
	r.deletions = deletion.NewLog()
	r.programs = recent[string, *program]{most: maxClients}
	for _, c := range r.clients.all() {
		(*c).attempts = recent[attempt, *tries]{most: maxRetries}
	}
}

// client is what is kept of a flow's client.
func (r *Reader) client(f *flow.Flow) *client {
	tag := f.Client.Tag
	at := r.clients.has(tag)
	if at == nil && len(r.clients.of) >= maxClients {
		oldest := r.clients.order.Back().Value.(*used[string, *client]).value
		r.objects -= len(oldest.objects.of)
	}
	at = r.clients.use(tag)
	if *at == nil {
		*at = &client{
			objects:  recent[object.Ref, Object]{most: maxObjects},
			attempts: recent[attempt, *tries]{most: maxRetries},
			refusals: recent[refused, Refusal]{most: maxRefusals},
		}
	}
	c := *at
	if c.Client.Client != f.Client {
		c.Client.Client, c.program = f.Client, f.Client.Program()
	}
	return c
}

// count notes a request.
func (c *client) count(f *flow.Flow) {
	c.Requests++
	if c.First.IsZero() || f.Start.Before(c.First) {
		c.First = f.Start
	}
	if f.Start.After(c.Last) {
		c.Last = f.Start
	}
	if len(f.Effects) > 0 {
		c.Writes++
	}
	if f.Status >= 400 {
		c.Refused++
	}
	c.lease = f.Target.Group == "coordination.k8s.io"
	c.manage(f)
}

// trim keeps all clients' objects within their bound: the client with the oldest requests forgets its own first.
func (r *Reader) trim(newest *client) {
	for e := r.clients.order.Back(); e != nil && r.objects > allObjects; e = e.Prev() {
		if c := e.Value.(*used[string, *client]).value; c != newest {
			r.objects -= len(c.objects.of)
			c.objects = recent[object.Ref, Object]{most: maxObjects}
		}
	}
}

// Tags are the clients that sent anything, the one with the newest request first.
func (r *Reader) Tags() []string {
	out := make([]string, 0, len(r.clients.of))
	for tag := range r.clients.all() {
		out = append(out, tag)
	}
	return out
}

// Of returns what the client with this tag did up to now; nil if it sent nothing, or is no longer kept.
func (r *Reader) Of(tag string, now time.Time) *Client {
	at := r.clients.has(tag)
	if at == nil {
		return nil
	}
	c := *at
	out := c.Client
	out.Missed = r.missed
	out.Watches = r.watchesOf(c, now)
	out.Objects = make([]Object, 0, len(c.objects.of))
	for _, o := range c.objects.all() {
		out.Objects = append(out.Objects, *o)
	}
	out.Retries = c.retries(now)
	for _, f := range c.refusals.all() {
		out.Refusals = append(out.Refusals, *f)
	}
	out.Waits = r.waits(c, &out, now)
	return &out
}
