package gate

import (
	"context"
	"errors"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// A Stream is one open watch past a Gate. It is used by one goroutine at a time, except for being cut.
type Stream struct {
	gate  *Gate
	watch *flow.Watch
	facts flow.Flow // of the watch's request
	cut   context.CancelCauseFunc

	lagging []*active // rules by which its events are sent later
	asked   []*active // rules of that kind that have been asked
}

// An Event is one event of a watch, before it is sent.
type Event struct {
	Frame flow.Frame // its type, revision, object and time
	// Edit is what may be edited of it, asked when it is held; nil for nothing.
	Edit func() Editable
	// Text is the event as it would be sent, for filters of bodies; nil for none.
	Text func() []byte
}

// ErrUntold says that an event is not sent.
var ErrUntold = errors.New("the event was dropped at the gate")

// Open begins a watch past the gate, and returns a context that ends when it is cut, with ErrCut as its cause. close
// must be called.
func (g *Gate) Open(ctx context.Context, rec *flow.Recorder, w *flow.Watch) (s *Stream, cuttable context.Context, close func()) {
	if g == nil || rec == nil {
		return nil, ctx, func() {}
	}
	ctx, cut := context.WithCancelCause(ctx)
	s = &Stream{gate: g, watch: w, facts: rec.Flow, cut: cut}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watches[s] = struct{}{}
	return s, ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.watches, s)
		cut(nil)
	}
}

// cut ends all watches of a client.
func (g *Gate) cut(tag string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.watches {
		if s.facts.Client.Tag == tag {
			s.cut(ErrCut)
		}
	}
}

// Idle reports whether no rule is about events.
func (s *Stream) Idle() bool {
	return s == nil || !slices.ContainsFunc(s.gate.list(), func(a *active) bool { return a.Frames() })
}

// about are the facts of an event, as a rule's filter sees them.
func (s *Stream) about(e Event) *flow.Flow {
	f := s.facts
	f.Target.Namespace, f.Target.Name = e.Frame.Namespace, e.Frame.Name
	f.Revision, f.SentRevision = e.Frame.Revision, 0
	if e.Text != nil && slices.ContainsFunc(s.gate.list(), func(a *active) bool { return a.body }) {
		f.ResponseBody = flow.Keep(e.Text())
	}
	return &f
}

// touched marks an event.
func (s *Stream) touched(m flow.FaultMark, e flow.Frame, begun time.Time) {
	m.At, m.Waited = begun.Sub(s.watch.Opened), s.gate.o.Now().Sub(begun)
	m.Seen = e.Revision
	m.Object = e.Name
	if e.Namespace != "" {
		m.Object = e.Namespace + "/" + e.Name
	}
	s.watch.Touched(m)
}

// Before returns when an event may be sent. Errors: ErrUntold if it is not sent; a Status with which the watch ends;
// ErrCut; the context's. pause stops the watch's own clock.
func (s *Stream) Before(ctx context.Context, e Event, pause func() (goOn func())) error {
	if s.Idle() {
		return nil
	}
	f := s.about(e)
	if err := s.late(ctx, f, e.Frame); err != nil {
		return err
	}
	var done []*active
	for {
		a := s.gate.meet(func(a *active) bool {
			return a.Before == rule.Frame && a.Action != rule.Coalesce && !slices.Contains(done, a) && a.Means(f)
		})
		if a == nil {
			return nil
		}
		done = append(done, a)
		if err := s.act(ctx, a, e, pause); err != nil {
			return err
		}
	}
}

// late waits where a rule lets the client lag. Each such rule is asked once for a watch.
func (s *Stream) late(ctx context.Context, f *flow.Flow, e flow.Frame) error {
	if a := s.gate.meet(func(a *active) bool {
		if a.Action != rule.Lag || slices.Contains(s.asked, a) || !a.Means(f) || s.gate.caughtUp(a) {
			return false
		}
		s.asked = append(s.asked, a)
		return true
	}); a != nil {
		s.lagging = append(s.lagging, a)
	}
	for _, a := range s.lagging {
		if !a.Means(f) || e.Committed.IsZero() {
			continue
		}
		begun := s.gate.o.Now()
		if err := s.gate.due(ctx, a, e.Revision, e.Committed); err != nil {
			return err
		}
		if s.gate.o.Now().Sub(begun) > time.Millisecond {
			s.touched(a.mark(rule.Frame, "told late"), e, begun)
		}
	}
	return nil
}

// Lags reports whether the watch may see less than there is: it gets no bookmark then.
func (s *Stream) Lags() bool {
	if s == nil {
		return false
	}
	for _, a := range s.lagging {
		select {
		case <-a.gone:
		default:
			if !s.gate.caughtUp(a) {
				return true
			}
		}
	}
	return false
}

func (s *Stream) act(ctx context.Context, a *active, e Event, pause func() func()) error {
	begun := s.gate.o.Now()
	m := a.mark(rule.Frame, "")
	defer func() { s.touched(m, e.Frame, begun) }()
	switch a.Action {
	case rule.Hold:
		return s.hold(ctx, a, e, pause, &m)
	case rule.Delay:
		m.Outcome = "delayed"
		return sleep(ctx, s.gate.between(a))
	case rule.Refuse:
		m.Outcome = Verdict{Do: Refuse, Code: a.Code}.said()
		return refusal(&s.facts, a.Code, a.RetryAfter)
	}
	m.Outcome = "connection cut"
	if a.Client {
		m.Outcome = "connection and watches cut"
		s.gate.cut(s.facts.Client.Tag)
	}
	return ErrCut
}

func (s *Stream) hold(ctx context.Context, a *active, e Event, pause func() func(), m *flow.FaultMark) error {
	goOn := pause()
	defer goOn()
	h := about(&s.facts, rule.Frame)
	h.Watch, h.Frame = s.watch.ID, &e.Frame
	h.Target.Namespace, h.Target.Name = e.Frame.Namespace, e.Frame.Name
	var edit Editable
	if e.Edit != nil {
		edit = e.Edit()
	}
	v, how, err := s.gate.hold(ctx, a, h, edit)
	m.Outcome = how
	switch {
	case err != nil:
		return err
	case v.Do == Refuse:
		return refusal(&s.facts, v.Code, v.RetryAfter)
	case v.Do == Drop:
		m.Outcome = "never told"
		return ErrUntold
	case v.Text != nil:
		m.Edited = edit.What
	}
	return nil
}

// Coalesces returns the time within which further changes of an event's object are to be awaited, if a rule says so.
// also reports of any event whether that rule means it as well.
func (s *Stream) Coalesces(e Event) (within time.Duration, also func(Event) bool, merged func(untold, told flow.Frame)) {
	if s.Idle() || e.Frame.Committed.IsZero() {
		return 0, nil, nil
	}
	f := s.about(e)
	a := s.gate.meet(func(a *active) bool { return a.Action == rule.Coalesce && a.Means(f) })
	if a == nil {
		return 0, nil, nil
	}
	also = func(o Event) bool { return !o.Frame.Committed.IsZero() && a.Means(s.about(o)) }
	merged = func(untold, told flow.Frame) {
		m := a.mark(rule.Frame, "never told, but what came behind it")
		s.touched(m, untold, s.gate.o.Now())
	}
	return a.Most, also, merged
}
