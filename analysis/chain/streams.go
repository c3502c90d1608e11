package chain

import (
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	mostPrograms = 256  // with watches, in each half
	mostLines    = 2048 // of all programs, in each half
	lineEvents   = 4    // events kept of an object, or of the objects of an owner twice as many
	lastEvents   = 64   // events kept of a program, whatever they are about
)

// A program is what one program has been sent by its watches.
type program struct {
	id      uint64
	streams []*stream
	writes  bool    // it has written something; the frames of others are not read until they do
	last    []event // the newest ones, in the order in which they were read; at most lastEvents
	unfiled []event // about objects whose owners are not known yet; at most lastEvents
}

// A stream is how far a watch was read.
type stream struct {
	watch *flow.Watch
	of    *program
	from  *origin
	frame uint64       // the number of the last frame fetched
	ahead []flow.Frame // fetched, and written later than the last flow; at most what a watch keeps
}

// An origin is what the events of one watch share.
type origin struct {
	watch         uint64
	tag, resource string
}

// An event is a frame that was read.
type event struct {
	from     *origin
	about    object.Ref
	typ      string
	revision int64
	written  int64 // nanoseconds since 1970
}

// A lineKey names the events that a program had about one object, or about those that have one owner.
type lineKey struct {
	program uint64
	owner   string // its uid; "" for events about the object
	about   object.Ref
}

// streams are the watches of the run, and what was read of them.
type streams struct {
	facts    *facts
	all      map[uint64]*stream // by the watch's ID
	turns    []*stream          // those of programs that write, which are read in turn
	turn     int
	programs recent[string, *program]
	ids      uint64
	lines    recent[lineKey, []event] // the latest last
	until    time.Time                // the end of the last flow: later frames are not read yet
}

func newStreams(k *facts) streams {
	return streams{
		facts: k, all: map[uint64]*stream{},
		programs: newRecent[string, *program](mostPrograms), lines: newRecent[lineKey, []event](mostLines),
	}
}

// open takes a watch that was not known.
func (s *streams) open(w *flow.Watch) {
	if w == nil {
		return
	}
	if known := s.all[w.ID]; known != nil {
		known.watch = w
		return
	}
	key := w.Client.Program()
	p, ok := s.programs.get(key)
	if !ok {
		s.ids++
		p = &program{id: s.ids}
		s.programs.set(key, p)
	}
	st := &stream{watch: w, of: p, from: &origin{w.ID, w.Client.Tag, resourceOf(w.Target)}}
	s.all[w.ID] = st
	p.streams = append(p.streams, st)
	if p.writes {
		s.turns = append(s.turns, st)
	}
}

// close reads the rest of a watch that has ended.
func (s *streams) close(w *flow.Watch) {
	s.open(w)
	st := s.all[w.ID]
	s.read(st)
	s.takeAll(st, st.ahead)
	delete(s.all, w.ID)
	gone := func(o *stream) bool { return o == st }
	st.of.streams = slices.DeleteFunc(st.of.streams, gone)
	s.turns = slices.DeleteFunc(s.turns, gone)
}

// wrote notes that a program writes: its watches are read from now on.
func (s *streams) wrote(p *program) {
	if !p.writes {
		p.writes = true
		s.turns = append(s.turns, p.streams...)
	}
	for _, st := range p.streams {
		s.read(st)
	}
}

// next reads the watch whose turn it is. A watch keeps its last frames only; each flow is at most one frame of each
// watch, so that with as many watches as a watch keeps frames none is missed.
func (s *streams) next() {
	if len(s.turns) == 0 {
		return
	}
	s.turn = (s.turn + 1) % len(s.turns)
	s.read(s.turns[s.turn])
}

// read takes the frames of a watch since the last time. Of a run that is over, all are there: those that were written
// after the last flow must wait, or they would push out what later flows are about.
func (s *streams) read(st *stream) {
	if len(st.ahead) == 0 {
		st.ahead = st.watch.FramesSince(st.frame)
		if len(st.ahead) == 0 {
			return
		}
		st.frame = st.ahead[len(st.ahead)-1].Number
	}
	n := 0
	for n < len(st.ahead) && !st.ahead[n].Written.After(s.until) {
		n++
	}
	s.takeAll(st, st.ahead[:n])
	if st.ahead = st.ahead[n:]; len(st.ahead) == 0 {
		st.ahead = nil
	}
}

// takeAll takes frames of a watch.
func (s *streams) takeAll(st *stream, frames []flow.Frame) {
	for _, f := range frames {
		if f.Type != "BOOKMARK" && f.Type != "ERROR" && f.Name != "" {
			about := object.Ref{Resource: st.from.resource, Namespace: f.Namespace, Name: f.Name}
			s.take(st.of, event{st.from, about, f.Type, f.Revision, f.Written.UnixNano()})
		}
	}
}

// take files an event.
func (s *streams) take(p *program, e event) {
	s.add(lineKey{program: p.id, about: e.about}, e, lineEvents)
	p.last = push(p.last, e, lastEvents)
	if !object.IsEvent(e.about.Resource) && !s.file(p, e) {
		p.unfiled = push(p.unfiled, e, lastEvents)
	}
}

// file adds an event to those of the owners of its object. It returns false if they are not known.
func (s *streams) file(p *program, e event) bool {
	known, ok := s.facts.objects.get(e.about)
	if !ok {
		return false
	}
	for _, o := range known.owners {
		if o.uid != "" {
			s.add(lineKey{program: p.id, owner: o.uid}, e, 2*lineEvents)
		}
	}
	return true
}

// fileAll files what could not be filed when it came. Events from before a time are tried once.
func (s *streams) fileAll(p *program, before int64) {
	left := p.unfiled[:0]
	for _, e := range p.unfiled {
		if !s.file(p, e) && e.written > before {
			left = append(left, e)
		}
	}
	p.unfiled = left
}

// add adds an event to a line. Two watches of a program may be sent the same one: the earlier is kept.
func (s *streams) add(k lineKey, e event, most int) {
	line, _ := s.lines.get(k)
	for i := range line {
		if line[i].revision == e.revision && line[i].about == e.about && line[i].typ == e.typ {
			if e.written < line[i].written {
				line[i] = e
			}
			return
		}
	}
	s.lines.set(k, push(line, e, most))
}

// push appends to a list that keeps its last entries.
func push[T any](list []T, x T, most int) []T {
	if len(list) < most {
		return append(list, x)
	}
	copy(list, list[1:])
	list[len(list)-1] = x
	return list
}
