package play_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

// Step asks before it plays a step with a question; a second Step passes the question over. What was told can be told
// again, until Reset.
func TestPlayer_StepAsks(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.Asking(), s.URL, play.Options{Ask: true, Leave: true})
	step := func(phase play.Phase, done int) {
		t.Helper()
		if _, err := p.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := p.State(); got.Phase != phase || got.Done != done {
			t.Fatalf("%s after %d steps, want %s after %d", got.Phase, got.Done, phase, done)
		}
	}
	step(play.Paused, 1)
	step(play.Waiting, 1)
	if n := len(p.Told()); n != 1 {
		t.Errorf("told %d steps before the answer", n)
	}
	step(play.Paused, 2)
	if told := p.Told(); len(told) != 2 || told[1].Tell != "Second." || p.State().Answer != "" {
		t.Errorf("told %v, answer %q", told, p.State().Answer)
	}
	step(play.Done, 3)
	if err := p.Reset(t.Context()); err != nil || len(p.Told()) != 0 {
		t.Errorf("reset: %v, still tells %d steps", err, len(p.Told()))
	}
}

// With a reader, Run stops after each step, unless there is a pace, which is told in words a minute.
func TestPlayer_RunWaits(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	l := lessontest.Asking()
	l.Steps[1].Predict = nil
	p := play.New(l, s.URL, play.Options{Ask: true})
	for want := 1; want <= 2; want++ {
		if err := p.Run(t.Context()); err != nil || p.State().Done != want || p.State().Phase != play.Paused {
			t.Fatalf("%v, %+v", err, p.State())
		}
	}
	if err := p.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.SetPace(1 << 40)
	if err := p.Run(t.Context()); err != nil || p.State().Phase != play.Done {
		t.Errorf("%v, %+v", err, p.State())
	}
}

// A pace that was changed holds for the next pause.
func TestPlayer_SetPace(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.Asking(), s.URL, play.Options{Pace: 1})
	p.SetPace(0)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	select {
	case err := <-ended:
		if err != nil || p.State().Phase != play.Done {
			t.Errorf("%v, %s", err, p.State().Phase)
		}
	case <-time.After(20 * time.Second):
		t.Error("Run still pauses for the pace that it began with")
	}
}

// A lesson that is done, and one that failed, has closed its watches; what it made is still there.
func TestPlayer_ClosesWatches(t *testing.T) {
	const first = "title: T\nabout: A.\nactors: {C: watches}\nsteps:\n- title: one\n  tell: One.\n  as: C\n  watch: {name: w, path: '/api/v1/namespaces/{ns}/pods?watch=1'}\n"
	for phase, rest := range map[play.Phase]string{
		play.Done:   "- title: two\n  tell: Two.\n",
		play.Failed: "- title: two\n  tell: Two.\n  as: C\n  request: {method: GET, path: '/api/v1/namespaces/{ns}'}\n  expect: {status: 404}\n",
	} {
		s := lessontest.MustStart(t, controllers.List{})
		p := play.New(lessontest.MustRead(t, "w.yaml", first+rest), s.URL, play.Options{Ask: true, Leave: true})
		watching := func() (open int) {
			for _, w := range s.Log.Watches(0) {
				if w.State().Ended.IsZero() && strings.HasPrefix(w.Client.UserAgent, flow.LessonAgent) {
					open++
				}
			}
			return open
		}
		if _, err := p.Step(t.Context()); err != nil || watching() != 1 {
			t.Fatalf("%v, %d watches", err, watching())
		}
		_, _ = p.Step(t.Context()) // State tells what came of it
		if p.State().Phase != phase {
			t.Fatalf("%+v", p.State())
		}
		for deadline := time.Now().Add(20 * time.Second); watching() > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the watch is still open", phase)
			}
		}
		resp, err := http.Get(s.URL + "/api/v1/namespaces/" + p.State().Namespace)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: the namespace: %d", phase, resp.StatusCode)
		}
		if err := p.Reset(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
