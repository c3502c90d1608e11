package chain

import (
	"cmp"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A candidate is an event that may be the reason of a write.
type candidate struct {
	event
	link Link
	echo bool // the client itself committed it
	used bool // the client's write before may have been about it
}

// A search collects the events that may be the reason of one write.
type search struct {
	*Reader
	*client
	w          written
	since      int64 // events up to here do not count
	used       int64 // those up to here may have led to the write before
	until      int64
	candidates []candidate
	linked     bool // one of them is of late, and known by more than time
}

// chain makes the chain of a write; nil if nothing is known.
func (r *Reader) chain(c *client, w written, last *lastWrite) *Chain {
	s := search{Reader: r, client: c, w: w, until: w.Start.Add(tolerance).UnixNano()}
	if last.accepted > 0 {
		s.since, s.used = last.at.UnixNano(), last.at.UnixNano()
		if w.Start.Sub(last.at) < together {
			s.since = last.since
		}
	}
	made := &Chain{Write: w.Seq}
	if c.program != nil {
		s.collect()
		s.judge()
		s.name(made)
	}
	if last.refused > 0 && last.verb == w.Target.Verb {
		made.Retry = last.refused
	}
	if c.program != nil && last.accepted > 0 && !s.linked {
		made.Idle, made.Last = max(1, w.Start.Sub(last.at)), last.accepted
	}
	s.reads(made, last)
	if len(made.Events) == 0 && len(made.Reads) == 0 && made.Retry == 0 && made.Idle == 0 {
		return nil
	}
	return made
}

// collect looks for events about all that the write is related to. Distant relations count only where nothing else
// came.
func (s *search) collect() {
	x := s.w.object
	s.about(x, Object)
	if s.w.doc.uid != "" {
		s.owned(s.w.doc.uid, Owned)
	}
	itself := s.w.Target.Subresource == "status" || s.w.Target.Subresource == "binding"
	if !itself {
		s.owners()
	}
	s.names(s.w.doc.names)
	naming, _ := s.facts.naming.get(x)
	for _, ref := range naming {
		s.about(ref, Named)
	}
	if x.Resource == "endpoints" { // they have the name of their Service, and no reference
		s.about(object.Ref{Resource: "services", Namespace: x.Namespace, Name: x.Name}, Named)
	}
	if s.fresh() {
		return
	}
	if itself && len(s.candidates) == 0 {
		s.owners()
	}
	if len(s.w.Effects) > 0 && s.w.Effects[0].After != nil {
		s.names(scan(s.w.Effects[0].Before).names) // what the object no longer names
	}
	if len(s.candidates) == 0 && x.Namespace != "" {
		s.about(object.Ref{Resource: "namespaces", Name: x.Namespace}, Named)
	}
}

// owners looks for events about the owners of the object, and about what else they own.
func (s *search) owners() {
	for _, o := range s.w.doc.owners {
		for _, ref := range o.refs(s.w.object.Namespace) {
			s.about(ref, Owner)
		}
		if o.uid != "" {
			s.owned(o.uid, Sibling)
		}
	}
}

// names looks for events about objects that the object names. The object of an Event often owns the one that changed.
func (s *search) names(all []reference) {
	for _, n := range all {
		for _, ref := range n.refs(s.w.object.Namespace) {
			s.about(ref, Named)
		}
		if n.uid != "" && s.w.object.Resource == "events" {
			s.owned(n.uid, Named)
		}
	}
}

// fresh reports whether something else than the client's own writes is a candidate.
func (s *search) fresh() bool {
	return slices.ContainsFunc(s.candidates, func(c candidate) bool { return !c.echo && !c.used })
}

func (s *search) about(ref object.Ref, link Link) {
	s.line(lineKey{program: s.program.id, about: ref}, link)
}

func (s *search) owned(uid string, link Link) {
	s.line(lineKey{program: s.program.id, owner: uid}, link)
}

// line takes the events of a line that came in the time.
func (s *search) line(k lineKey, link Link) {
	line, _ := s.streams.lines.get(k)
	for _, e := range line {
		exact := link == Object && e.revision == s.w.SentRevision
		if !s.before(e) || e.written <= s.since && !exact {
			continue
		}
		same := func(c candidate) bool { return c.revision == e.revision && c.about == e.about }
		if slices.ContainsFunc(s.candidates, same) { // by a surer link
			continue
		}
		c := candidate{event: e, link: link, used: e.written <= s.used}
		if exact {
			c.link = Version
		}
		by, _ := s.facts.commits.get(e.revision)
		c.echo = by.tag != "" && by.tag == s.w.Client.Tag
		s.candidates = append(s.candidates, c)
	}
}

// before reports whether the client had an event before the write: it was written to its watch then, and the write did
// not commit its revision or an earlier one.
func (s *search) before(e event) bool {
	if len(s.w.Effects) > 0 && e.revision >= s.w.Effects[0].Commit.Revision {
		return false
	}
	return e.written <= s.until
}

// judge drops what is too old to be the reason, adds what only time speaks for, and orders the rest.
func (s *search) judge() {
	newest := int64(0)
	for _, c := range s.candidates {
		newest = max(newest, c.written)
	}
	old := newest - int64(together)
	if !s.fresh() { // what the client did itself leads to more for a moment only
		old = max(old, s.w.Start.Add(-together).UnixNano())
	}
	tooOld := func(c candidate) bool { return c.written < old && c.link != Version }
	s.candidates = slices.DeleteFunc(s.candidates, tooOld)
	s.linked = slices.ContainsFunc(s.candidates, func(c candidate) bool { return c.written >= old })
	last := func(c candidate) int {
		if c.echo || c.used || c.written < old {
			return 1
		}
		return 0
	}
	if !s.linked {
		s.byTime()
	}
	slices.SortStableFunc(s.candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(ranks[a.link], ranks[b.link]),
			cmp.Compare(b.written, a.written))
	})
}

