package flow

import (
	"sync"
	"sync/atomic"
	"time"
)

// A WatchInfo describes a watch stream; it does not change.
type WatchInfo struct {
	ID     uint64    `json:"id,omitzero"` // counts the watches of this run, from 1
	Client Client    `json:"client,omitzero"`
	Target Target    `json:"target,omitzero"`
	Query  string    `json:"query,omitzero"` // credentials are masked
	Media  string    `json:"media,omitzero"` // media type of the stream, "application/json"
	Opened time.Time `json:"opened,omitzero"`
	Start  int64     `json:"start,omitzero"` // the revision after which it began; 0 if it began with all objects
}

// A Watch is the live record of one watch stream. The server's watch loop writes it; any goroutine may read it at any
// time with State and Frames.
type Watch struct {
	WatchInfo

	sent      atomic.Uint64
	bytes     atomic.Uint64
	bookmarks atomic.Uint64
	last      atomic.Int64 // revision of the last frame written, bookmarks included
	lastEvent atomic.Int64 // the same without bookmarks
	position  atomic.Int64 // every change up to this revision was written, or did not match
	pending   atomic.Int64 // frames taken from the ring and not yet written

	heads *heads // of the log
	short bool   // see Short

	mu     sync.Mutex // guards what follows
	frames frames
	end    time.Time
	cause  string

	touched uint64
	faults  []FaultMark // replaced, never changed
}

// WatchState is a copy of a Watch's counters: each is exact, but they were not read at the same instant.
type WatchState struct {
	Sent      uint64    `json:"sent,omitzero"`
	Bytes     uint64    `json:"bytes,omitzero"`
	Bookmarks uint64    `json:"bookmarks,omitzero"`
	Last      int64     `json:"last,omitzero"`
	LastEvent int64     `json:"lastEvent,omitzero"`
	Position  int64     `json:"position,omitzero"`
	Pending   int64     `json:"pending,omitzero"`
	Ended     time.Time `json:"ended,omitzero"` // zero while open
	Cause     string    `json:"cause,omitzero"` // of the end: "client went away", "timeout", "too slow", "410 Gone"

	Touched uint64      `json:"touched,omitzero"` // how many events fault rules have acted on
	Faults  []FaultMark `json:"faults,omitzero"`  // the last of these actions, oldest first; read-only
}

// NewWatch returns the record of a watch of another process from its counters and its last frames, oldest first. It
// belongs to no Log until one adopts it.
func NewWatch(info WatchInfo, s WatchState, last []Frame) (*Watch, error) {
	w := &Watch{WatchInfo: info, heads: &heads{}}
	return w, w.set(s, last)
}

// set replaces counters and last frames.
func (w *Watch) set(s WatchState, last []Frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.frames.set(last, w.heads); err != nil {
		return err
	}
	w.restate(s)
	return nil
}

// restate sets the counters and the end; w.mu is held.
func (w *Watch) restate(s WatchState) {
	w.sent.Store(s.Sent)
	w.bytes.Store(s.Bytes)
	w.bookmarks.Store(s.Bookmarks)
	w.last.Store(s.Last)
	w.lastEvent.Store(s.LastEvent)
	w.position.Store(s.Position)
	w.pending.Store(s.Pending)
	w.end, w.cause, w.touched, w.faults = s.Ended, s.Cause, s.Touched, s.Faults
}

// advance updates the record to a later one of the same watch; an older one changes nothing.
func (w *Watch) advance(later *Watch) {
	to, now := later.State(), w.State()
	frames := later.Frames()
	switch more := to.Sent+to.Bookmarks > now.Sent+now.Bookmarks; {
	case !now.Ended.IsZero():
	case more, to.Position > now.Position && to.Sent+to.Bookmarks == now.Sent+now.Bookmarks:
		_ = w.set(to, frames) // a record's own frames are in order
	case !to.Ended.IsZero():
		w.Close(to.Ended, to.Cause)
	}
}

// OpenWatch registers a watch, gives it its ID and returns its live record.
func (l *Log) OpenWatch(info WatchInfo) *Watch {
	info.Query = MaskQuery(info.Query, Hidden)
	n := &Watch{WatchInfo: info, heads: &l.heads}
	n.position.Store(info.Start)
	l.mu.Lock()
	l.watchID++
	n.ID = l.watchID
	if len(l.watches) >= l.sweepAt {
		l.forgetEnded()
	}
	l.watches[n.ID] = n
	l.mu.Unlock()
	l.poke()
	return n
}

// Wrote records a frame that has been written to the socket, and numbers it.
func (w *Watch) Wrote(f Frame) {
	w.bytes.Add(uint64(f.Size))
	w.last.Store(f.Revision)
	if f.Type == "BOOKMARK" {
		w.bookmarks.Add(1)
	} else {
		w.sent.Add(1)
		w.lastEvent.Store(f.Revision)
	}
	h := w.heads.share(f)
	w.mu.Lock()
	w.frames.add(h, f.Size, f.Written)
	w.mu.Unlock()
}

// Reached records that the stream has handled every change up to revision, and how many taken changes are still to be
// written.
func (w *Watch) Reached(revision int64, pending int) {
	w.position.Store(revision)
	w.pending.Store(int64(pending))
}

// Close records the end of the stream and its cause.
func (w *Watch) Close(at time.Time, cause string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end.IsZero() {
		w.end, w.cause = at, cause
	}
}

// size estimates the memory of the record in bytes; it does not change after the end of the stream.
func (w *Watch) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return sizeWatch + sizeFrame*cap(w.frames.ring) + sizeFault*len(w.faults)
}

func (w *Watch) ended() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// State returns the counters of the watch.
func (w *Watch) State() WatchState {
	w.mu.Lock()
	end, cause, touched, faults := w.end, w.cause, w.touched, w.faults
	w.mu.Unlock()
	return WatchState{
		Sent: w.sent.Load(), Bytes: w.bytes.Load(), Bookmarks: w.bookmarks.Load(),
		Last: w.last.Load(), LastEvent: w.lastEvent.Load(), Position: w.position.Load(), Pending: w.pending.Load(),
		Ended: end, Cause: cause, Touched: touched, Faults: faults,
	}
}

// Frames returns the last frames of the stream, oldest first, at most keepFrames.
func (w *Watch) Frames() []Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames.all()
}
