package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/request"

	"kubarium/flow"
	"kubarium/server/aggregate"
	"kubarium/server/answer"
	"kubarium/server/calls"
	"kubarium/server/elsewhere"
)

// serveAggregated hands a request on to the server that an APIService names, and its answer back, both as they are.
func (s *Server) serveAggregated(q *Request) (*answer.Answer, error) {
	if err := q.Flow.Before(q.Context(), flow.Proxy); err != nil {
		return nil, err
	}
	p := &passing{s: s, q: q, body: &elsewhere.Body{From: q.Body}}
	if q.bodyRead { // at the gate
		p.body.From = io.NopCloser(bytes.NewReader(q.body))
		q.ContentLength = int64(len(q.body))
	}
	return &answer.Answer{Stream: p.pass}, nil
}

// A passing is one request on its way to another server and back.
type passing struct {
	s       *Server
	q       *Request
	body    *elsewhere.Body
	sends   bool  // a body
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
	to := p.relay(out)
	defer func() { // also where the connection is broken off, which is a panic
		q.Flow.Leave(where.Host, p.stopped)
		if p.sends {
			q.Flow.Flow.RequestBody = p.body.Kept()
		}
		if cause := to.End(q.Context()); cause != "" {
			q.Flow.Flow.Message = cause
		}
		if f := &q.Flow.Flow; out.Code >= http.StatusBadRequest {
			elsewhere.NoteStatus(f, out.Body().Kept)
		}
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
		r.Body, p.sends = p.body, true
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
	out := w.(*elsewhere.Relay).Response
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

// relay hands the answer on. A watch is on the screen from its beginning. A browser takes the page of another server
// for one of this server, whose scripts may do all that the user may. A sandbox has no origin, and runs no scripts.
func (p *passing) relay(out *answer.Response) *elsewhere.Relay {
	to := &elsewhere.Relay{Response: out, Long: p.s.isLong(p.q), HTTP2: p.q.ProtoMajor == 2, Closing: p.s.closing}
	if p.q.isBrowser() {
		to.Before = func(int) {
			out.Header().Add("Content-Security-Policy", "sandbox")
			out.Header().Set("X-Content-Type-Options", "nosniff")
		}
	}
	if p.q.isWatch() {
		to.Open = p.openWatch
	}
	return to
}

// openWatch puts a watch on the screen. The versions of another server's objects are not Kubarium's, so that its frames
// have none.
func (p *passing) openWatch(media string) *elsewhere.Watch {
	f := &p.q.Flow.Flow
	f.Watch = p.s.o.Log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Query: f.Query, Media: media, Opened: p.s.o.Now()})
	p.q.Flow.Publish(flow.WatchOpened)
	return elsewhere.NewWatch(f.Watch, media, p.s.o.Now)
}
