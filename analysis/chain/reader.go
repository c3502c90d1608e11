package chain

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/flow/object"
)

const (
	mostChains  = 4096 // kept, in each half
	mostClients = 1024 // whose reads are known, in each half
	mostWrites  = 4096 // objects of clients whose last write is known, in each half
	keptReads   = 16   // of a client
	// lookAgain is how many flows pass at least before the watches of the run are asked for again after a gap.
	lookAgain = 256
)

// A Reader follows the flows of a run. It is not safe for concurrent use.
type Reader struct {
	watches func() []*flow.Watch
	seq     uint64 // of the last flow; 0 before the first
	looked  uint64 // the flow before which the watches were asked for

	facts   facts
	streams streams
	clients recent[string, *client]
	writes  recent[writeKey, *lastWrite]
	chains  recent[uint64, *Chain]
}

// A client is one client's program and what it read last.
type client struct {
	like    flow.Client
	key     string // of its program
	program *program
	reads   []read // the newest last; at most keptReads
}

// A read is a request that read.
type read struct {
	Read
	about    object.Ref // without a name for a list
	part     bool       // a list by a selector, or of a page
	answered time.Time
}

// A writeKey names an object to a client. Subresources are written apart: each has its own reasons.
type writeKey struct {
	client, subresource string
	object              object.Ref
}

// A lastWrite is what a client wrote last to an object.
type lastWrite struct {
	accepted uint64    // the number of the flow; 0 for none
	at       time.Time // when it began
	since    int64     // when the event came that led to it, or its begin
	refused  uint64    // the last one that was refused since; 0 for none
	verb     string    // of that
}

// NewReader returns a Reader that has seen nothing. watches are those of the run, open and ended: the Reader takes most
// from the flows of their opening, and asks for them at its first flow and where flows are missing. It may be nil.
func NewReader(watches func() []*flow.Watch) *Reader {
	r := &Reader{
		watches: watches,
		facts:   newFacts(),
		clients: newRecent[string, *client](mostClients),
		writes:  newRecent[writeKey, *lastWrite](mostWrites),
		chains:  newRecent[uint64, *Chain](mostChains),
	}
	r.streams = newStreams(&r.facts)
	return r
}

// Add reads the next flow, and returns the chain of a write, of a refused one too; nil for other flows and where
// nothing is known. Where the flow has a chain, noted as the run went on, it is that one. Flows should be read soon
// after they came: a watch keeps its last frames only.
func (r *Reader) Add(f *flow.Flow) *Chain {
	r.look(f)
	if end := f.Start.Add(f.Duration + tolerance); end.After(r.streams.until) {
		r.streams.until = end
	}
	r.streams.next()
	switch f.Phase {
	case flow.WatchOpened:
		r.streams.open(f.Watch)
		return nil
	case flow.WatchClosed:
		if f.Watch != nil {
			r.streams.close(f.Watch)
		}
		return nil
	}
	switch verb := f.Target.Verb; {
	case f.Target.Resource == "":
		return nil
	case verb == "get", verb == "list":
		r.read(f)
		return nil
	case !isWrite(f):
		return nil
	}
	return r.write(f)
}

// look asks for the watches whose opening was not read.
func (r *Reader) look(f *flow.Flow) {
	first, gap := r.seq == 0, f.Seq != r.seq+1 && f.Seq-r.looked > lookAgain
	if r.seq = f.Seq; !first && !gap || r.watches == nil {
		return
	}
	r.looked = f.Seq
	for _, w := range r.watches() {
		r.streams.open(w)
	}
}

// isWrite reports whether a request meant to change an object.
func isWrite(f *flow.Flow) bool {
	switch f.Target.Verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
	default:
		return false
	}
	if f.Target.Review() || strings.Contains(f.Query, "dryRun=") {
		return false
	}
	return f.Method != http.MethodDelete || !strings.Contains(string(f.RequestBody.Kept), "dryRun")
}

// clientOf returns what is known of the client of a flow.
func (r *Reader) clientOf(f *flow.Flow) *client {
	c, ok := r.clients.get(f.Client.Tag)
	if !ok {
		c = &client{}
		r.clients.set(f.Client.Tag, c)
	}
	if !ok || c.like.UserAgent != f.Client.UserAgent || c.like.Session != f.Client.Session ||
		c.like.Remote != f.Client.Remote {
		if key := f.Client.Program(); key != c.key {
			c.key, c.program = key, nil
		}
		c.like = f.Client
	}
	if c.program == nil {
		c.program, _ = r.streams.programs.get(c.key)
	}
	return c
}

