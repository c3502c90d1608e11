package flow

import (
	"fmt"
	"sync/atomic"
	"time"
)

// keepFrames is how many of its last frames a Watch keeps.
const keepFrames = 256

// A Frame is one event that was written to a watch stream.
type Frame struct {
	Number    uint64    `json:"number,omitzero"` // counts the stream's frames from 1
	Type      string    `json:"type,omitzero"`   // ADDED MODIFIED DELETED BOOKMARK ERROR
	Revision  int64     `json:"revision,omitzero"`
	Namespace string    `json:"namespace,omitzero"`
	Name      string    `json:"name,omitzero"`
	Size      int       `json:"size,omitzero"`      // bytes
	Committed time.Time `json:"committed,omitzero"` // commit time of the change; zero for bookmarks and initial events
	Written   time.Time `json:"written,omitzero"`   // when the frame had been written to the socket
}

// frames are the last frames of a stream, stored compactly since there may be a thousand streams.
type frames struct {
	ring  []slot // frame n, counted from 0, is at (n - from) % keepFrames
	count uint64
	from  uint64    // how many frames came before the first one kept; not 0 only for an adopted watch
	first time.Time // when that one was written
}

// A slot is what is kept of a frame.
type slot struct {
	head    *frameHead
	written time.Duration // since the stream's first frame
	size    int32         // bytes
}

// A frameHead is the part of a frame that is equal in all streams with the same event.
type frameHead struct {
	typ             string
	revision        int64
	namespace, name string
	committed       time.Time
}

func (f *frames) add(h *frameHead, size int, written time.Time) {
	if f.count == f.from {
		f.first = written
	}
	s := slot{head: h, written: written.Sub(f.first), size: int32(size)}
	switch n := len(f.ring); {
	case n == keepFrames:
		f.ring[(f.count-f.from)%keepFrames] = s
	case n == cap(f.ring): // append would allocate more slots than are ever used
		f.ring = append(make([]slot, 0, min(max(8, 2*n), keepFrames)), f.ring...)
		fallthrough
	default:
		f.ring = append(f.ring, s)
	}
	f.count++
}

// all returns the frames, oldest first.
func (f *frames) all() []Frame { return f.last(uint64(len(f.ring))) }

// last returns the last frames, at most most, oldest first.
func (f *frames) last(most uint64) []Frame {
	out := make([]Frame, min(most, uint64(len(f.ring))))
	oldest := f.count - uint64(len(out))
	for i := range out {
		n := oldest + uint64(i)
		s := f.ring[(n-f.from)%keepFrames]
		h := s.head
		out[i] = Frame{
			Number: n + 1, Type: h.typ, Revision: h.revision, Namespace: h.namespace, Name: h.name,
			Size: int(s.size), Committed: h.committed, Written: f.first.Add(s.written),
		}
	}
	return out
}

// set replaces the frames by the last ones of a stream, in the form in which all returns them.
func (f *frames) set(last []Frame, hs *heads) error {
	*f = frames{}
	if len(last) > keepFrames {
		return fmt.Errorf("a stream keeps its last %d frames, not %d", keepFrames, len(last))
	}
	for i, l := range last {
		if i > 0 && l.Number != last[i-1].Number+1 {
			return fmt.Errorf("frame %d follows frame %d", l.Number, last[i-1].Number)
		}
		f.tell(l, hs)
	}
	return nil
}

// heads lets streams that send the same event at about the same time share its head. It keeps the latest head in each
// slot, so it is bounded and needs no lock.
type heads [64]atomic.Pointer[frameHead]

// share returns an equal head if one is kept, else a new one.
func (hs *heads) share(f Frame) *frameHead {
	h := frameHead{typ: f.Type, revision: f.Revision, namespace: f.Namespace, name: f.Name, committed: f.Committed}
	at := &hs[uint64(f.Revision)%uint64(len(hs))]
	if seen := at.Load(); seen != nil && *seen == h {
		return seen
	}
	made := h // a copy, so that h need not escape to the heap
	at.Store(&made)
	return &made
}
