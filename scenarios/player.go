package scenarios

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options say how a lesson is played. The zero value plays it headless, as fast as the server answers.
type Options struct {
	Client   *http.Client  // nil means a client without a time limit of its own
	Bare     *http.Client  // a client without credentials, for actors who bring a token; nil means that Client has none, either
	Ask      bool          // there is a reader: Run stops after each step unless there is a Pace, and asks for predictions
	Pace     int           // words a minute: Run goes on by itself, after the time to read a step's words; 0 means no pauses
	Patience time.Duration // how long an answer or an event may take before the step fails; 0 means 10 s
	Leave    bool          // what the lesson made stays until Reset, for a reader to look at
	Witness  Witness       // sees what others do; nil means that nobody does, and that the player sends the reader's requests
	Kubectl  string        // what kubectl needs to find the server, for commands that are told: " -s http://127.0.0.1:1234"
}

// A Player plays one lesson. Step, Run and Reset wait for each other; Pause, SetPace, Answer, Told, State and Changed return
// at once, from any goroutine.
type Player struct {
	Lesson *Lesson
	Server string // "http://127.0.0.1:8080"

	options Options
	client  *http.Client

	turn  sync.Mutex // held while the lesson is under way; taken before mu
	stage *stage     // what the lesson has made so far; nil before its first step

	mu    sync.Mutex // guards what follows
	words *Lesson    // the lesson in the words in which it is told; Lesson itself, or what Retell made of it
	state State
	stop  chan struct{} // closed by Pause; nil unless Run is under way
	known map[int]bool  // steps whose question was answered, or passed over
	pace  int           // as Options.Pace, or what SetPace made of it
	told  []Told        // the steps begun so far
	news  chan struct{} // see Changed
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
	p := &Player{Lesson: l, words: l, Server: server, options: o, client: client, known: map[int]bool{}, pace: o.Pace, news: make(chan struct{}, 1)}
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

// Changed returns a channel that receives a token when the State changed by itself: by the reader's request for which the
// lesson waits, or by somebody's that disturbs it.
func (p *Player) Changed() <-chan struct{} { return p.news }

// tell puts the token into Changed.
func (p *Player) tell() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// Told returns the steps begun so far, for looking back.
func (p *Player) Told() []Told {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.told)
}

// SetPace changes Options.Pace, from the next pause on.
func (p *Player) SetPace(words int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace = words
}

