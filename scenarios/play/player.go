// Package play plays lessons: it knows the address of an API server and speaks HTTP to it, in a namespace of its own, and removes
// what the lesson made. It waits for conditions, never for time; only a reader makes it stop between steps, or pause to read.
// Steps that are the reader's own wait for the reader's client; its requests arrive through a Witness.
//
// A Player has three parts: the board is what its reader sees, the stage is what the lesson has made, and a step leads from one
// to the other, see step.go.
package play

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/client"
)

// A Player plays one lesson. Step, Run, Quit and Reset wait for each other; Pause, SetPace, Answer, Retell, Told, State and
// Changed return at once, from any goroutine.
type Player struct {
	Lesson *scenarios.Lesson
	Server string // "http://127.0.0.1:8080"
	*board

	options Options
	client  client.Client

	turn  sync.Mutex // held while the lesson is under way; taken before the board's
	stage *stage     // what the lesson has made so far; nil before its first step
}

// New returns a player of a lesson against the API server at an address such as "http://127.0.0.1:8080".
func New(l *scenarios.Lesson, server string, o Options) *Player {
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	c := client.Client{Server: server, Lesson: l, HTTP: o.Client, Bare: o.Bare, Patience: o.Patience}
	return &Player{Lesson: l, Server: server, board: newBoard(l, o), options: o, client: c}
}

// ErrOver says that a lesson is done or has failed; Reset takes it back to its start.
var ErrOver = errors.New("the lesson is over")

// Lacks returns what the lesson needs and the server does not have, "" if it has all.
func (p *Player) Lacks(ctx context.Context) (string, error) { return lacks(ctx, &p.client) }

// Playable returns an error if the server lacks what the lesson needs.
func (p *Player) Playable(ctx context.Context) error {
	missing, err := p.Lacks(ctx)
	return cannot(p.Lesson, missing, err)
}

// place is the next step. The caller holds turn.
func (p *Player) place() place {
	at := place{index: p.State().Done}
	if p.stage != nil {
		at.values = maps.Clone(p.stage.values)
	}
	return at
}

// check is that of a step.
func (p *Player) check(at place, s scenarios.Step) check.Check {
	return check.Check{Lesson: p.Lesson.Name, Number: at.index + 1, Step: s, Values: p.stage.values}
}

// finish counts the step as done, or the lesson as failed.
func (p *Player) finish(ctx context.Context, at place, r *check.Result, err error) error {
	p.set(func(s *State) { s.Result = r })
	done := at.index + 1
	if err == nil && done == len(p.Lesson.Steps) {
		err = p.leave(ctx)
	}
	if err != nil {
		return p.fail(ctx, err)
	}
	p.set(func(s *State) {
		if s.Done = done; done == s.Total {
			s.Phase, s.Notice = Done, nil
		}
	})
	return nil
}

// fail ends the lesson. The error also says what could not be removed.
func (p *Player) fail(ctx context.Context, err error) error {
	err = errors.Join(err, p.leave(ctx))
	p.set(func(s *State) { s.Phase, s.Await, s.Problem = Failed, nil, err.Error() })
	return err
}

// leave removes what the lesson made. With Options.Leave it stays, and the lesson's servers with it, except for the watches and the
// fault rules.
func (p *Player) leave(ctx context.Context) error {
	if p.options.Leave {
		p.set(func(s *State) { s.Replaced = nil })
		return p.stage.calm(ctx)
	}
	return p.clean(ctx)
}

// clean removes what the lesson made.
func (p *Player) clean(ctx context.Context) error {
	err := p.stage.clean(ctx)
	p.stage = nil
	p.set(func(s *State) { s.Replaced = nil })
	return err
}
