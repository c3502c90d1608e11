package recording

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// ahead reads records ahead of whoever decodes them: the bytes are uncompressed on one processor while another makes flows of them.
type ahead struct {
	source  *source
	from    *zstd.Decoder
	in      *bufio.Reader
	free    []byte // see room
	made    piece
	size    int // bytes of made
	pieces  chan piece
	done    chan struct{}
	begun   bool
	left    [][]byte     // of the piece that is being decoded
	end     error        // behind it
	taken   bool         // whether there is such a piece
	handed  atomic.Int64 // pieces
	decoded atomic.Int64
}

// A piece are records, and what ended the reading behind them.
type piece struct {
	records [][]byte
	err     error
}

const (
	// recordsAhead is how many records a piece has at most, and bytesAhead of how many bytes it gets no more. piecesAhead is how many
	// pieces wait.
	recordsAhead = 64
	bytesAhead   = 1 << 20
	piecesAhead  = 1
	// sharedRoom is how large a piece of memory is that records share.
	sharedRoom = 256 << 10
)

func newAhead(from io.Reader) (*ahead, error) {
	s := &source{Reader: from}
	z, err := zstd.NewReader(s, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	return &ahead{source: s, from: z, in: bufio.NewReaderSize(z, 1<<16), pieces: make(chan piece, piecesAhead), done: make(chan struct{})}, nil
}

// next returns the next record, which is the caller's, or what ended the reading.
func (a *ahead) next() ([]byte, error) {
	if !a.begun {
		a.begun = true
		go a.run()
	}
	for len(a.left) == 0 {
		if a.end != nil {
			return nil, a.end
		}
		if a.taken {
			a.decoded.Add(1)
		}
		p := <-a.pieces
		a.left, a.end, a.taken = p.records, p.err, true
	}
	record := a.left[0]
	a.left = a.left[1:]
	return record, nil
}

// close ends the reading. A read of the source that is under way is left to its end.
func (a *ahead) close() {
	close(a.done)
	if !a.begun {
		a.from.Close()
	}
}

func (a *ahead) run() {
	defer a.from.Close()
	for {
		record, err := a.record()
		if err == nil {
			a.made.records = append(a.made.records, record)
			a.size += len(record)
		}
		a.made.err = err
		full := len(a.made.records) == recordsAhead || a.size > bytesAhead
		if (err != nil || full) && !a.hand() || err != nil {
			return
		}
	}
}

// hand hands on what was read. It reports false when nobody wants it.
func (a *ahead) hand() bool {
	a.handed.Add(1)
	select {
	case a.pieces <- a.made:
		a.made, a.size = piece{}, 0
		return true
	case <-a.done:
		return false
	}
}

// need says how many bytes are read next. Where that may take until more of them come, what was read so far is handed on.
func (a *ahead) need(bytes uint64) error {
	if uint64(a.in.Buffered()) >= bytes || len(a.made.records) == 0 || a.hand() {
		return nil
	}
	return io.ErrClosedPipe
}

// record reads the bytes of one record.
func (a *ahead) record() ([]byte, error) {
	if err := a.need(binary.MaxVarintLen64); err != nil {
		return nil, err
	}
	size, err := binary.ReadUvarint(a.in)
	switch {
	case err != nil:
		return nil, err
	case size > mostOfRecord:
		return nil, errRecord
	}
	if err := a.need(size); err != nil {
		return nil, err
	}
	b := a.room(int(size))
	if _, err := io.ReadFull(a.in, b); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// room is memory for a record. Records share large pieces of it: those that are read together are mostly forgotten together.
func (a *ahead) room(size int) []byte {
	if size > sharedRoom {
		return make([]byte, size)
	}
	if len(a.free) < size {
		a.free = make([]byte, sharedRoom)
	}
	b := a.free[:size:size]
	a.free = a.free[size:]
	return b
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
