package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"kubarium/flow"
)

// Errors of a Decoder.
var (
	// ErrForeign: the input is not a recording.
	ErrForeign = errors.New("not a recording of Kubarium")
	// ErrCut: the recording ends in the middle, because its writer was killed or is still writing.
	ErrCut = errors.New("the recording ends without its end")
	// ErrDamaged: the rest cannot be read.
	ErrDamaged = errors.New("the recording is damaged")
)

// A LaterError says that a later release made the recording, in a format that this one does not know.
type LaterError struct{ Format int }

// Error names both formats.

// Error names both formats.
func (e *LaterError) Error() string {
	return fmt.Sprintf("the recording has format %d, of a later release of Kubarium; this one reads up to %d",
		e.Format, Format)
}

// A Decoder reads a recording. Only one goroutine at a time may use it, except for Waits.
type Decoder struct {
	ahead   *ahead
	coder   coder
	watches map[uint64]*flow.Watch
	begun   bool
	ended   bool
}

// IsRecording reports whether the input may be a recording, without consuming any of it.
func IsRecording(from *bufio.Reader) bool {
	b, err := from.Peek(4)
	return err == nil && binary.LittleEndian.Uint32(b) == frameMagic
}

// Partial reports whether an error of Next leaves the entries before it valid: ErrCut, ErrDamaged or a *LimitError.
func Partial(err error) bool {
	var limit *LimitError
	return errors.Is(err, ErrCut) || errors.Is(err, ErrDamaged) || errors.As(err, &limit)
}

// frameMagic begins a frame of Zstandard (RFC 8878, 3.1.1).
const frameMagic = 0xFD2FB528

// NewDecoder returns a Decoder. It reads nothing yet. Call Close when done.
func NewDecoder(from io.Reader) (*Decoder, error) {
	a, err := newAhead(from)
	if err != nil {
		return nil, err
	}
	d := &Decoder{ahead: a, watches: map[uint64]*flow.Watch{}}
	d.coder.mode = reading
	d.coder.words, d.coder.versions = &words{}, &versions{}
	return d, nil
}

// Close ends the reading. A read of the input may still be in progress.
func (d *Decoder) Close() { d.ahead.close() }

// Waits reports whether all entries read so far have been returned, and Next waits for more. The reader of the input
// may call it: what it returns next is then new.
func (d *Decoder) Waits() bool { return d.ahead.handed.Load() == d.ahead.decoded.Load() }

// Next returns the next entry. Errors: io.EOF after the End, ErrCut, ErrForeign, ErrDamaged, *LaterError and
// *LimitError.
func (d *Decoder) Next() (*Entry, error) {
	for {
		record, err := d.ahead.next()
		if err != nil {
			return nil, d.explain(err)
		}
		e := new(Entry)
		d.coder.buf, d.coder.field, d.coder.made = record, 0, 0
		entry(&d.coder, e)
		switch {
		case d.coder.err == errWire:
			return nil, ErrDamaged
		case d.coder.err != nil:
			return nil, d.coder.err
		}
		if visible, err := d.take(e); visible || err != nil {
			return e, err
		}
	}
}

// take keeps what later entries refer to. It reports whether the entry is for the caller.
func (d *Decoder) take(e *Entry) (visible bool, err error) {
	switch {
	case e.Begin != nil:
		return true, d.begin(e.Begin)
	case !d.begun:
		return false, ErrForeign
	case e.forget:
		d.coder.words.forget()
		return false, nil
	case e.State != nil:
		d.coder.versions.values[e.State.Revision] = e.State.Value
	case e.Change != nil:
		d.coder.versions.read(e.Change)
	case e.Frames != nil:
		d.frames(e.Frames)
	case e.Flow != nil:
		d.watch(e.Flow)
	case e.End != nil:
		d.ended = true
	case e.Missed == nil && e.Moment == nil && e.Head == nil: // a word, or an entry of a later release
		if e.word.Text == "" {
			return false, nil
		}
		if limit := d.coder.words.add(e.word.Text); limit != nil {
			return false, limit
		}
		return false, nil
	}
	return true, nil
}

func (d *Decoder) begin(b *Begin) error {
	switch {
	case b.magic != magic:
		return ErrForeign
	case b.Format > Format:
		return &LaterError{b.Format}
	}
	d.begun, d.ended = true, false
	d.coder.words.forget()
	*d.coder.versions = versions{values: map[int64][]byte{}}
	return nil
}

// frames brings the record of the watch up to date.
func (d *Decoder) frames(f *Frames) {
	w := d.watches[f.Info.ID]
	if w == nil {
		w = flow.ToldWatch(f.Info)
		d.watches[f.Info.ID] = w
	}
	w.Tell(f.State, f.Frames)
	f.Watch = w
}

// watch replaces a flow's watch by its record.
func (d *Decoder) watch(f *flow.Flow) {
	if f.Watch == nil {
		return
	}
	if known := d.watches[f.Watch.ID]; known != nil {
		f.Watch = known
	}
	if f.Phase == flow.WatchClosed {
		delete(d.watches, f.Watch.ID)
	}
}

// explain returns what an error of reading means for the recording.
func (d *Decoder) explain(err error) error {
	var limit *LimitError
	switch ends := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case d.ahead.source.err != nil:
		return d.ahead.source.err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errWindow
	case err == io.EOF && d.ended:
		return io.EOF
	case !d.begun:
		return ErrForeign
	case errors.As(err, &limit):
		return limit
	case ends:
		return ErrCut
	}
	return ErrDamaged
}
