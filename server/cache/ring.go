package cache

import (
	"slices"
	"sort"
	"sync/atomic"

	"kubarium/server/storage"
)

// A ring holds the recent changes of a resource. They are numbered from 0 on as they come; a watcher's position is
// the number of the change it reads next. Cache.mu guards it, except bytes.
type ring struct {
	events []*Event // those numbered from next-len(events) on
	next   uint64   // the number that the next change gets
	floor  storage.Revision
	bytes  atomic.Int64 // of the events with their forms
	mark   uint64       // what next was when old events were last let go
}

// first is the number of the oldest change held. Every change above floor is held.
func (r *ring) first() uint64 { return r.next - uint64(len(r.events)) }

// keepForms is how many of the newest events keep their encoded forms: watchers that keep up have read them by then.
// The writer commits at most so many at once.
const keepForms = 512

// push appends an event and lets the oldest go until the bounds hold; the newest always stays.
func (r *ring) push(e *Event, limit int, bytes int64) {
	r.hold(e)
	if n := len(r.events) - 1 - keepForms; n >= 0 {
		r.events[n].forget()
	}
	for len(r.events) > 1 && (len(r.events) > limit || r.bytes.Load() > bytes) {
		r.drop()
	}
}

// drop lets the oldest event go.
func (r *ring) drop() {
	old := r.events[0]
	r.events[0] = nil
	r.events = r.events[1:]
	r.floor = old.Revision
	old.leave()
}

// age lets the events go that were there at its last call, but none from the number unread on.
func (r *ring) age(unread uint64) {
	for r.first() < min(r.mark, unread) {
		r.drop()
	}
	r.events = slices.Clone(r.events) // its array had room for those that were there
	r.mark = r.next
}

// hold appends an event, whatever the bounds.
func (r *ring) hold(e *Event) {
	e.enter(&r.bytes)
	r.events = append(r.events, e)
	r.next++
}

// from returns up to limit events from the number n on, which must be held, as a slice of the ring itself.
func (r *ring) from(n uint64, limit int) []*Event {
	es := r.events[n-r.first():]
	return es[:min(len(es), limit)]
}

// after returns the number of the first change held with a revision above rev.
func (r *ring) after(rev storage.Revision) uint64 {
	i := sort.Search(len(r.events), func(i int) bool { return r.events[i].Revision > rev })
	return r.first() + uint64(i)
}
