package server

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

	"k8s.io/apiserver/pkg/endpoints/request"

	"kubarium/flow"
	"kubarium/server/aggregate"
	"kubarium/server/answer"
	"kubarium/server/calls"
	"kubarium/server/stream"
)

// serveAggregated hands a request on to the server that an APIService names, and its answer back, both as they are.
func (s *Server) serveAggregated(q *Request) (*answer.Answer, error) {
	if err := q.Flow.Before(q.Context(), flow.Proxy); err != nil {
		return nil, err
	}
	p := &passing{s: s, q: q, body: &passedBody{from: q.Body}}
	if q.bodyRead { // at the gate
		p.body.from = io.NopCloser(bytes.NewReader(q.body))
		q.ContentLength = int64(len(q.body))
	}
	return &answer.Answer{Stream: p.pass}, nil
}

// A passing is one request on its way to another server and back.
type passing struct {
	s       *Server
	q       *Request
	body    *passedBody
	stopped error // by the gate, before the answer is handed on
}

// pass asks, and writes the answer.
func (p *passing) pass(out *answer.Response) {
	q := p.q
	out.Reused = true // by what copies the answer
	out.Header().Set("Cache-Control", "no-cache, private")
	q.Flow.Enter(flow.Proxy)
	where, err := q.elsewhere.Locate()
	if err != nil {
		p.refuse(out, err.(*aggregate.Refusal))
		return
	}
	leave, err := p.s.admitProxied(q)
	if err != nil {
		q.Flow.Leave(where.Host, err)
		p.s.fail(out, q, err)
		return
	}
	defer leave()
	to := &relay{Response: out, p: p}
	defer func() { // also where the connection is broken off, which is a panic
		q.Flow.Leave(where.Host, p.stopped)
		if p.body.read {
			q.Flow.Flow.RequestBody = p.body.kept()
		}
		to.end()
		q.noteStatus(out)
	}()
	r := p.request(out)
	if p.s.isLong(q) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(p.s.closing, cancel)()
		r = r.WithContext(ctx)
	}
	q.elsewhere.Do(to, r, aggregate.Call{Server: where, User: q.who.User, Wrap: p.wrap, Failed: p.fail})
}

// request is what goes out, with what official code looks for in its context.
func (p *passing) request(out *answer.Response) *http.Request {
	r := p.q.Clone(request.WithRequestInfo(p.q.Context(), p.q.Route.Info()))
	r.Header.Set("Audit-Id", out.Header().Get("Audit-Id"))
	if p.limited() {
		r.Header.Del("Accept-Encoding") // net/http asks for gzip itself then, and unpacks what is counted
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body, p.body.read = p.body, true
	}
	return r
}

// refuse answers where there is no server to ask.
func (p *passing) refuse(out *answer.Response, r *aggregate.Refusal) {
	note := r.Text
	if r.Cause != nil {
		note = r.Cause.Error()
	}
	p.q.Flow.Leave(note, r)
	p.s.answers.FailPlain(out, &p.q.Client, r.Status, "", r.Text)
}

// fail answers where the server did not.
func (p *passing) fail(w http.ResponseWriter, _ *http.Request, err error) {
	out := w.(*relay).Response
	switch {
	case p.stopped != nil:
		p.s.fail(out, p.q, p.stopped)
	case errors.Is(p.q.Context().Err(), context.DeadlineExceeded):
		p.s.fail(out, p.q, timedOut)
	default:
		p.s.answers.FailPlain(out, &p.q.Client, http.StatusServiceUnavailable, "", err.Error())
	}
}

// limited reports whether the answer is read whole by Kubarium's own controllers or UI, and so must have an end.
func (p *passing) limited() bool { return p.q.Flow.Flow.Client.Own() && !p.s.isLong(p.q) }

// wrap wraps the transport of this request: with its record as a call, and the gate before the answer.
func (p *passing) wrap(next http.RoundTripper) http.RoundTripper {
	if p.limited() {
		next = calls.Limited{Next: next}
	}
	caller := flow.Caller{Kind: flow.AggregatedCall, Name: p.q.elsewhere.Name, Shared: true}
	return gated{flow.Transport{Next: next, Caller: caller}, p}
}

// gated lets an answer pass the gate before "encode", as those of this server do.
type gated struct {
	next http.RoundTripper
	p    *passing
}

