package registry

import (
	"context"
	"errors"
	"strings"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// An EventType is the type of a watch event on the wire (API Concepts, "Efficient detection of changes").
type EventType string

const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
)

// A WatchEvent is one event as one watcher sees it: an object that enters its selector is added, one that leaves it is
// deleted, whatever happened to it in truth.
type WatchEvent struct {
	Type     EventType
	Object   *cache.Object // as the client gets it: for Deleted the last state that matched
	Revision storage.Revision
	At       time.Time    // zero for an initial event
	Change   *cache.Event // nil for an initial event; shared by all watchers, so that its forms are made once
	// InitialEnd marks the bookmark that ends the initial events.
	InitialEnd bool
}

// A Watch is one open watch.
type Watch struct {
	initial   initial
	endOfInit bool // a bookmark follows the initial events
	start     storage.Revision
	watcher   *cache.Watcher
	failed    error // what Next returns when the watch could not be opened where it should
	match     matcher
	prefix    string
}

// An initial is the objects that a watch begins with. They are found when they are taken, so a client that does not
// read holds a place in a snapshot, and nothing for each object.
type initial struct {
	next func() *cache.Object // one at each call
	left int                  // how many next has yet to return
}

// Watch opens a watch on a collection. o has been validated. The caller must Stop it.
func (r *Registry) Watch(ctx context.Context, t Target, o metainternal.ListOptions) (*Watch, error) {
	rev, err := readRevision(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	if err := r.uncached(ctx, t); err != nil {
		return nil, err
	}
	w := &Watch{match: newMatcher(o), start: rev}
	if t.Namespace != "" && t.Kind.Namespaced {
		w.prefix = t.Namespace + "/"
	}
	streaming := o.SendInitialEvents != nil && *o.SendInitialEvents
	noInitial := o.SendInitialEvents != nil && !*o.SendInitialEvents
	resource := t.Kind.StorageResource()
	least, err := r.least(ctx, o.ResourceVersion, rev)
	if err != nil {
		return nil, interpret(err, t)
	}
	switch {
	case streaming || rev == 0 && !noInitial:
		var at storage.Revision
		if at, err = r.lagging(ctx, o.ResourceVersion); at != 0 {
			err = r.openLate(ctx, w, t, at)
		} else if err == nil {
			err = r.openWithState(ctx, w, resource, least)
		}
		w.endOfInit = streaming && o.AllowWatchBookmarks
	case rev == 0:
		w.start = r.Cache.Head()
		w.watcher, err = r.Cache.Watch(ctx, resource, w.start)
	default:
		w.watcher, err = r.resume(ctx, resource, rev)
	}
	noteUnavailable(flow.From(ctx), err)
	if errors.Is(err, storage.ErrExpired) || streaming && errors.Is(err, storage.ErrTooLarge) {
		return &Watch{failed: err, start: rev}, nil // an ERROR event of the stream says so
	}
	if err != nil {
		return nil, interpret(err, t)
	}
	if k := t.Kind.Row(); r.Catalogue.Kind(k.GroupVersion().WithResource(k.Resource)) != k {
		w.Stop()
		return &Watch{failed: cache.ErrDropped, start: rev}, nil // the definition has changed just now
	}
	return w, nil
}

// resume begins a watch after a revision. A client cannot go on from objects that it read under another schema of a
// custom resource: its definition has changed what all objects look like, without an event.
func (r *Registry) resume(ctx context.Context, resource string, rev storage.Revision) (*cache.Watcher, error) {
	if formed := r.Catalogue.Formed(resource); rev < formed {
		return nil, &storage.RevisionError{Err: storage.ErrExpired, Asked: rev, Current: formed}
	}
	return r.Cache.Watch(ctx, resource, rev)
}

// openWithState begins a watch with an ADDED event for each object that there is.
func (r *Registry) openWithState(ctx context.Context, w *Watch, resource string, min storage.Revision) error {
	snap, watcher, err := r.Cache.SnapshotAndWatch(ctx, resource, min)
	if err != nil {
		return err
	}
	w.watcher, w.start = watcher, snap.Revision()
	w.initial.next, w.initial.left = snap.Walk(w.prefix)
	return nil
}

// Start returns the revision after which the watch's changes begin.
func (w *Watch) Start() storage.Revision { return w.start }

// Initial says whether some of the events that the watch begins with have yet to be taken.
func (w *Watch) Initial() bool { return w.initial.left > 0 || w.endOfInit }

// Left returns how many objects have yet to be looked at for those events, at most.
func (w *Watch) Left() int { return w.initial.left }

// Position returns the revision up to which all events have been taken.
func (w *Watch) Position() storage.Revision {
	at, _ := w.Progress()
	return at
}

// Progress returns Position and Pending of one moment.
func (w *Watch) Progress() (storage.Revision, int) {
	if w.watcher == nil {
		return w.start, 0
	}
	at, pending := w.watcher.Progress()
	if w.Initial() {
		at = w.start
	}
	return at, pending + w.initial.left
}

// Pending returns how many objects and changes wait to be taken.
func (w *Watch) Pending() int {
	_, pending := w.Progress()
	return pending
}

// CrossRestores lets the watch go on through restores of the store, whose changes it gets as events. Other watches
// end at a restore.
func (w *Watch) CrossRestores() {
	if w.watcher != nil {
		w.watcher.CrossRestores()
	}
}

// Stop ends the watch.
func (w *Watch) Stop() {
	if w.watcher != nil {
		w.watcher.Stop()
	}
}

// Next returns the next events, first the initial ones. It blocks until there is a change of the resource, though none
// of it may concern this watch, or ctx ends. Errors are those of cache.Watcher.
func (w *Watch) Next(ctx context.Context) ([]WatchEvent, error) {
	if w.failed != nil {
		return nil, w.failed
	}
	if events := w.takeInitial(); len(events) > 0 {
		return events, nil
	}
	changes, err := w.watcher.Next(ctx)
	if err != nil {
		return nil, err
	}
	events := make([]WatchEvent, 0, len(changes))
	for _, c := range changes {
		if e, ok := w.seen(c); ok {
			events = append(events, e)
		}
	}
	return events, nil
}

// initialBatch is how many initial events Next returns at most.
const initialBatch = 100

func (w *Watch) takeInitial() (events []WatchEvent) {
	for len(events) < initialBatch {
		e, ok := w.NextInitial()
		if !ok {
			break
		}
		events = append(events, e)
	}
	return events
}

// NextInitial returns the next of the events that the watch begins with, as Next does; ok is false when all have been
// taken. A watch that has ended has no more of them.
func (w *Watch) NextInitial() (e WatchEvent, ok bool) {
	if !w.Initial() || w.ended() {
		w.initial, w.endOfInit = initial{}, false
		return WatchEvent{}, false
	}
	for w.initial.left > 0 {
		o := w.initial.next()
		if w.initial.left--; w.initial.left == 0 {
			w.initial.next = nil // and the snapshot goes
		}
		if w.match.matches(o) {
			return WatchEvent{Type: Added, Object: o, Revision: o.Revision}, true
		}
	}
	if !w.endOfInit {
		return WatchEvent{}, false
	}
	w.endOfInit = false
	return WatchEvent{Type: Bookmark, Revision: w.start, InitialEnd: true}, true
}

// ended says whether the watch has ended, such as one that lags too far.
func (w *Watch) ended() bool {
	select {
	case <-w.watcher.Done():
		return true
	default:
		return false
	}
}

// seen translates a change into what this watcher sees of it.
func (w *Watch) seen(c *cache.Event) (WatchEvent, bool) {
	if !strings.HasPrefix(c.Key().Name, w.prefix) {
		return WatchEvent{}, false
	}
	e := WatchEvent{Revision: c.Revision, At: c.At, Change: c}
	is, was := w.match.matches(c.Object), w.match.matches(c.Before)
	switch {
	case is && was:
		e.Type, e.Object = Modified, c.Object
	case is:
		e.Type, e.Object = Added, c.Object
	case was:
		e.Type, e.Object = Deleted, c.Before
	default:
		return WatchEvent{}, false
	}
	return e, true
}

// openLate begins a watch with an ADDED event for each object that there was at an older revision.
func (r *Registry) openLate(ctx context.Context, w *Watch, t Target, at storage.Revision) error {
	l, err := r.listHistory(ctx, t, metainternal.ListOptions{}, listRead{at: at, prefix: w.prefix})
	if err != nil {
		return err
	}
	if w.watcher, err = r.Cache.Watch(ctx, t.Kind.StorageResource(), at); err != nil {
		return err
	}
	w.start = at
	w.initial = initial{left: len(l.Objects), next: func() (o *cache.Object) {
		o, l.Objects = l.Objects[0], l.Objects[1:]
		return o
	}}
	return nil
}
