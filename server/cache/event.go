package cache

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kubarium/server/storage"
)

// eventOverhead is what an event costs in addition to its values, in bytes, rounded up.
const eventOverhead = 256

// An Event is one change of one object. It is immutable, and shared by all watchers that read it from the ring.
type Event struct {
	Type     storage.ChangeType
	Revision storage.Revision
	Object   *Object // after the change, the same as in the map; nil if it was a deletion
	Before   *Object // as the change met it; nil if it was a creation
	At       time.Time
	Outside  bool // made by another process with plain SQL

	// mu guards forms and what the ring counts of them; nothing is built under it.
	mu    sync.Mutex
	forms []*eventForm
	size  int64         // bytes counted in ring
	ring  *atomic.Int64 // the ring's bytes; nil outside a ring
}

// An eventForm is one encoded form of an event.
type eventForm struct {
	name  string
	build func() ([]byte, error)
	size  int64  // 0 until it is counted
	bytes []byte // what build made, from then on
}

// Key returns the key of the object that changed.
func (e *Event) Key() storage.Key {
	if e.Object != nil {
		return e.Object.Key
	}
	return e.Before.Key
}

// Form returns the event in an encoded form, which build makes, without side effects, of the event alone. build is
// called once for a name while the event is new, and again for the form of an old one; all callers get what it
// returned, also an error. The bytes are not to be changed.
func (e *Event) Form(name string, build func(*Event) ([]byte, error)) ([]byte, error) {
	f := e.form(name, build)
	b, err := f.build()
	e.count(f, b)
	return b, err
}

// Made returns a form that has been made already, for those who would otherwise prepare a build in vain; nil if it
// has not.
func (e *Event) Made(name string) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.forms {
		if f.name == name {
			return f.bytes
		}
	}
	return nil
}

func (e *Event) form(name string, build func(*Event) ([]byte, error)) *eventForm {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.forms {
		if f.name == name {
			return f
		}
	}
	f := &eventForm{name: name, build: sync.OnceValues(func() ([]byte, error) { return build(e) })}
	e.forms = append(e.forms, f)
	return f
}

// count adds a form's bytes to those of the ring, once.
func (e *Event) count(f *eventForm, b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f.bytes = b
	if f.size > 0 || e.ring == nil || !slices.Contains(e.forms, f) {
		return
	}
	f.size = int64(len(b)) + 1
	e.size += f.size
	e.ring.Add(f.size)
}

// forget drops the forms. They are made again, once, when a watch starts at so old an event.
func (e *Event) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.forms {
		e.size -= f.size
		e.ring.Add(-f.size)
	}
	e.forms = nil
}

// enter counts the event's values in a ring.
func (e *Event) enter(ring *atomic.Int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.size = eventOverhead
	if e.Object != nil {
		e.size += int64(len(e.Object.Value))
	}
	if e.Before != nil {
		e.size += int64(len(e.Before.Value))
	}
	e.ring = ring
	ring.Add(e.size)
}

// leave takes the event's bytes off its ring.
func (e *Event) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ring.Add(-e.size)
	e.ring = nil
}