// byTime adds the newest event of the last second that is neither the client's own nor a candidate. A Lease is renewed
// by a timer.
func (s *search) byTime() {
	if s.w.Target.Resource == "leases" {
		return
	}
	since := max(s.used, s.w.Start.Add(-together).UnixNano())
	var found event
	for _, e := range s.program.last {
		if e.written <= since || !s.before(e) || e.written <= found.written {
			continue
		}
		by, _ := s.facts.commits.get(e.revision)
		if by.tag != s.w.Client.Tag {
			found = e
		}
	}
	if found.from != nil {
		s.candidates = append(s.candidates, candidate{event: found, link: Time})
	}
}

// name puts the events into the chain.
func (s *search) name(c *Chain) {
	c.More = max(0, len(s.candidates)-maxEvents)
	for _, x := range s.candidates[:len(s.candidates)-c.More] {
		by, _ := s.facts.commits.get(x.revision)
		at := time.Unix(0, x.written)
		c.Events = append(c.Events, Event{
			Link: x.link, Watch: x.from.watch, Client: x.from.tag,
			Resource: x.about.Resource, Namespace: x.about.Namespace, Name: x.about.Name,
			Type: x.typ, Revision: x.revision, Written: at, Before: time.Duration(s.w.Start.UnixNano() - x.written),
			By: by.by, ByTag: by.tag,
		})
	}
}

// reads puts into the chain what the client read for the write.
func (s *search) reads(c *Chain, last *lastWrite) {
	from := s.w.Start.Add(-together)
	for i := range c.Events {
		if e := &c.Events[i]; e.Link != Version && e.Written.Before(from) {
			from = e.Written
		}
	}
	for _, x := range s.client.reads {
		if x.answered.After(s.w.Start) || !x.answered.After(last.at) {
			continue
		}
		switch x.Link = s.linkOf(&x); {
		case x.Link == Version, x.Link == Object:
		case x.answered.Before(from), x.Link == Time && len(c.Events) == 0:
			continue
		}
		x.Before = s.w.Start.Sub(x.answered)
		c.Reads = push(c.Reads, x.Read, maxReads)
	}
	byTime := func(x Read) bool { return x.Link == Time }
	if slices.ContainsFunc(c.Reads, func(x Read) bool { return !byTime(x) }) {
		c.Reads = slices.DeleteFunc(c.Reads, byTime)
	}
}

// linkOf says how a read belongs to the write.
func (s *search) linkOf(x *read) Link {
	w := &s.w
	switch {
	case x.about == w.object:
		if x.Revision > 0 && x.Revision == w.SentRevision {
			return Version
		}
		return Object
	case x.Verb == "list" && x.about.Resource == w.object.Resource &&
		(x.about.Namespace == "" || x.about.Namespace == w.object.Namespace):
		if !x.part && s.listed(x) {
			return Version
		}
		return Object
	}
	for _, o := range w.doc.owners {
		if slices.Contains(o.refs(w.object.Namespace), x.about) {
			return Owner
		}
	}
	if known, ok := s.facts.objects.get(x.about); ok && w.doc.uid != "" &&
		slices.ContainsFunc(known.owners, func(o reference) bool { return o.uid == w.doc.uid }) {
		return Owned
	}
	for _, n := range w.doc.names {
		if slices.Contains(n.refs(w.object.Namespace), x.about) {
			return Named
		}
	}
	return Time
}

// listed reports whether a list had the object at the very revision that the write sent: the object was at it from then
// until the write, or until the revision that refused it.
func (s *search) listed(x *read) bool {
	sent := s.w.SentRevision
	if sent == 0 || x.Revision < sent {
		return false
	}
	if c := s.w.Conflict; c != nil {
		return c.Kind == flow.StaleRevision && x.Revision < c.Stored
	}
	return len(s.w.Effects) > 0
}
