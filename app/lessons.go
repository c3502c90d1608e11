package app

import (
	"context"
	"time"

	"kubarium/scenarios"
	"kubarium/tui"
)

// readingTime is how long the UI shows a step before the next one.
const readingTime = 4 * time.Second

// uiLessons are the lessons as the UI knows them, each with a player against the server.
func uiLessons(ctx context.Context, server string) ([]tui.Lesson, error) {
	all, err := scenarios.All()
	if err != nil {
		return nil, err
	}
	lessons := make([]tui.Lesson, len(all))
	for i, l := range all {
		steps := make([]string, len(l.Steps))
		for j, s := range l.Steps {
			steps[j] = s.Title
		}
		p := scenarios.NewPlayer(l, server, scenarios.Options{Pace: readingTime, Ask: true, Leave: true})
		lessons[i] = tui.Lesson{Name: l.Name, Title: l.Title, Summary: l.About, Steps: steps, Needs: l.Needs, Player: uiPlayer{ctx, p}}
	}
	return lessons, nil
}

// A uiPlayer is a scenarios.Player as the UI drives it.
type uiPlayer struct {
	ctx context.Context
	p   *scenarios.Player
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
var phases = map[scenarios.Phase]tui.LessonPhase{
	scenarios.Idle: tui.LessonIdle, scenarios.Running: tui.LessonRunning, scenarios.Paused: tui.LessonPaused,
	scenarios.Waiting: tui.LessonWaiting, scenarios.Failed: tui.LessonFailed, scenarios.Done: tui.LessonDone,
}

func (u uiPlayer) Answer(choice string) { u.p.Answer(choice) }

func (u uiPlayer) SetSpeed(times float64) {
	u.p.SetPace(time.Duration(float64(readingTime) / times))
}

func (u uiPlayer) State() tui.LessonState {
	s := u.p.State()
	state := tui.LessonState{Phase: phases[s.Phase], Done: s.Done, Telling: telling(s.Step), Problem: s.Problem, Answer: s.Answer}
	if q := s.Step.Predict; q != nil {
		state.Question = &tui.Question{Ask: q.Ask, Choices: q.Choices, Right: q.Answer}
	}
	return state
}

func (u uiPlayer) Told() []tui.Telling {
	var all []tui.Telling
	for _, s := range u.p.Told() {
		all = append(all, telling(s))
	}
	return all
}

func telling(s scenarios.Step) tui.Telling {
	return tui.Telling{Narration: s.Tell, LookAt: s.Look, You: s.You}
}
