package recording

import (
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"kubarium/flow"
	"kubarium/flow/redact"
)

// An Encoder writes a recording: segments one after another, each a frame of Zstandard (RFC 8878) with records, each
// preceded by its length. It masks secrets unless Begin says otherwise. Only one goroutine at a time may use it.
type Encoder struct {
	to      *zstd.Encoder
	out     io.Writer
	coder   coder
	size    []byte          // the length before the record
	watches map[uint64]done // by their IDs
	secrets bool
	began   bool
}

// NewEncoder returns an Encoder. The first thing to write is a Begin.
func NewEncoder(out io.Writer) (*Encoder, error) {
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	e := &Encoder{to: z, out: out, watches: map[uint64]done{}}
	e.coder.words, e.coder.versions = &words{numbers: map[string]uint64{}}, &versions{}
	return e, nil
}

// Begin begins a segment. Write the objects of the state next.
func (e *Encoder) Begin(b Begin) error {
	if e.began {
		if err := e.EndSegment(); err != nil {
			return err
		}
	}
	e.began, e.secrets = true, b.Secrets
	e.coder.words.forget()
	*e.coder.versions = versions{base: b.Revision}
	clear(e.watches)
	b.magic, b.Format = magic, Format
	return e.write(&Entry{Begin: &b})
}

// EndSegment ends the segment, so that the next byte belongs to another. Begin calls it when needed.
func (e *Encoder) EndSegment() error {
	if err := e.to.Close(); err != nil {
		return err
	}
	e.to.Reset(e.out)
	e.began = false
	return nil
}

// State writes an object of the state at the beginning of the segment.
func (e *Encoder) State(c *Change) error { return e.write(&Entry{State: e.masked(c)}) }

// Change writes a change. The caller must not change it afterwards.
func (e *Encoder) Change(c *Change) error { return e.write(&Entry{Change: e.masked(c)}) }

// masked returns the change with secrets masked.
func (e *Encoder) masked(c *Change) *Change {
	if e.secrets || !redact.Holds(c.Resource) {
		return c
	}
	m := *c
	m.Value = redact.Stored(c.Value)
	return &m
}

// Flow writes a flow, after the frames of its watch.
func (e *Encoder) Flow(f *flow.Flow) error {
	if f.Watch != nil {
		if err := e.Frames(f.Watch); err != nil {
			return err
		}
		if f.Phase == flow.WatchClosed {
			delete(e.watches, f.Watch.ID)
		}
	}
	if !e.secrets {
		f = redact.Flow(f)
	}
	return e.write(&Entry{Flow: f})
}

// done is what has been written of a watch: the number of its last frame, and its position.
type done struct {
	frame    uint64
	position int64
}

// Frames writes the frames of a watch since the last call; without new ones it writes nothing.
func (e *Encoder) Frames(w *flow.Watch) error {
	last, known := e.watches[w.ID]
	return e.watch(w, !known || !w.State().Ended.IsZero(), last)
}

// Position writes the position of a watch if it has changed: it moves with all changes, also those that do not match.
func (e *Encoder) Position(w *flow.Watch) error {
	last := e.watches[w.ID]
	return e.watch(w, w.State().Position != last.position, last)
}

func (e *Encoder) watch(w *flow.Watch, anyway bool, last done) error {
	more := w.FramesSince(last.frame)
	if !anyway && len(more) == 0 {
		return nil
	}
	state := w.State()
	last.position = state.Position
	if len(more) > 0 {
		last.frame = more[len(more)-1].Number
	}
	e.watches[w.ID] = last
	return e.write(&Entry{Frames: &Frames{Info: w.WatchInfo, State: state, Frames: more}})
}

// Missed writes that entries are missing here.
func (e *Encoder) Missed(m Missed) error { return e.write(&Entry{Missed: &m}) }

// Moment writes a moment.
func (e *Encoder) Moment(m Moment) error { return e.write(&Entry{Moment: &m}) }

// Head writes the revisions of the store.
func (e *Encoder) Head(h Head) error { return e.write(&Entry{Head: &h}) }

// Entry writes an entry that a Decoder has read. An End closes the recording.
func (e *Encoder) Entry(x *Entry) error {
	switch {
	case x.Begin != nil:
		return e.Begin(*x.Begin)
	case x.State != nil:
		return e.State(x.State)
	case x.Change != nil:
		return e.Change(x.Change)
	case x.Flow != nil:
		return e.Flow(x.Flow)
	case x.Frames != nil:
		return e.Frames(x.Frames.Watch)
	case x.End != nil:
		return e.Close(*x.End)
	}
	return e.write(x)
}

// Flush writes out everything so far, so that it can be read even if the rest is never written.
func (e *Encoder) Flush() error { return e.to.Flush() }

// Close ends the recording properly.
func (e *Encoder) Close(end End) error {
	if err := e.write(&Entry{End: &end}); err != nil {
		return err
	}
	return e.to.Close()
}

// write writes an entry, after its new words. In place of one that exceeds a limit it writes that it is missing.
func (e *Encoder) write(x *Entry) error {
	if e.coder.words.full() {
		if err := e.forget(); err != nil {
			return err
		}
	}
	e.make(x)
	if limit := e.coder.exceeds(); limit != nil {
		return e.miss(x, limit)
	}
	if x.Change != nil {
		e.coder.versions.add(x.Change)
	}
	fresh := e.coder.words.fresh
	if len(fresh) == 0 {
		return e.hand(e.coder.buf)
	}
	record := append([]byte(nil), e.coder.buf...)
	for _, w := range fresh {
		if err := e.record(&Entry{word: Word{w}}); err != nil {
			return err
		}
	}
	e.coder.words.fresh = fresh[:0]
	return e.hand(record)
}

// miss writes that an entry is missing.
func (e *Encoder) miss(x *Entry, limit *LimitError) error {
	e.coder.buf = nil
	if err := e.forget(); err != nil { // the table has words of the entry
		return err
	}
	var m Missed
	switch {
	case x.Flow != nil:
		m.Upto = x.Flow.Seq
		if m.Others = 1; x.Flow.Client.Own() {
			m.Others, m.Own = 0, 1
		}
	case x.State != nil:
		m.ChangesFrom, m.ChangesTo = x.State.Revision, x.State.Revision
	case x.Change != nil:
		m.ChangesFrom, m.ChangesTo = x.Change.Revision, x.Change.Revision
	default:
		return limit
	}
	if x.Flow == nil {
		e.coder.versions.miss(m.ChangesTo)
	}
	return e.record(&Entry{Missed: &m})
}

// forget starts a new table of words.
func (e *Encoder) forget() error {
	e.coder.words.forget()
	return e.record(&Entry{forget: true})
}

func (e *Encoder) record(x *Entry) error {
	e.make(x)
	return e.hand(e.coder.buf)
}

// make encodes the record of an entry into the buffer.
func (e *Encoder) make(x *Entry) {
	e.coder.buf, e.coder.made = e.coder.buf[:0], 0
	entry(&e.coder, x)
}

func (e *Encoder) hand(record []byte) error {
	e.size = protowire.AppendVarint(e.size[:0], uint64(len(record)))
	if _, err := e.to.Write(e.size); err != nil {
		return err
	}
	_, err := e.to.Write(record)
	return err
}
