package recording

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"kubarium/server/flow"
)

// Errors of a Decoder.
var (
	// ErrForeign: what is read is no recording.
	ErrForeign = errors.New("not a recording of Kubarium")
	// ErrCut: the recording ends in the middle, as one of which the writer was killed, or which is still being written.
	ErrCut = errors.New("the recording ends without its end")
	// ErrDamaged: what follows cannot be read.
	ErrDamaged = errors.New("the recording is damaged")
)

// A LaterError says that a recording was made by a later release, in a format that this one does not know.
type LaterError struct{ Format int }

func (e *LaterError) Error() string {
	return fmt.Sprintf("the recording has format %d, of a later release of Kubarium; this one reads up to %d", e.Format, Format)
}

// A Decoder reads a recording. It is for one goroutine at a time.
type Decoder struct {
	source  *source
	from    *zstd.Decoder
	in      *bufio.Reader
	coder   coder
	watches map[uint64]*flow.Watch
	free    []byte // see room
	begun   bool
	ended   bool
}

// mostOfRecord is the most that one record may take: a flow has at most a few bodies.
const mostOfRecord = 1 << 30

// NewDecoder returns a Decoder. It reads nothing yet. Close gives back what it takes.
func NewDecoder(from io.Reader) (*Decoder, error) {
	s := &source{Reader: from}
	z, err := zstd.NewReader(s, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(1<<26))
	if err != nil {
		return nil, err
	}
	d := &Decoder{source: s, from: z, in: bufio.NewReaderSize(z, 1<<16), watches: map[uint64]*flow.Watch{}}
	d.coder.mode = reading
	d.coder.words, d.coder.versions = &words{}, &versions{}
	return d, nil
}

// Close ends the reading.
func (d *Decoder) Close() { d.from.Close() }

// Next returns the next entry. Errors: io.EOF behind the End, ErrCut, ErrForeign, ErrDamaged and *LaterError.
func (d *Decoder) Next() (*Entry, error) {
	for {
		record, err := d.record()
		if err != nil {
			return nil, d.explain(err)
		}
		e := new(Entry)
		d.coder.buf, d.coder.field = record, 0
		entry(&d.coder, e)
		if d.coder.err != nil {
			return nil, ErrDamaged
		}
		if told, err := d.take(e); told || err != nil {
			return e, err
		}
	}
}

// take keeps what later entries refer to. It reports whether the entry is one for the caller.
func (d *Decoder) take(e *Entry) (told bool, err error) {
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
		d.coder.versions.values[e.Change.Revision] = e.Change.Value
	case e.Frames != nil:
		d.frames(e.Frames)
	case e.Flow != nil:
		d.watch(e.Flow)
	case e.End != nil:
		d.ended = true
	case e.Missed == nil && e.Moment == nil && e.Head == nil: // a word, or what a later release has added
		if e.word.Text != "" {
			d.coder.words.table = append(d.coder.words.table, e.word.Text)
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
	d.coder.versions.values = map[int64][]byte{}
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

// watch gives a flow the record of its watch.
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

// record reads the bytes of one record. They are the caller's.
func (d *Decoder) record() ([]byte, error) {
	size, err := binary.ReadUvarint(d.in)
	if err != nil {
		return nil, err
	}
	if size > mostOfRecord {
		return nil, ErrDamaged
	}
	if size > sharedRoom {
		return d.large(int64(size))
	}
	b := d.room(int(size))
	if _, err := io.ReadFull(d.in, b); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// large reads a long record. It takes memory as bytes come: a length alone proves nothing.
func (d *Decoder) large(size int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.CopyN(&b, d.in, size)
	if err == io.EOF && n < size {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// room is memory for a record. Records share large pieces of it: those that are read together are mostly forgotten together.
func (d *Decoder) room(size int) []byte {
	if len(d.free) < size {
		d.free = make([]byte, sharedRoom)
	}
	b := d.free[:size:size]
	d.free = d.free[size:]
	return b
}

// sharedRoom is how large such a piece is.
const sharedRoom = 256 << 10

// explain says what an error of reading means for the recording.
func (d *Decoder) explain(err error) error {
	switch ends := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case d.source.err != nil:
		return d.source.err
	case err == io.EOF && d.ended:
		return io.EOF
	case !d.begun:
		return ErrForeign
	case ends:
		return ErrCut
	}
	return ErrDamaged
}

// A source keeps the error that reading from it ended with, so that it is told apart from those of what was read.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
