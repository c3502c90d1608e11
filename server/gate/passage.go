package gate

import (
	"context"
	"errors"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/server/budget"
)

// Errors that end or turn a request on its way, apart from a Status.
var (
	// ErrCut says that the connection ends without an answer.
	ErrCut = errors.New("the connection was cut at the gate")
	// ErrEdited says that the body has another text now, and that the request begins again.
	ErrEdited = errors.New("the body was edited at the gate")
)

// A Request is what a Gate needs of a request in addition to its record.
type Request interface {
	// Stop stops the request's own clock, and gives back what others wait for, until goOn is called.
	Stop() (goOn func())
	// Aside calls wait while others have the memory and the processors that the request's body takes, and takes them
	// again if wait succeeds.
	Aside(ctx context.Context, wait func() error) error
	// Committed reports whether the request has changed something, as far as is known.
	Committed() bool
	// Left is the request's own time that is left, 0 for no bound.
	Left() time.Duration
	// Editable is what may be edited of it before a station. An error, such as that of a body that cannot be read, is
	// its answer.
	Editable(station string) (Editable, error)
}

// A Passage is one request on its way past a Gate. It is used by one goroutine at a time.
type Passage struct {
	gate  *Gate
	rec   *flow.Recorder
	req   Request
	asked []*active // rules that have acted on it: each does once
}

// Pass gives a request its passage, if there are rules; it belongs into the Recorder's Gate.
func (g *Gate) Pass(rec *flow.Recorder, req Request) {
	if !g.Idle() {
		rec.Gate = &Passage{gate: g, rec: rec, req: req}
	}
}

// Before implements flow.Gate.
func (p *Passage) Before(ctx context.Context, station string) error {
	for {
		a := p.gate.meet(func(a *active) bool {
			return a.Before == station && a.Action != rule.Lag && a.Action != rule.Coalesce && p.fits(a)
		})
		if a == nil {
			return nil
		}
		p.asked = append(p.asked, a)
		if err := p.act(ctx, a, station); err != nil {
			return err
		}
	}
}

func (p *Passage) fits(a *active) bool {
	if a.Action == rule.Lose && !p.req.Committed() || slices.Contains(p.asked, a) {
		return false
	}
	return a.Means(&p.rec.Flow)
}

// act does what a rule says, and marks it.
func (p *Passage) act(ctx context.Context, a *active, station string) error {
	at := p.rec.Elapsed()
	m := a.mark(station, "")
	m.At = at
	defer func() {
		m.Waited = p.rec.Elapsed() - at
		p.rec.Fault(m)
	}()
	switch a.Action {
	case rule.Hold:
		return p.hold(ctx, a, station, &m)
	case rule.Delay:
		m.Outcome = "delayed"
		return budget.Away(ctx, func() error { return sleep(ctx, p.gate.between(a)) })
	case rule.Refuse:
		m.Outcome = Verdict{Do: Refuse, Code: a.Code}.said()
		return refusal(&p.rec.Flow, a.Code, a.RetryAfter)
	case rule.Lose:
		m.Outcome = "the answer was lost"
	default:
		m.Outcome = "connection cut"
	}
	if a.Client {
		m.Outcome = "connection and watches cut"
		p.gate.cut(p.rec.Flow.Client.Tag)
	}
	return ErrCut
}

// hold stops the request until it is let go.
func (p *Passage) hold(ctx context.Context, a *active, station string, m *flow.FaultMark) error {
	edit, err := p.req.Editable(station)
	if err != nil {
		m.Outcome = "not held: " + err.Error()
		return err
	}
	edited := false
	err = p.req.Aside(ctx, func() error {
		goOn := p.req.Stop()
		defer goOn()
		h := about(&p.rec.Flow, station)
		h.Left = p.req.Left()
		if station == "encode" {
			h.Status = p.rec.Flow.Status
		}
		v, how, err := p.gate.hold(ctx, a, h, edit)
		m.Outcome = how
		switch {
		case err != nil:
			return err
		case v.Do == Refuse:
			return refusal(&p.rec.Flow, v.Code, v.RetryAfter)
		case v.Do == Drop:
			return ErrCut
		}
		edited = v.Text != nil
		return nil
	})
	if err != nil || !edited {
		return err
	}
	m.Edited = edit.What
	if edit.What == "body" && !slices.Contains([]string{"negotiate", "decode"}, station) {
		return ErrEdited
	}
	return nil
}

// Seen implements flow.Gate.
func (p *Passage) Seen(ctx context.Context) int64 {
	a := p.gate.meet(func(a *active) bool { return a.Action == rule.Lag && a.Means(&p.rec.Flow) && !p.gate.caughtUp(a) })
	if a == nil || p.gate.o.At == nil {
		return 0
	}
	seen := p.gate.lag(ctx, a)
	if seen > 0 && !slices.Contains(p.asked, a) {
		p.asked = append(p.asked, a)
		m := a.mark("cache", "answered as of an older version")
		m.At, m.Seen = p.rec.Elapsed(), seen
		p.rec.Fault(m)
	}
	return seen
}

// sleep waits, at most as long as ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
