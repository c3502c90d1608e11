package answer

import (
	"fmt"
	"strings"

	"kubarium/server/compress"
	"kubarium/server/features"
)

// compressOver is the size of an answer, in bytes, over which it is compressed: kube-apiserver's threshold.
const compressOver = 128 << 10

// A body is the body of an answer on its way out. For a client that takes gzip it holds the beginning back until it is
// known whether the answer is a long one, which goes out compressed (API Concepts, "Response compression"). Until the
// first byte is out, the answer can still become another one.
type body struct {
	out    *Response
	status int
	gzip   bool // whether the client takes gzip, and may have it
	held   []byte
	zip    *compress.Writer // nil as long as nothing is compressed
	size   int64            // in bytes, before compression
}

// body begins the body of an answer that is no watch.
func (c *Client) body(out *Response, status int) *body {
	return &body{out: out, status: status, gzip: c.TakesGzip(features.APIResponseCompression)}
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
	compress.SetHeader(b.out.Header())
	b.begin()
	b.out.Reused = true
	b.zip = compress.New(b.out)
	if _, err := b.zip.Write(b.held); err != nil {
		return 0, err
	}
	b.held = nil
	return b.zip.Write(piece)
}

// begin sends status and headers, once.
func (b *body) begin() {
	if b.out.Code == 0 {
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

// String is the sizes for people: "300 B", "300000 B → 1200 B".
func (b *body) String() string {
	if b.zip == nil {
		return fmt.Sprintf("%d B", b.size)
	}
	return fmt.Sprintf("%d B → %d B", b.size, b.out.Size)
}

// TakesGzip reports whether the client takes gzip for what a gate compresses. Like kube-apiserver it looks for that
// very word and knows no qualities.
func (c *Client) TakesGzip(gate features.Gate) bool {
	header := c.Header.Get("Accept-Encoding")
	if header == "" || !c.Features.Enabled(gate) {
		return false
	}
	for encoding := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(encoding) == "gzip" {
			return true
		}
	}
	return false
}

// send writes an encoded answer, compressed where it is long.
func (c *Client) send(out *Response, status int, text []byte) {
	b := c.body(out, status)
	b.gzip = b.gzip && len(text) > compressOver
	station, note := "respond", ""
	if b.gzip {
		station = "compress"
	}
	out.Flow.Enter(station)
	_, err := b.Write(text)
	if err == nil {
		err = b.Close()
	}
	if b.gzip {
		note = b.String()
	}
	out.Flow.Leave(note, err)
}
