package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Phase is what a player does.
type Phase string

const (
	Idle    Phase = "idle"
	Running Phase = "running"
	Paused  Phase = "paused"
	Waiting Phase = "waiting" // for an answer to the question of the next step
	Failed  Phase = "failed"
	Done    Phase = "done"
)

// Options say how a lesson is played. The zero value plays it headless, as fast as the server answers.
type Options struct {
	Client   *http.Client  // nil means a client without a time limit of its own
	Pace     time.Duration // the time to read between two steps of Run
	Patience time.Duration // how long an answer or an event may take before the step fails; 0 means 10 s
	Ask      bool          // Run and Step stop before a step that asks for a prediction
	Leave    bool          // what the lesson made stays until Reset, for a reader to look at
}

// A Player plays one lesson. Step, Run and Reset wait for each other; Pause, SetPace, Answer, Told and State return at
// once, from any goroutine.
type Player struct {
	Lesson *Lesson
	Server string // "http://127.0.0.1:8080"

	options Options
	client  *http.Client

	turn  sync.Mutex // held while the lesson is under way; taken before mu
	stage *stage     // what the lesson has made so far; nil before its first step

	mu    sync.Mutex // guards what follows
	state State
	stop  chan struct{} // closed by Pause; nil unless Run is under way
	known map[int]bool  // steps whose question was answered, or passed over
	pace  time.Duration // as Options.Pace, or what SetPace made of it
	told  []Step        // the steps begun so far, with their texts filled in
}

// A State is where a player stands.
type State struct {
	Phase     Phase
	Namespace string // the lesson's own; "" before the first step
	Done      int    // steps done
	Total     int
	Step      Step    // the step under way or done last, or while Waiting the one that asks; its texts are filled in
	Result    *Result // of the step done last; nil if there is none
	Answer    string  // the reader's prediction for Step, "" if none
	Problem   string  // why the lesson failed
}

// NewPlayer returns a player of a lesson against the API server at an address such as "http://127.0.0.1:8080".
func NewPlayer(l *Lesson, server string, o Options) *Player {
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	client := o.Client
	if client == nil {
		client = &http.Client{}
	}
	p := &Player{Lesson: l, Server: server, options: o, client: client, known: map[int]bool{}, pace: o.Pace}
	p.state = State{Phase: Idle, Total: len(l.Steps)}
	return p
}

// State returns where the player stands.
func (p *Player) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// ErrOver says that a lesson is done or has failed; Reset takes it back to its start.
var ErrOver = errors.New("the lesson is over")

// Told returns the steps begun so far with their texts filled in, for looking back.
func (p *Player) Told() []Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.told)
}

// SetPace changes the time to read between two steps of Run, from the next pause on.
func (p *Player) SetPace(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace = d
}

// Step plays the next step and returns what came of it; a failed expectation is a *Mismatch. After the last step, and
// after a failure, what the lesson made is removed, unless Options.Leave. If Options.Ask and the step asks a question,
// the first call only asks it and returns nil; a second one, without an Answer, passes it over.
func (p *Player) Step(ctx context.Context) (*Result, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.State().Phase == Waiting {
		p.passOver()
	} else if !p.over() && p.asks() {
		return nil, nil
	}
	r, err := p.step(ctx)
	if p.State().Phase == Running {
		p.set(func(s *State) { s.Phase = Paused })
	}
	return r, err
}

// Run plays the steps that are left. It returns nil at the end, after Pause, and before a step that asks a question if
// Options.Ask; State tells which.
func (p *Player) Run(ctx context.Context) error { return p.run(ctx, nil) }

// run is Run; told, if not nil, is called with each step before it and its result after it.
func (p *Player) run(ctx context.Context, told func(i int, s Step, r *Result)) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	stop := p.begin()
	defer p.end()
	for !p.over() {
		if p.asks() {
			return nil
		}
		i := p.State().Done
		r, err := p.step(ctx)
		if told != nil && r != nil {
			told(i, r.Step, r)
		}
		if err != nil || p.over() {
			return err
		}
		if !p.rest(ctx, stop) {
			return ctx.Err()
		}
	}
	return ErrOver
}

