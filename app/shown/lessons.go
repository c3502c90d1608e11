package shown

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"kubarium/app/lang"
	"kubarium/app/remote"
	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
	"kubarium/tui/learn"
)

// readingSpeed is how many words a minute a reader reads of a lesson that goes on by itself at the usual speed: those
// of a technical text, with a look at the screen between them.
const readingSpeed = 160

// Lessons are the lessons as the UI knows them, each with a player that goes on when the language changes.
type Lessons struct {
	ctx     context.Context
	server  string
	all     []*scenarios.Lesson // in their own language
	players []*play.Player
	needs   *needs

	turn sync.Mutex // guards told
	told []*scenarios.Lesson
}

// NewLessons reads the lessons. Their players send to the server by a client, nil for the usual one, and see in the
// log what others do.
func NewLessons(ctx context.Context, client *http.Client, server string, log *flow.Log, l *lang.Flag, ascii bool) (*Lessons, error) {
	all, err := scenarios.All()
	if err != nil {
		return nil, err
	}
	told, err := l.Tell(all, ascii)
	if err != nil {
		return nil, err
	}
	t := &Lessons{ctx: ctx, server: server, all: all, told: told, needs: newNeeds(client, server)}
	for _, l := range told {
		t.players = append(t.players, play.New(l, server, play.Options{Client: client, Ask: true, Leave: true, Witness: logWitness{log}}))
	}
	return t, nil
}

// All are the texts and the players.
func (t *Lessons) All() []learn.Lesson {
	t.turn.Lock()
	defer t.turn.Unlock()
	lessons := make([]learn.Lesson, len(t.told))
	for i, l := range t.told {
		lessons[i] = uiLesson(l)
		lessons[i].Player, lessons[i].Changed = uiPlayer{t.ctx, t.players[i]}, t.players[i].Changed()
		if len(l.Needs)+len(l.Servers) > 0 {
			lessons[i].Lacks = func() (string, error) { return t.needs.lacks(t.ctx, t.all[i]) }
		}
		lessons[i].Kubectl = remote.KubectlFlags(t.server, "")
		if of := t.all[i]; of != l {
			lessons[i].Also = strings.Join([]string{of.Title, of.Course, of.About}, " ")
		}
	}
	return lessons
}

// Languages are those of the lessons, the original first; none if that is the only one.
func (t *Lessons) Languages() []string {
	names := lang.Words()
	if len(names) == 1 {
		return nil
	}
	return names
}

// Retell returns the lessons in another language; their players go on.
func (t *Lessons) Retell(name string) ([]learn.Lesson, error) {
	l := lang.Flag{}
	if err := l.Set(name); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	told, err := l.Tell(t.all, false)
	if err != nil {
		return nil, err
	}
	t.turn.Lock()
	t.told = told
	for i, p := range t.players {
		p.Retell(told[i])
	}
	t.turn.Unlock()
	return t.All(), nil
}

// QuitLessons undoes what unfinished lessons do to a server that goes on. It is no error if the server is gone, and
// its fault rules with it.
func QuitLessons(ctx context.Context, lessons []learn.Lesson) error {
	var problems []error
	for _, l := range lessons {
		u, ok := l.Player.(uiPlayer)
		if !ok {
			continue
		}
		err := u.p.Quit(ctx)
		if op := new(net.OpError); !errors.As(err, &op) || op.Op != "dial" {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// uiLesson are the texts of a lesson.
func uiLesson(l *scenarios.Lesson) learn.Lesson {
	out := learn.Lesson{Name: l.Name, Title: l.Title, Course: l.Course, Road: l.Road, Summary: l.About, Learned: l.Learned, Next: l.Next}
	for _, s := range l.Steps {
		out.Steps = append(out.Steps, s.Title)
	}
	for _, a := range l.Actors {
		out.Actors = append(out.Actors, learn.Actor{Name: a.Name, Role: a.Role})
	}
	return out
}

// A uiPlayer is a play.Player as the UI drives it.
type uiPlayer struct {
	ctx context.Context
	p   *play.Player
}

func (u uiPlayer) Run() error { return u.p.Run(u.ctx) }

func (u uiPlayer) Step() error {
	_, err := u.p.Step(u.ctx)
	return err
}

func (u uiPlayer) Pause() error {
	u.p.Pause()
	return nil
}

func (u uiPlayer) Reset() error { return u.p.Reset(u.ctx) }

// phases are the UI's words for those of a player.
var phases = map[play.Phase]learn.Phase{
	play.Idle: learn.Idle, play.Running: learn.Running, play.Paused: learn.Paused,
	play.Waiting: learn.Waiting, play.Failed: learn.Failed, play.Done: learn.Done,
}

func (u uiPlayer) Answer(choice string) { u.p.Answer(choice) }

func (u uiPlayer) SetSpeed(times float64) { u.p.SetPace(int(readingSpeed * times)) }

func (u uiPlayer) State() learn.State {
	s := u.p.State()
	state := learn.State{Phase: phases[s.Phase], Done: s.Done, Telling: telling(s.Step, s.Sent), Problem: s.Problem, Answer: s.Answer, Came: s.Came, Replaced: s.Replaced}
	if q := s.Step.Predict; q != nil && s.Await == nil {
		state.Question = &learn.Question{Ask: q.Ask, Choices: q.Choices, Right: q.Answer}
	}
	if s.Await != nil {
		state.Await = &learn.Await{Command: s.Await.Command, Came: s.Await.Came}
	}
	if n := s.Notice; n != nil {
		state.Notice = &learn.Notice{Who: n.Who, Did: n.Did, Object: n.Object.String(), Seq: n.ID}
		if n.More > 0 {
			state.Notice.Object += fmt.Sprintf(" and %d more", n.More)
		}
	}
	return state
}

func (u uiPlayer) Told() []learn.Telling {
	var all []learn.Telling
	for _, s := range u.p.Told() {
		all = append(all, telling(s.Step, s.Sent))
	}
	return all
}

// telling is the text of a step, with the place that it opens.
func telling(s scenarios.Step, sent play.Sent) learn.Telling {
	if s.Title == "" { // no step was shown yet
		return learn.Telling{}
	}
	show, ref := s.Shown()
	return learn.Telling{
		Narration: s.Tell, LookAt: s.Look, At: s.At, You: s.You,
		Show: learn.Show{Page: show.Page, Pane: show.Pane, Tab: show.Tab, Resource: ref.GroupResource(), Namespace: ref.Namespace, Name: ref.Name},
		Sent: learn.Sent{Actor: sent.Actor, Method: sent.Method, Path: sent.Path, Mark: sent.Mark, Seq: sent.ID},
	}
}
