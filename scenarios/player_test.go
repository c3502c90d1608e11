package scenarios_test

import (
	"testing"
	"time"

	"kubarium/scenarios"
	"kubarium/server/controllers"
)

// asking is a lesson of words alone, of which the second step asks.
func asking() *scenarios.Lesson {
	return &scenarios.Lesson{Name: "asking", Title: "Asking", Steps: []scenarios.Step{
		{Title: "one", Tell: "First."},
		{Title: "two", Tell: "Second.", Predict: &scenarios.Predict{Ask: "200 or 409?", Choices: []string{"200", "409"}, Answer: "409"}},
		{Title: "three", Tell: "Third."},
	}}
}

// Step asks before it plays a step with a question; a second Step passes the question over. What was told can be told
// again, until Reset.
func TestPlayer_StepAsks(t *testing.T) {
	s := mustStart(t, controllers.List{})
	p := scenarios.NewPlayer(asking(), s.URL, scenarios.Options{Ask: true, Leave: true})
	step := func(phase scenarios.Phase, done int) {
		t.Helper()
		if _, err := p.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := p.State(); got.Phase != phase || got.Done != done {
			t.Fatalf("%s after %d steps, want %s after %d", got.Phase, got.Done, phase, done)
		}
	}
	step(scenarios.Paused, 1)
	step(scenarios.Waiting, 1)
	if n := len(p.Told()); n != 1 {
		t.Errorf("told %d steps before the answer", n)
	}
	step(scenarios.Paused, 2)
	if told := p.Told(); len(told) != 2 || told[1].Tell != "Second." || p.State().Answer != "" {
		t.Errorf("told %v, answer %q", told, p.State().Answer)
	}
	step(scenarios.Done, 3)
	if err := p.Reset(t.Context()); err != nil || len(p.Told()) != 0 {
		t.Errorf("reset: %v, still tells %d steps", err, len(p.Told()))
	}
}

// With a reader, Run stops after each step, unless there is a pace, which is told in words a minute.
func TestPlayer_RunWaits(t *testing.T) {
	s := mustStart(t, controllers.List{})
	l := asking()
	l.Steps[1].Predict = nil
	p := scenarios.NewPlayer(l, s.URL, scenarios.Options{Ask: true})
	for want := 1; want <= 2; want++ {
		if err := p.Run(t.Context()); err != nil || p.State().Done != want || p.State().Phase != scenarios.Paused {
			t.Fatalf("%v, %+v", err, p.State())
		}
	}
	if err := p.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.SetPace(1 << 40)
	if err := p.Run(t.Context()); err != nil || p.State().Phase != scenarios.Done {
		t.Errorf("%v, %+v", err, p.State())
	}
}

// A pace that was changed holds for the next pause.
func TestPlayer_SetPace(t *testing.T) {
	s := mustStart(t, controllers.List{})
	p := scenarios.NewPlayer(asking(), s.URL, scenarios.Options{Pace: 1})
	p.SetPace(0)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	select {
	case err := <-ended:
		if err != nil || p.State().Phase != scenarios.Done {
			t.Errorf("%v, %s", err, p.State().Phase)
		}
	case <-time.After(20 * time.Second):
		t.Error("Run still pauses for the pace that it began with")
	}
}