// read notes what a client read.
func (r *Reader) read(f *flow.Flow) {
	if f.Status >= 400 || f.Status == 0 {
		return
	}
	c, about := r.clientOf(f), object.RefOfTarget(f.Target)
	c.reads = push(c.reads, read{
		Read: Read{
			Seq: f.Seq, Verb: f.Target.Verb, Resource: about.Resource, Name: f.Target.Name, Revision: f.Revision,
		},
		about:    about,
		part:     strings.Contains(f.Query, "Selector=") || f.Page != nil && (f.Page.Next != "" || f.Page.Token != ""),
		answered: f.Start.Add(f.Duration),
	}, keptReads)
}

// write makes the chain of a write.
func (r *Reader) write(f *flow.Flow) *Chain {
	c := r.clientOf(f)
	if c.program != nil {
		r.streams.wrote(c.program)
		r.streams.fileAll(c.program, f.Start.Add(-together).UnixNano())
	}
	w := r.written(f)
	last, ok := r.writes.get(w.key)
	if !ok {
		last = &lastWrite{}
		if !object.IsEvent(w.object.Resource) { // of most there is one write
			r.writes.set(w.key, last)
		}
	}
	made := f.Chain
	if made == nil {
		made = r.chain(c, w, last)
	}
	last.note(f, made)
	if made != nil {
		r.chains.set(made.Write, made)
	}
	return made
}

// note takes the write for what later ones follow.
func (l *lastWrite) note(f *flow.Flow, c *Chain) {
	if f.Status >= 400 || f.Status == 0 {
		l.refused, l.verb = f.Seq, f.Target.Verb
		return
	}
	*l = lastWrite{accepted: f.Seq, at: f.Start, since: f.Start.UnixNano()}
	if c != nil && len(c.Events) > 0 && c.Events[0].Link != Time {
		l.since = min(l.since, c.Events[0].Written.UnixNano())
	}
}

// Of returns the chain of a write that was read, nil if there is none or it is no longer kept. It names the requests
// that committed the events, also those that were read after the write, since they were answered later. The caller must
// not change it.
func (r *Reader) Of(write uint64) *Chain {
	c, _ := r.chains.get(write)
	return r.completed(c)
}

// All returns the chains that are kept, by their writes.
func (r *Reader) All() map[uint64]*Chain {
	all := make(map[uint64]*Chain, len(r.chains.fresh)+len(r.chains.older))
	for _, half := range []map[uint64]*Chain{r.chains.older, r.chains.fresh} {
		for write, c := range half {
			all[write] = r.completed(c)
		}
	}
	return all
}

// completed returns a chain with the requests that were read after it was made. A chain does not change: others may
// have it.
func (r *Reader) completed(c *Chain) *Chain {
	if c == nil {
		return nil
	}
	now := c
	for i := range c.Events {
		by, ok := r.facts.commits.get(c.Events[i].Revision)
		if !ok || c.Events[i].By != 0 {
			continue
		}
		if now == c {
			copied := *c
			now = &copied
			now.Events = slices.Clone(c.Events)
		}
		now.Events[i].By, now.Events[i].ByTag = by.by, by.tag
	}
	return now
}

// A written is a write with the object that it was about.
type written struct {
	*flow.Flow
	key    writeKey
	object object.Ref
	doc    document
}

// written reads what a write was about: what it made of the object, else what it sent.
func (r *Reader) written(f *flow.Flow) written {
	w := written{Flow: f, object: object.RefOfTarget(f.Target)}
	if len(f.Effects) > 0 {
		w.doc = r.facts.learn(f)
		if f.Target.Verb != "deletecollection" {
			w.object = object.RefOf(f.Effects[0].Commit)
		}
	} else {
		w.doc = scan(bodies.JSON(f.RequestBody))
		if w.object.Name == "" && f.Target.Verb == "create" {
			w.object.Name = w.doc.name
		}
	}
	key := w.object
	if w.object.Name == "" && w.doc.generateName != "" {
		key.Name = w.doc.generateName + "*"
	}
	if known, ok := r.facts.objects.get(w.object); ok && w.object.Name != "" {
		if w.doc.uid == "" {
			w.doc.uid = known.uid
		}
		if len(w.doc.owners) == 0 {
			w.doc.owners = known.owners
		}
	}
	w.key = writeKey{f.Client.Tag, f.Target.Subresource, key}
	return w
}