// RoundTrip fulfils http.RoundTripper.
func (g gated) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	rec := g.p.q.Flow
	if err != nil || rec.Gate == nil {
		return resp, err
	}
	rec.Flow.Status = resp.StatusCode
	if !g.p.s.isLong(g.p.q) { // a held request keeps no place
		g.p.s.proxied.Add(-1)
		defer g.p.s.proxied.Add(1)
	}
	g.p.stopped = rec.Before(r.Context(), "encode")
	rec.Flow.Status = 0
	if g.p.stopped != nil {
		_ = resp.Body.Close()
		return nil, g.p.stopped
	}
	return resp, nil
}

// A relay hands the answer of another server on.
type relay struct {
	*answer.Response
	p        *passing
	watch    *passedWatch // nil for what is no watch
	upgraded *upgraded    // nil for what speaks HTTP to its end
}

// WriteHeader begins the answer. A watch is on the screen from then on. A browser takes the page of another server for
// one of this server, whose scripts may do all that the user may. A sandbox has no origin, and runs no scripts.
func (w *relay) WriteHeader(code int) {
	first := w.Code == 0
	if first && w.p.q.isBrowser() {
		w.Header().Add("Content-Security-Policy", "sandbox")
		w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	w.Response.WriteHeader(code)
	if first && code == http.StatusOK && w.p.q.isWatch() {
		w.Streams = true
		w.watch = w.p.openWatch(w.Header().Get("Content-Type"))
	}
}

// Write hands a part of the body on. A client must read within stream.SlowWrite.
func (w *relay) Write(b []byte) (int, error) {
	if w.Code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.p.s.isLong(w.p.q) {
		_ = w.Conn.SetWriteDeadline(time.Now().Add(stream.SlowWrite))
	}
	n, err := w.Response.Write(b)
	if w.watch != nil {
		w.watch.wrote(b[:n])
	}
	return n, err
}

// FlushError sends what was written. In HTTP/2 net/http ends a stream when its deadline comes, whether or not
// something is written.
func (w *relay) FlushError() error {
	err := w.Conn.Flush()
	if w.p.q.ProtoMajor == 2 && w.p.s.isLong(w.p.q) {
		_ = w.Conn.SetWriteDeadline(time.Time{})
	}
	return err
}

// Flush fulfils http.Flusher.
func (w *relay) Flush() { _ = w.FlushError() }

// Hijack takes the connection over, as an upgrade needs.
func (w *relay) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.Response.Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.Streams = true
	w.upgraded = &upgraded{Conn: conn}
	w.upgraded.keep = context.AfterFunc(w.p.s.closing, func() { _ = conn.Close() })
	return w.upgraded, rw, nil
}

// end says that nothing comes any more.
func (w *relay) end() {
	if w.upgraded != nil {
		w.Code, w.Size = w.upgraded.told()
	}
	if w.watch == nil {
		return
	}
	cause := "the server behind ended it"
	switch {
	case w.p.s.closing.Err() != nil:
		cause = "server is stopping"
	case w.p.q.Context().Err() != nil:
		cause = "client went away"
	}
	w.watch.record.Close(w.p.s.o.Now(), cause)
	w.p.q.Flow.Flow.Message = cause
}

// upgraded is a connection that speaks another protocol from its answer on. It knows the status of that, and counts.
type upgraded struct {
	net.Conn
	keep func() bool // from being closed when the server ends

	mu   sync.Mutex // guards the rest: a copy may go on for a moment after the last reader has left
	code int
	size int64
}

// told is the status, and how many bytes the client got.
func (c *upgraded) told() (code int, size int64) {
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

// A passedBody is the body of a request, whose beginning is kept for the flow while the transport reads it.
type passedBody struct {
	from io.ReadCloser
	read bool // whether there is any

	mu    sync.Mutex // guards the rest: it may be read for a moment longer than the answer takes
	head  []byte
	total int64
}

// Read fulfils io.Reader.
func (b *passedBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := flow.MaxBody - len(b.head); room > 0 {
		b.head = append(b.head, p[:min(n, room)]...)
	}
	b.total += int64(n)
	return n, err
}

// Close fulfils io.Closer.
func (b *passedBody) Close() error { return b.from.Close() }

// kept is what the flow keeps.
func (b *passedBody) kept() flow.Body {
	b.mu.Lock()
	defer b.mu.Unlock()
	return flow.Body{Kept: bytes.Clone(b.head), Total: b.total, Cut: int64(len(b.head)) < b.total}
}
