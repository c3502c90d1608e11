package elsewhere

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"kubarium/server/answer"
	"kubarium/server/stream"
)

// A Relay hands the answer of another server on. Its Response must be Reused, as what copies the answer does that.
type Relay struct {
	*answer.Response
	Long    bool            // the answer lasts as long as the client wants, who must read within stream.SlowWrite
	HTTP2   bool            // the client speaks it
	Closing context.Context // whose end closes upgraded connections
	// Before is called before an answer begins; nil for nothing.
	Before func(code int)
	// Open begins the record of a watch, whose answer begins with 200; nil where none is asked for.
	Open func(media string) *Watch
	// Listen reads an answer of 200 while it passes, without gzip, in the goroutine that writes it; nil for none. It
	// gets io.EOF where the answer ends or is broken off, and returns when it has read enough.
	Listen func(answer io.Reader)

	watch    *Watch
	listener *listener
	upgraded *upgraded // nil for what speaks HTTP to its end
}

// WriteHeader begins the answer.
func (w *Relay) WriteHeader(code int) {
	first := w.Code == 0
	if first && w.Before != nil {
		w.Before(code)
	}
	w.Response.WriteHeader(code)
	if first && code == http.StatusOK && w.Open != nil {
		w.Streams = true
		w.watch = w.Open(w.Header().Get("Content-Type"))
	}
	if first && code == http.StatusOK && w.Listen != nil {
		w.listener = listen(w.Header().Get("Content-Encoding") == "gzip", w.Listen)
	}
}

// Write hands a part of the body on.
func (w *Relay) Write(b []byte) (int, error) {
	if w.Code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.Long {
		_ = w.Conn.SetWriteDeadline(time.Now().Add(stream.SlowWrite))
	}
	n, err := w.Response.Write(b)
	if w.watch != nil {
		w.watch.wrote(b[:n])
	}
	if w.listener != nil {
		w.listener.wrote(b[:n])
	}
	return n, err
}

// FlushError sends what was written. In HTTP/2 net/http ends a stream when its deadline comes, whether or not
// something is written.
func (w *Relay) FlushError() error {
	err := w.Conn.Flush()
	if w.HTTP2 && w.Long {
		_ = w.Conn.SetWriteDeadline(time.Time{})
	}
	return err
}

// Flush fulfils http.Flusher.
func (w *Relay) Flush() { _ = w.FlushError() }

// Hijack takes the connection over, as an upgrade needs.
func (w *Relay) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.Response.Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.Streams = true
	w.upgraded = &upgraded{Conn: conn}
	w.upgraded.keep = context.AfterFunc(w.Closing, func() { _ = conn.Close() })
	return w.upgraded, rw, nil
}

// End says that nothing comes any more, and why a watch has ended, which is returned; "" for what is no watch. A cause
// with which ctx has ended is why.
func (w *Relay) End(ctx context.Context) (cause string) {
	if w.upgraded != nil {
		w.Code, w.Size = w.upgraded.outcome()
	}
	if w.listener != nil {
		w.listener.end()
	}
	if w.watch == nil {
		return ""
	}
	cause = "the other server ended it"
	switch {
	case w.Closing.Err() != nil:
		cause = "server is stopping"
	case ctx.Err() != nil:
		cause = "client went away"
		if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
			cause = why.Error()
		}
	}
	w.watch.Record.Close(w.watch.Now(), cause)
	return cause
}

// upgraded is a connection that speaks another protocol from its answer on. It knows the status of that, and counts.
type upgraded struct {
	net.Conn
	keep func() bool // from being closed when the server ends

	mu   sync.Mutex // guards the rest: a copy may go on for a moment after the last reader has left
	code int
	size int64
}

// outcome is the status, and how many bytes the client got.
func (c *upgraded) outcome() (code int, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code, c.size
}

// Close fulfils net.Conn.
func (c *upgraded) Close() error {
	c.keep()
	return c.Conn.Close()
}

// Write fulfils net.Conn.
func (c *upgraded) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == 0 {
		c.code = statusOf(b)
	}
	c.size += int64(n)
	return n, err
}

// statusOf is the status in the first line of an answer: "HTTP/1.1 101 Switching Protocols".
func statusOf(answer []byte) int {
	_, rest, _ := bytes.Cut(answer, []byte(" "))
	code, err := strconv.Atoi(string(rest[:min(3, len(rest))]))
	if err != nil {
		return http.StatusSwitchingProtocols
	}
	return code
}
