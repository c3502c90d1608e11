package play

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/servers"
)

// prepare does what a step asks for before it acts: fault rules go and come, a watch is closed, servers stop and start.
func (st *stage) prepare(ctx context.Context, s scenarios.Step) error {
	err := errors.Join(st.rules(ctx, s), st.switched(s))
	if w := st.watches[s.Close]; w != nil {
		w.Close()
	}
	st.before = st.servers.Counts()
	return err
}

// rules removes and adds the fault rules that a step says.
func (st *stage) rules(ctx context.Context, s scenarios.Step) error {
	if s.Mend {
		if err := st.mend(ctx); err != nil {
			return err
		}
	}
	if len(s.Faults) == 0 {
		return nil
	}
	st.faulty = true // even if no answer comes: they may be there
	return st.gate.add(ctx, s.Faults)
}

// switched stops and starts the servers that a step says.
func (st *stage) switched(s scenarios.Step) error {
	if s.Stop != "" {
		st.servers.Stop(s.Stop)
	}
	if s.Start == "" {
		return nil
	}
	return st.servers.Start(s.Start)
}

// sends returns what a step is going to send, and begins to mark its requests.
func (st *stage) sends(i int, s scenarios.Step) Sent {
	st.client.Mark = fmt.Sprintf("%s/%d", st.values["ns"], i+1)
	sent := Sent{Actor: s.As, Path: s.Path(), Mark: st.client.Mark}
	switch {
	case s.Request != nil:
		sent.Method = s.Request.Method
	case s.Answer != nil:
		if q := st.pending[s.Answer.Of]; q != nil {
			return q.sent
		}
	case s.Watch != nil:
		sent.Method = http.MethodGet
		st.marks[s.Watch.Name] = st.client.Mark
	case s.Frames != nil:
		sent.Mark = st.marks[s.Frames.From]
	default:
		sent.Mark = st.marks[s.Close] // "" if it closes none
	}
	return sent
}

// act sends what a step sends, and waits for what it waits for. fits reports whether what has come so far is as expected.
func (st *stage) act(ctx context.Context, s scenarios.Step, fits func(check.Outcome) bool) (o check.Outcome) {
	switch {
	case s.Later != "":
		o = st.later(ctx, s)
	case s.Each != nil:
		o = st.each(ctx, s, fits)
	case s.Request != nil:
		o = st.request(ctx, s, fits)
	case s.Answer != nil:
		o = st.answer(ctx, s.Answer)
	case s.Watch != nil:
		o = st.watch(s)
	case s.Frames != nil:
		o = st.frames(ctx, s.Frames, fits)
	}
	o.Asked = st.asked(s)
	return o
}

// request sends a request and reads its answer; one with until again and again, until the answer fits or the reader's patience ends.
func (st *stage) request(ctx context.Context, s scenarios.Step, fits func(check.Outcome) bool) check.Outcome {
	o := check.Outcome{Method: s.Request.Method, Path: s.Request.Path, Body: []byte(s.Request.Sent())}
	deadline := time.Now().Add(st.client.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		o.Response, o.Lost = st.client.Send(ctx, s.As, s.Request)
		if s.Until == nil && o.Lost == nil {
			st.made(s.Request, o.Response)
		}
		if s.Until == nil || o.Lost != nil || fits(o) || time.Now().Add(pause).After(deadline) {
			return o
		}
		select {
		case <-ctx.Done():
			o.Err = ctx.Err()
			return o
		case <-time.After(pause):
		}
	}
}

// each sends a request once with each of the step's values, as long as the answers fit. The outcome has the last answer.
func (st *stage) each(ctx context.Context, s scenarios.Step, fits func(check.Outcome) bool) (o check.Outcome) {
	for _, one := range s.Each {
		this := s
		this.Request = s.Request.For(one)
		if o = st.request(ctx, this, fits); o.Err != nil || o.Lost != nil || !fits(o) {
			break
		}
	}
	return o
}

// later sends a request, and returns when the gate holds it.
func (st *stage) later(ctx context.Context, s scenarios.Step) check.Outcome {
	o := check.Outcome{Method: s.Request.Method, Path: s.Request.Path, Body: []byte(s.Request.Sent())}
	q := &pending{request: s.Request, sent: Sent{Actor: s.As, Method: o.Method, Path: o.Path, Mark: st.client.Mark}}
	if q.Pending, o.Err = st.client.Begin(st.ctx, s.As, s.Request); o.Err != nil {
		return o
	}
	if q.held, o.Held, o.Err = st.gate.held(ctx, q.Pending, st.holds); o.Err == nil {
		st.pending[s.Later] = q
	}
	return o
}

// answer lets a held request go, and waits for its answer.
func (st *stage) answer(ctx context.Context, a *scenarios.Answer) check.Outcome {
	q := st.pending[a.Of]
	o := check.Outcome{Method: q.request.Method, Path: q.request.Path}
	if o.Err = st.gate.release(ctx, q.held, a); o.Err != nil {
		return o
	}
	patience := time.NewTimer(st.client.Patience)
	defer patience.Stop()
	select {
	case <-q.Done:
		if o.Response, o.Lost = q.Response, q.Err; o.Lost == nil {
			st.made(q.request, o.Response)
		}
	case <-patience.C:
		o.Err = fmt.Errorf("no answer within %s", st.client.Patience)
	case <-ctx.Done():
		o.Err = ctx.Err()
	}
	return o
}

// watch opens a watch, for later steps to read.
func (st *stage) watch(s scenarios.Step) check.Outcome {
	o := check.Outcome{Method: http.MethodGet, Path: s.Watch.Path}
	stream, response, err := st.client.Watch(st.ctx, s.As, s.Watch)
	if o.Response, o.Err = response, err; stream != nil {
		st.watches[s.Watch.Name] = stream
	}
	return o
}

// frames waits for the frames of a watch, as long as they fit, and for its end.
func (st *stage) frames(ctx context.Context, f *scenarios.Frames, fits func(check.Outcome) bool) (o check.Outcome) {
	next := func(want string) bool {
		frame, err := st.watches[f.From].Next(ctx, want)
		if err != nil {
			o.Ended = err
			return false
		}
		o.Frames = append(o.Frames, frame)
		return true
	}
	for _, want := range f.Expect {
		if !next(want.Type) || !fits(o) {
			return o
		}
	}
	if f.Ends {
		next("")
	}
	return o
}

// asked returns what the server in the step's asked has heard since the step began; in all the lesson if the step sends nothing.
func (st *stage) asked(s scenarios.Step) []servers.Heard {
	if s.Asked == nil {
		return nil
	}
	since := 0
	if s.Request != nil || s.Answer != nil {
		since = st.before[s.Asked.Server]
	}
	return st.servers.Since(s.Asked.Server, since)
}
