package server

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"kubarium/server/features"
)

// compressOver is the size of an answer, in bytes, over which it is compressed: kube-apiserver's threshold.
const compressOver = 128 << 10

// compressLevel is the fast one: answers are made once and read over a loopback interface.
const compressLevel = gzip.BestSpeed

// A body is the body of an answer on its way out. For a client that takes gzip it holds the beginning back until it is
// known whether the answer is a long one, which goes out compressed (API Concepts, "Response compression"). Until the
// first byte is out, the answer can still become another one.
type body struct {
	out    *response
	status int
	gzip   bool // whether the client takes gzip, and may have it
	held   []byte
	zip    *zip  // nil as long as nothing is compressed
	size   int64 // in bytes, before compression
}

// body begins the body of an answer that is no watch.
func (q *Request) body(out *response, status int) *body {
	return &body{out: out, status: status, gzip: q.takesGzip(features.APIResponseCompression)}
}

// Write takes a piece of the body; it does not keep it.
func (b *body) Write(piece []byte) (int, error) {
	b.size += int64(len(piece))
	switch {
	case b.zip != nil:
		return b.zip.Write(piece)
	case !b.gzip:
		b.begin()
		return b.out.Write(piece)
	case b.size <= compressOver:
		b.held = append(b.held, piece...)
		return len(piece), nil
	}
	setGzip(b.out.Header())
	b.begin()
	b.out.reused = true
	b.zip = newZip(b.out)
	if _, err := b.zip.Write(b.held); err != nil {
		return 0, err
	}
	b.held = nil
	return b.zip.Write(piece)
}

// begin sends status and headers, once.
func (b *body) begin() {
	if b.out.code == 0 {
		b.out.WriteHeader(b.status)
	}
}

// Close sends what is still held.
func (b *body) Close() error {
	if b.zip != nil {
		return b.zip.Close()
	}
	b.begin()
	if len(b.held) == 0 {
		return nil
	}
	_, err := b.out.Write(b.held)
	return err
}

// String tells the sizes for people: "300 B", "300000 B → 1200 B".
func (b *body) String() string {
	if b.zip == nil {
		return fmt.Sprintf("%d B", b.size)
	}
	return fmt.Sprintf("%d B → %d B", b.size, b.out.size)
}

// setGzip says that what follows is compressed.
func setGzip(h http.Header) {
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
}

// takesGzip tells whether the client takes gzip for what a gate compresses. Like kube-apiserver it looks for that very
// word and knows no qualities.
func (q *Request) takesGzip(gate features.Gate) bool {
	header := q.Header.Get("Accept-Encoding")
	if header == "" || !q.features.Enabled(gate) {
		return false
	}
	for encoding := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(encoding) == "gzip" {
			return true
		}
	}
	return false
}

// A zip compresses into a writer, in pieces that are worth sending. Close gives it back.
type zip struct {
	*gzip.Writer
	buffered *bufio.Writer
}

// zips are compressors with their tables, a megabyte each, that wait to be used again.
var zips = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, compressLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &zip{Writer: w, buffered: bufio.NewWriterSize(nil, 32<<10)}
}}

// newZip begins a gzip stream on w.
func newZip(w io.Writer) *zip {
	z := zips.Get().(*zip)
	z.buffered.Reset(w)
	z.Reset(z.buffered)
	return z
}

// Close ends the stream and sends it out.
func (z *zip) Close() error {
	err := z.Writer.Close()
	if err == nil {
		err = z.buffered.Flush()
	}
	z.buffered.Reset(nil)
	zips.Put(z)
	return err
}