// Step plays the next step and returns what came of it; a failed expectation is a *Mismatch. After the last step, and
// after a failure, what the lesson made is removed, unless Options.Leave. If Options.Ask and the step asks a question,
// the first call only asks it and returns nil; a second one, without an Answer, passes it over. If the step is the reader's,
// the first call only says so and returns nil; a second one plays the step for the reader.
func (p *Player) Step(ctx context.Context) (*Result, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.set(func(s *State) { s.Notice = nil })
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

// Run plays the steps that are left. It returns nil at the end, after Pause, when somebody disturbed the lesson, and when a
// step is the reader's; if Options.Ask, also before a step that asks a question, and without a pace after each step. State
// tells which.
func (p *Player) Run(ctx context.Context) error { return p.run(ctx, nil) }

// run is Run; told, if not nil, is called with each step before it and its result after it.
func (p *Player) run(ctx context.Context, told func(i int, s Step, r *Result)) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	stop := p.begin()
	defer p.end()
	for !p.over() {
		if p.awaits() || p.asks() {
			return nil
		}
		i := p.State().Done
		r, err := p.step(ctx)
		if told != nil && r != nil {
			told(i, r.Step, r)
		}
		if err != nil || p.over() || p.awaits() {
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
	d, forever := p.readingTime()
	if forever {
		p.set(func(s *State) { s.Phase = Paused })
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
	p.set(func(s *State) { s.Phase = Paused })
	return false
}

// readingTime is how long the step that was just told takes to read; forever means that its reader says when to go on.
func (p *Player) readingTime() (d time.Duration, forever bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pace <= 0 {
		return 0, p.options.Ask
	}
	words := wordsOf(p.state.Step.Tell + " " + p.state.Step.Look + " " + p.state.Step.You)
	return time.Duration(words) * time.Minute / time.Duration(p.pace), false
}

func (p *Player) begin() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Notice = nil
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
	if p.state.Phase != Waiting || p.state.Await != nil {
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
	next := p.words.Steps[p.state.Done]
	if !p.options.Ask || next.Predict == nil || p.known[p.state.Done] {
		return false
	}
	p.state.Phase, p.state.Sent, p.state.Answer = Waiting, Sent{}, ""
	p.state.Step, p.state.at = p.filled(next), p.place(p.state.Done)
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
	played := p.awaits() // for the reader, who has asked for it
	p.set(func(s *State) { s.Phase, s.Await = Running, nil })
	if p.stage == nil {
		st, err := p.open(ctx)
		p.stage = st
		if err != nil {
			return nil, p.fail(ctx, err)
		}
		p.set(func(s *State) { s.Namespace = st.values["ns"] })
		p.follow(st)
	}
	i := p.State().Done
	s := p.filled(p.inWords(i))
	var err error
	if !played { // else the rules are there since the lesson waits
		err = errors.Join(p.rules(ctx, s), p.switched(s))
		p.stage.before = p.stage.heardBefore()
	}
	waits := p.hands(s) && !played && err == nil
	p.begun(i, s, waits)
	if waits {
		return nil, nil
	}
	if err != nil {
		r := &Result{Step: s}
		c := &check{result: r, lesson: p.Lesson.Name, step: i + 1}
		return r, p.finish(ctx, i, r, c.broken(err))
	}
	r, err := p.play(ctx, i, s)
	return r, p.finish(ctx, i, r, err)
}

// begun puts a step into the state, and into what was told.
func (p *Player) begun(i int, s Step, waits bool) {
	sent, at := p.stage.sent(i, s), p.place(i)
	p.set(func(st *State) {
		s = at.step(p.words) // it may have been retold meanwhile
		st.Step, st.Sent, st.at = s, sent, at
		p.told = append(p.told[:i:i], Told{Step: s, Sent: sent, at: at})
		if !p.known[i] {
			st.Answer = ""
		}
		if waits {
			st.Phase, st.Await = Waiting, &Await{Command: s.You}
		}
	})
}

// finish counts the step as done, or the lesson as failed.
func (p *Player) finish(ctx context.Context, i int, r *Result, err error) error {
	p.set(func(st *State) { st.Result = r })
	if err != nil {
		return p.fail(ctx, err)
	}
	if i+1 == len(p.Lesson.Steps) {
		if err := p.leave(ctx); err != nil {
			return p.fail(ctx, err)
		}
		p.set(func(st *State) { st.Done, st.Phase, st.Notice = i+1, Done, nil })
		return nil
	}
	p.set(func(st *State) { st.Done = i + 1 })
	return nil
}

// fail ends the lesson, and says as well what could not be removed.
func (p *Player) fail(ctx context.Context, err error) error {
	err = errors.Join(err, p.leave(ctx))
	p.set(func(s *State) { s.Phase, s.Await, s.Problem = Failed, nil, err.Error() })
	return err
}

// leave removes what the lesson made; what the reader wants to look at stays, and the lesson's servers with it, but for the watches,
// which nobody reads any more, and for fault rules.
func (p *Player) leave(ctx context.Context) error {
	if !p.options.Leave {
		return p.clean(ctx)
	}
	return p.calm(ctx)
}

// Quit is for a reader who goes away in the middle of a lesson: its watches end, requests that are held are given up, and its
// fault rules are removed. What it made stays until Reset; but where servers of the lesson go as well, so does what would ask them.
func (p *Player) Quit(ctx context.Context) error {
	p.Pause()
	p.turn.Lock()
	defer p.turn.Unlock()
	if len(p.Lesson.Servers) > 0 {
		return p.clean(ctx)
	}
	return p.calm(ctx)
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
