package play

import (
	"context"

	"kubarium/scenarios/check"
)

// step plays the next step. The caller holds turn. A step is one line:
//
//	prepare   its place on the stage, fault rules, servers that stop or start
//	   │         a step of the reader's ends here: hand goes on when the request came
//	send      its request or watch, or the verdict on a request that is held
//	   │
//	await     the answer, or the frames of a watch
//	   │
//	check     what came, against what the lesson expects; what it keeps becomes a placeholder
//	   │
//	say       what came of it, to the board
func (p *Player) step(ctx context.Context) (*check.Result, error) {
	if p.State().Over() {
		return nil, ErrOver
	}
	prepared := p.awaits() // for the reader, who wants it played
	p.set(func(s *State) { s.Phase, s.Await = Running, nil })
	if err := p.enter(ctx); err != nil {
		return nil, err
	}

	// prepare
	at := p.place()
	s := p.inWords(at)
	var o check.Outcome
	if !prepared {
		o.Err = p.stage.prepare(ctx, s)
	}
	waits := p.hands(s) && !prepared && o.Err == nil
	p.begun(at, p.stage.sends(at.index, s), waits)
	if waits {
		return nil, nil
	}

	// send and await
	c := p.check(at, s)
	if o.Err == nil {
		o = p.stage.act(ctx, s, c.Fits)
	}

	// check
	r, err := c.Outcome(o)

	// say
	if err == nil && p.options.See != nil {
		err = p.options.See(p)
	}
	return r, p.finish(ctx, at, r, err)
}

// enter opens the stage before the first step.
func (p *Player) enter(ctx context.Context) (err error) {
	if p.stage != nil {
		return nil
	}
	if p.stage, err = open(ctx, p.Lesson, p.client); err != nil {
		return p.fail(ctx, err)
	}
	p.set(func(s *State) { s.Namespace, s.Replaced = p.stage.values["ns"], p.stage.replaced })
	p.follow(p.stage)
	return nil
}
