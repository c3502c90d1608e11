package play

import (
	"context"
	"time"

	"kubarium/scenarios/check"
)

// Step plays the next step and returns what came of it; a failed expectation is a *check.Mismatch. After the last step, and
// after a failure, what the lesson made is removed, unless Options.Leave. If Options.Ask and the step asks a question,
// the first call only asks it and returns nil; a second one, without an Answer, passes it over. If the step is the reader's,
// the first call only says so and returns nil; a second one plays the step for the reader.
func (p *Player) Step(ctx context.Context) (*check.Result, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.set(func(s *State) { s.Notice = nil })
	s := p.State()
	if s.Phase == Waiting {
		p.passOver()
	} else if !s.Over() && p.asks(p.place()) {
		return nil, nil
	}
	r, err := p.step(ctx)
	p.paused()
	return r, err
}

// Run plays the steps that are left. It returns nil at the end, after Pause, when another client disturbed the lesson, and when a
// step is the reader's; if Options.Ask, also before a step that asks a question, and without a pace after each step. State
// says which.
func (p *Player) Run(ctx context.Context) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	stop := p.running()
	defer p.ran()
	for !p.State().Over() {
		at := p.place()
		if p.awaits() || p.asks(at) {
			return nil
		}
		r, err := p.step(ctx)
		if p.options.Say != nil && r != nil {
			p.options.Say(at.index+1, r)
		}
		if err != nil || p.State().Over() || p.awaits() {
			return err
		}
		if !p.rest(ctx, stop) {
			return ctx.Err()
		}
	}
	return ErrOver
}

// rest gives the reader time to read. It returns false if Run is to stop.
func (p *Player) rest(ctx context.Context, stop <-chan struct{}) bool {
	d, forever := p.readingTime()
	if forever {
		p.paused()
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-stop:
	case <-ctx.Done():
	case <-t.C:
		select {
		case <-stop:
		default:
			return true
		}
	}
	p.paused()
	return false
}

// Quit ends the lesson's watches and held requests and removes its fault rules, for a reader who leaves in its middle. The objects
// that it made stay until Reset, unless the lesson has servers: these go, and objects that lead to them must not stay.
func (p *Player) Quit(ctx context.Context) error {
	p.Pause()
	p.turn.Lock()
	defer p.turn.Unlock()
	if len(p.Lesson.Servers) > 0 {
		return p.clean(ctx)
	}
	p.set(func(s *State) { s.Replaced = nil })
	return p.stage.calm(ctx)
}

// Reset removes what the lesson made and takes it back to its start. An error says what could not be removed.
func (p *Player) Reset(ctx context.Context) error {
	p.Pause()
	p.turn.Lock()
	defer p.turn.Unlock()
	err := p.clean(ctx)
	p.reset()
	return err
}