// rest gives the reader time; false means that Run is to stop.
func (p *Player) rest(ctx context.Context, stop chan struct{}) bool {
	p.mu.Lock()
	t := time.NewTimer(p.pace)
	p.mu.Unlock()
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
	p.set(func(s *State) { s.Phase = Paused })
	return false
}

func (p *Player) begin() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = make(chan struct{})
	return p.stop
}

func (p *Player) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = nil
}

// Pause makes Run stop after the step under way.
func (p *Player) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		return
	}
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
}

// Answer records the reader's prediction for the step that asks, and reports whether it is right. Run then goes on.
func (p *Player) Answer(choice string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Phase != Waiting {
		return false
	}
	p.known[p.state.Done] = true
	p.state.Answer = choice
	p.state.Phase = Paused
	return p.state.Step.Predict.Answer == choice
}

// passOver lets the step that asks be played without an answer.
func (p *Player) passOver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[p.state.Done] = true
}

// asks reports whether the next step is to wait for the reader's prediction, and says so in the state.
func (p *Player) asks() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.Lesson.Steps[p.state.Done]
	if !p.options.Ask || next.Predict == nil || p.known[p.state.Done] {
		return false
	}
	p.state.Phase, p.state.Step, p.state.Answer = Waiting, p.filled(next), ""
	return true
}

// filled is a step with its placeholders filled in as far as they are known.
func (p *Player) filled(s Step) Step {
	if p.stage == nil {
		return s
	}
	return s.filled(p.stage.values)
}

func (p *Player) over() bool {
	phase := p.State().Phase
	return phase == Done || phase == Failed
}

func (p *Player) set(change func(*State)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.state)
}

// step plays the next step. The caller holds turn.
func (p *Player) step(ctx context.Context) (*Result, error) {
	if p.over() {
		return nil, ErrOver
	}
	p.set(func(s *State) { s.Phase = Running })
	if p.stage == nil {
		st, err := p.open(ctx)
		p.stage = st
		if err != nil {
			return nil, p.fail(ctx, fmt.Errorf("make a namespace: %w", err))
		}
		p.set(func(s *State) { s.Namespace = st.values["ns"] })
	}
	i := p.State().Done
	s := p.filled(p.Lesson.Steps[i])
	p.set(func(st *State) {
		st.Step = s
		p.told = append(p.told[:i:i], s)
		if !p.known[i] {
			st.Answer = ""
		}
	})
	r, err := p.play(ctx, i, s)
	p.set(func(st *State) { st.Result = r })
	if err != nil {
		return r, p.fail(ctx, err)
	}
	if i+1 == len(p.Lesson.Steps) {
		if err := p.leave(ctx); err != nil {
			return r, p.fail(ctx, err)
		}
		p.set(func(st *State) { st.Done, st.Phase = i+1, Done })
		return r, nil
	}
	p.set(func(st *State) { st.Done = i + 1 })
	return r, nil
}

// fail ends the lesson, and says as well what could not be removed.
func (p *Player) fail(ctx context.Context, err error) error {
	err = errors.Join(err, p.leave(ctx))
	p.set(func(s *State) { s.Phase, s.Problem = Failed, err.Error() })
	return err
}

// leave removes what the lesson made, unless the reader wants to look at it.
func (p *Player) leave(ctx context.Context) error {
	if p.options.Leave {
		return nil
	}
	return p.clean(ctx)
}

// Reset removes what the lesson made and takes it back to its start. An error says what could not be removed.
func (p *Player) Reset(ctx context.Context) error {
	p.Pause()
	p.turn.Lock()
	defer p.turn.Unlock()
	err := p.clean(ctx)
	p.set(func(s *State) { *s = State{Phase: Idle, Total: len(p.Lesson.Steps)} })
	p.mu.Lock()
	p.known, p.told = map[int]bool{}, nil
	p.mu.Unlock()
	return err
}
