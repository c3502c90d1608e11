package play

import (
	"slices"
	"sync"
	"time"

	"kubarium/scenarios"
)

// A board is what a player shows to its reader, and how the reader steers it. Its methods are safe for any goroutine, and do not
// wait for a step.
type board struct {
	ask bool // as Options.Ask

	mu    sync.Mutex        // guards what follows
	words *scenarios.Lesson // the lesson in the reader's language: the lesson itself, or what Retell was given
	state State
	stop  chan struct{} // closed by Pause; nil unless Run is under way
	known map[int]bool  // steps whose question was answered, or passed over
	pace  int           // as Options.Pace, or what SetPace made of it
	told  []Told        // the steps begun so far
	news  chan struct{} // see Changed
}

func newBoard(l *scenarios.Lesson, o Options) *board {
	b := &board{ask: o.Ask, words: l, known: map[int]bool{}, pace: o.Pace, news: make(chan struct{}, 1)}
	b.state = State{Phase: Idle, Total: len(l.Steps)}
	return b
}

// State returns what the player does and how far it is.
func (b *board) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *board) set(change func(*State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.state)
}

// paused shows that the step under way is over, if the lesson is not.
func (b *board) paused() {
	b.set(func(s *State) {
		if s.Phase == Running {
			s.Phase = Paused
		}
	})
}

// Changed returns a channel that receives a token when the State changed by itself: by the reader's request for which the
// lesson waits, or by another client's that disturbs it.
func (b *board) Changed() <-chan struct{} { return b.news }

// notify puts the token into Changed.
func (b *board) notify() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// Told returns the steps begun so far, so that a reader can look back.
func (b *board) Told() []Told {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.told)
}

// Retell goes on with the same lesson in another language, also for the steps in Told.
func (b *board) Retell(l *scenarios.Lesson) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.words = l
	for i := range b.told {
		b.told[i].Step = b.told[i].at.step(l)
	}
	s := &b.state
	if s.Step.Title == "" { // no step has begun
		return
	}
	before := s.Step.Predict
	s.Step = s.at.step(l)
	if now := s.Step.Predict; now != nil {
		if i := slices.Index(before.Choices, s.Answer); i >= 0 {
			s.Answer = now.Choices[i]
		}
	}
	if s.Await != nil {
		s.Await = &Await{Command: s.Step.You, Came: s.Await.Came}
	}
}

// inWords returns a step in the reader's language.
func (b *board) inWords(at place) scenarios.Step {
	b.mu.Lock()
	defer b.mu.Unlock()
	return at.step(b.words)
}

// begun shows a step that begins, and whether it waits for the reader's request.
func (b *board) begun(at place, sent Sent, waits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := at.step(b.words) // the language may have changed since
	b.state.Step, b.state.Sent, b.state.Came, b.state.at = s, sent, "", at
	b.told = append(b.told[:at.index:at.index], Told{Step: s, Sent: sent, at: at})
	if !b.known[at.index] {
		b.state.Answer = ""
	}
	if waits {
		b.state.Phase, b.state.Await = Waiting, &Await{Command: s.You}
	}
}

// asks reports whether a step is to wait for the reader's prediction, and shows its question.
func (b *board) asks(at place) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := at.step(b.words)
	if !b.ask || next.Predict == nil || b.known[at.index] {
		return false
	}
	b.state.Phase, b.state.Sent, b.state.Answer, b.state.Came = Waiting, Sent{}, "", ""
	b.state.Step, b.state.at = next, at
	return true
}

// Answer records the reader's prediction for the step that asks, and reports whether it is right. Run then goes on.
func (b *board) Answer(choice string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state.Phase != Waiting || b.state.Await != nil {
		return false
	}
	b.known[b.state.Done] = true
	b.state.Answer = choice
	b.state.Phase = Paused
	return b.state.Step.Predict.Answer == choice
}

// passOver lets the step that asks be played without an answer.
func (b *board) passOver() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[b.state.Done] = true
}

// awaits reports whether the lesson waits for the reader's request.
func (b *board) awaits() bool { return b.State().Await != nil }

// came shows what the reader sent that is not what the step asks for.
func (b *board) came(what string) {
	b.set(func(s *State) {
		if s.Await != nil {
			s.Await = &Await{Command: s.Await.Command, Came: what}
		}
	})
	b.notify()
}

// taken shows that a request of the reader's, which came describes, is what the step asks for.
func (b *board) taken(seen Seen, came string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &b.state
	s.Await, s.Phase, s.Sent.ID, s.Came = nil, Running, seen.ID, came
	b.told[s.Done].Sent.ID = seen.ID
}

// disturbed pauses the lesson and says why, unless it has not begun or is over.
func (b *board) disturbed(n *Notice) {
	b.mu.Lock()
	if b.state.Phase == Idle || b.state.Over() {
		b.mu.Unlock()
		return
	}
	b.state.Notice = n
	b.mu.Unlock()
	b.Pause()
	b.notify()
}

// running begins a Run; the channel is closed when the reader wants it to pause.
func (b *board) running() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.Notice = nil
	b.stop = make(chan struct{})
	return b.stop
}

func (b *board) ran() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = nil
}

// Pause makes Run stop after the step under way.
func (b *board) Pause() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return
	}
	select {
	case <-b.stop:
	default:
		close(b.stop)
	}
}

// SetPace changes Options.Pace, from the next pause on.
func (b *board) SetPace(words int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pace = words
}

// readingTime returns how long the latest step takes to read; forever means that the reader says when to go on.
func (b *board) readingTime() (d time.Duration, forever bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pace <= 0 {
		return 0, b.ask
	}
	words := wordsOf(b.state.Step.Tell + " " + b.state.Step.Look + " " + b.state.Step.You)
	return time.Duration(words) * time.Minute / time.Duration(b.pace), false
}

// reset shows a lesson that has not begun.
func (b *board) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = State{Phase: Idle, Total: b.state.Total}
	b.known, b.told = map[int]bool{}, nil
}
