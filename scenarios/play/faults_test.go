package play_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow/rule"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/scenarios/teller"
	"kubarium/server/controllers"
)

// stateOf is what a server tells of its gate.
func stateOf(t *testing.T, p *program.Program) (s rule.State) {
	t.Helper()
	lessontest.MustGet(t, p.URL+"/debug/gate", &s)
	return s
}

// somebody adds a rule that is no lesson's.
func somebody(t *testing.T, p *program.Program) {
	t.Helper()
	r, err := http.Post(p.URL+"/debug/gate", "text/plain", strings.NewReader("refuse 500 on who:nobody"))
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r, err)
	}
	r.Body.Close()
}

// untilCalm waits until nobody is held, and sees that only somebody's rule is left.
func untilCalm(t *testing.T, p *program.Program) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s := stateOf(t, p)
		if len(s.Rules) != 1 || s.Rules[0].Line != "refuse 500 on who:nobody" {
			t.Fatalf("rules %+v", s.Rules)
		}
		if len(s.Held) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still held: %+v", s.Held)
		}
	}
}

// However a lesson ends, its fault rules are gone and nobody is held for it; those of others stay.
func TestPlayer_FaultsEnd(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	somebody(t, s)
	const fails = "- title: three\n  tell: A false claim.\n  as: A\n  request: {method: GET, path: /version}\n  expect: {status: 404}\n"
	for name, c := range map[string]struct {
		rest  string
		leave bool
		stop  func(p *play.Player) error // after two steps; nil plays on
	}{
		"the end":                  {lessontest.FaultyRest, false, nil},
		"the end, and all is left": {lessontest.FaultyRest, true, nil},
		"a failure":                {fails, false, nil},
		"a failure, left":          {fails, true, nil},
		"a reset":                  {lessontest.FaultyRest, true, func(p *play.Player) error { return p.Reset(context.Background()) }},
		"a reader who goes":        {lessontest.FaultyRest, true, func(p *play.Player) error { return p.Quit(context.Background()) }},
	} {
		p := play.New(lessontest.MustRead(t, "faulty.yaml", lessontest.FaultyHead+c.rest), s.URL, play.Options{Leave: c.leave})
		for range 2 {
			if _, err := p.Step(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if g := stateOf(t, s); len(g.Rules) != 2 || len(g.Held) != 1 || !strings.Contains(g.Rules[1].Line, "ns:lesson-faulty-") {
			t.Errorf("%s: %+v", name, g)
		}
		if r := p.State().Result; r.Status != 0 || r.Brief != "held before negotiate, no answer yet" {
			t.Errorf("%s: %+v", name, r)
		}
		if c.stop != nil {
			if err := c.stop(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if err := p.Run(t.Context()); (err != nil) != (c.rest == fails) {
			t.Errorf("%s: %v", name, err)
		}
		untilCalm(t, s)
		if err := p.Reset(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What becomes of a held request, and of one whose answer is lost; what is not so is told.
func TestPlayer_Held(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	const sends = "- title: lost\n  tell: Lost.\n  faults: ['lose once on who:A verb:create ns:{ns}']\n  as: A\n" +
		"  request: {method: POST, path: '/api/v1/namespaces/{ns}/configmaps', body: {metadata: {name: y}}}\n  expect: {none: true}\n"
	for name, c := range map[string]struct{ text, want string }{
		"refused":          {lessontest.FaultyHead + answers("{of: slow, do: refuse, code: 429, retryAfter: 7}", "{status: 429, headers: {Retry-After: '7'}}"), ""},
		"dropped":          {lessontest.FaultyHead + answers("{of: slow, do: drop}", "{none: true}"), ""},
		"lost":             {lessontest.FaultyHead + lessontest.FaultyRest + sends, ""},
		"another answer":   {lessontest.FaultyHead + answers("{of: slow}", "{status: 409}"), "step 3 (three): status: expected 409, got 200 OK"},
		"an answer, alas":  {lessontest.FaultyHead + lessontest.FaultyRest + strings.Replace(sends, "lose once", "delay 1ms", 1), "(lost): answer: expected no answer: the connection has ended, got 201 Created"},
		"nobody holds it":  {strings.Replace(lessontest.FaultyHead, "verb:update", "verb:delete", 1) + lessontest.FaultyRest, "step 2 (two): no fault rule held it: it was answered 200 OK"},
		"a rule of no use": {strings.Replace(lessontest.FaultyHead, "hold name", "hodl name", 1) + lessontest.FaultyRest, `step 2 (two): add fault rules: 400 Bad Request: line 1: unknown action "hodl"`},
	} {
		err := play.New(lessontest.MustRead(t, "faulty.yaml", c.text), s.URL, play.Options{}).Run(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if g := stateOf(t, s); len(g.Rules) > 0 {
			t.Errorf("%s: %+v", name, g.Rules)
		}
	}
}

func answers(answer, expect string) string {
	return "- title: three\n  tell: And so.\n  answer: " + answer + "\n  expect: " + expect + "\n"
}

// The rules of a reader's step are there while the lesson waits for the reader, and are added once.
func TestPlayer_FaultsOfReader(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	l := lessontest.MustRead(t, "mine.yaml", "title: T\nabout: A.\nneeds: [/debug/gate]\nsteps:\n- title: one\n  tell: Do it.\n  faults: ['delay 1ms on ns:{ns}']\n  you: kubectl\n  as: you\n"+
		"  request: {method: GET, path: '/api/v1/namespaces/{ns}/pods'}\n  expect: {status: 200}\n- title: two\n  tell: The end.\n")
	p := play.New(l, s.URL, play.Options{Ask: true, Leave: true, Witness: make(script)})
	for done := range 2 {
		if _, err := p.Step(t.Context()); err != nil || p.State().Done != done {
			t.Fatalf("%v, %+v", err, p.State())
		}
		if g := stateOf(t, s); len(g.Rules) != 1 {
			t.Errorf("%d done: %+v", done, g.Rules)
		}
	}
	if err := p.Reset(t.Context()); err != nil || len(stateOf(t, s).Rules) > 0 {
		t.Error(err)
	}
}

// A lesson that is stopped between two steps leaves nothing.
func TestTell_Stopped(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	somebody(t, s)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan error, 1)
	l := lessontest.MustRead(t, "faulty.yaml", lessontest.FaultyHead+lessontest.FaultyRest)
	l.Steps[1].Tell = strings.Repeat("word ", 1000)
	go func() {
		told <- teller.Tell(ctx, &strings.Builder{}, l, s.URL, play.Options{Pace: 100})
	}()
	for deadline := time.Now().Add(time.Minute); len(stateOf(t, s).Held) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody is held")
		}
	}
	stop()
	if err := <-told; err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Error(err)
	}
	untilCalm(t, s)
}
