package recording

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// ahead reads records before they are decoded: one goroutine decompresses while another decodes.
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
	left    [][]byte     // of the piece being decoded
	end     error        // after left
	taken   bool         // whether a piece is being decoded
	handed  atomic.Int64 // pieces read
	decoded atomic.Int64 // pieces decoded
}

// A piece is some records, and the error after them if reading ended there.
type piece struct {
	records [][]byte
	err     error
}

const (
	// A piece is complete with recordsAhead records, or more than bytesAhead bytes. piecesAhead of them wait.
	recordsAhead = 64
	bytesAhead   = 1 << 20
	piecesAhead  = 1
	// sharedRoom is the size of an allocation that records share.
	sharedRoom = 256 << 10
)

func newAhead(from io.Reader) (*ahead, error) {
	s := &source{Reader: from}
	z, err := zstd.NewReader(s, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	return &ahead{
		source: s, from: z, in: bufio.NewReaderSize(z, 1<<16),
		pieces: make(chan piece, piecesAhead), done: make(chan struct{}),
	}, nil
}

// next returns the next record, which the caller may keep, or the error that ended the reading.
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

// close ends the reading. It does not interrupt a read of the source in progress.
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

// hand passes the piece on. It returns false after close.
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

// need announces how many bytes are read next. If they are not buffered, the records so far are passed on first, since
// the next bytes may take long to come.
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

// room returns memory for a record. Records share large allocations, as records read together mostly become garbage
// together.
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

// A source keeps the error of its reader, to distinguish it from errors of decompression.
type source struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
