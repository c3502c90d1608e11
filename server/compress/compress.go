// Package compress writes gzip in pieces that are worth sending, with compressors that are used again: each has
// tables of a megabyte. It knows bytes and one header.
package compress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"sync"
)

// level is the fast one: answers are made once and read over a loopback interface.
const level = gzip.BestSpeed

// SetHeader says that what follows is compressed.
func SetHeader(h http.Header) {
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
}

// A Writer compresses into a writer. Close or End gives it back, and must be called.
type Writer struct {
	*gzip.Writer
	buffered *bufio.Writer
}

// writers are those that wait to be used again.
var writers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &Writer{Writer: w, buffered: bufio.NewWriterSize(nil, 32<<10)}
}}

// New begins a gzip stream on w.
func New(w io.Writer) *Writer {
	z := writers.Get().(*Writer)
	z.buffered.Reset(w)
	z.Reset(z.buffered)
	return z
}

// Close ends the stream and sends it out.
func (z *Writer) Close() error {
	err := z.Writer.Close()
	if err == nil {
		err = z.buffered.Flush()
	}
	z.buffered.Reset(nil)
	writers.Put(z)
	return err
}

// End closes a member (RFC 1952, section 2.2) with an empty block before its end. Without that its last bytes would
// be in the block that ends the member, and a reader that looks for the next member first, as Go's does, would keep
// them until there is one.
func (z *Writer) End() error {
	err := z.Flush()
	if e := z.Close(); err == nil {
		err = e
	}
	return err
}

// Member is a text as a member of its own, such as many may be sent.
func Member(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z := New(&b)
	_, err := z.Write(text)
	if e := z.End(); err == nil {
		err = e
	}
	return b.Bytes(), err
}
