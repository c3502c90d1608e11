package scenarios_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow/rule"
	"kubarium/scenarios"
	"kubarium/server/controllers"
)

const faultyHead = `title: T
about: A.
needs: [/debug/gate]
actors: {A: writes}
steps:
- title: one
  tell: One.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: x}}}
  expect: {status: 201}
- title: two
  tell: Held.
  faults: ['hold name door on who:A verb:update ns:{ns}']
  as: A
  request: {method: PUT, path: "/api/v1/namespaces/{ns}/configmaps/x", body: {metadata: {name: x}}}
  later: slow
`

const endsWell = `- title: three
  tell: Let go.
  answer: {of: slow, do: go}
  expect: {status: 200, body: {metadata.name: x}}
  keep: {v: metadata.resourceVersion}
- title: four
  tell: "{v} was stored."
  mend: true
`

// stateOf is what a server tells of its gate.
func stateOf(t *testing.T, p *program.Program) (s rule.State) {
	t.Helper()
	mustGet(t, p.URL+"/debug/gate", &s)
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
	s := mustStart(t, controllers.List{})
	somebody(t, s)
	const fails = "- title: three\n  tell: A false claim.\n  as: A\n  request: {method: GET, path: /version}\n  expect: {status: 404}\n"
	for name, c := range map[string]struct {
		rest  string
		leave bool
		stop  func(p *scenarios.Player) error // after two steps; nil plays on
	}{
		"the end":                  {endsWell, false, nil},
		"the end, and all is left": {endsWell, true, nil},
		"a failure":                {fails, false, nil},
		"a failure, left":          {fails, true, nil},
		"a reset":                  {endsWell, true, func(p *scenarios.Player) error { return p.Reset(context.Background()) }},
		"a reader who goes":        {endsWell, true, func(p *scenarios.Player) error { return p.Quit(context.Background()) }},
	} {
		p := scenarios.NewPlayer(mustRead(t, "faulty.yaml", faultyHead+c.rest), s.URL, scenarios.Options{Leave: c.leave})
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

// A lesson that is stopped between two steps leaves nothing.
func TestTell_Stopped(t *testing.T) {
	s := mustStart(t, controllers.List{})
	somebody(t, s)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan error, 1)
	l := mustRead(t, "faulty.yaml", faultyHead+endsWell)
	l.Steps[1].Tell = strings.Repeat("word ", 1000)
	go func() {
		told <- scenarios.Tell(ctx, &strings.Builder{}, l, s.URL, scenarios.Options{Pace: 100})
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

// What becomes of a held request, and of one whose answer is lost; what is not so is told.
func TestPlayer_Held(t *testing.T) {
	s := mustStart(t, controllers.List{})
	const sends = "- title: lost\n  tell: Lost.\n  faults: ['lose once on who:A verb:create ns:{ns}']\n  as: A\n" +
		"  request: {method: POST, path: '/api/v1/namespaces/{ns}/configmaps', body: {metadata: {name: y}}}\n  expect: {none: true}\n"
	for name, c := range map[string]struct{ text, want string }{
		"refused":          {faultyHead + answers("{of: slow, do: refuse, code: 429, retryAfter: 7}", "{status: 429, headers: {Retry-After: '7'}}"), ""},
		"dropped":          {faultyHead + answers("{of: slow, do: drop}", "{none: true}"), ""},
		"lost":             {faultyHead + endsWell + sends, ""},
		"another answer":   {faultyHead + answers("{of: slow}", "{status: 409}"), "step 3 (three): status: expected 409, got 200 OK"},
		"an answer, alas":  {faultyHead + endsWell + strings.Replace(sends, "lose once", "delay 1ms", 1), "(lost): answer: expected no answer: the connection has ended, got 201 Created"},
		"nobody holds it":  {strings.Replace(faultyHead, "verb:update", "verb:delete", 1) + endsWell, "step 2 (two): no fault rule held it: it was answered 200 OK"},
		"a rule of no use": {strings.Replace(faultyHead, "hold name", "hodl name", 1) + endsWell, `step 2 (two): add fault rules: 400 Bad Request: line 1: unknown action "hodl"`},
	} {
		err := scenarios.NewPlayer(mustRead(t, "faulty.yaml", c.text), s.URL, scenarios.Options{}).Run(t.Context())
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
	s := mustStart(t, controllers.List{})
	l := mustRead(t, "mine.yaml", "title: T\nabout: A.\nneeds: [/debug/gate]\nsteps:\n- title: one\n  tell: Do it.\n  faults: ['delay 1ms on ns:{ns}']\n  you: kubectl\n  as: you\n"+
		"  request: {method: GET, path: '/api/v1/namespaces/{ns}/pods'}\n  expect: {status: 200}\n- title: two\n  tell: The end.\n")
	p := scenarios.NewPlayer(l, s.URL, scenarios.Options{Ask: true, Leave: true, Witness: make(script)})
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

// The rules of the lessons that come along can be read.
func TestAll_faults(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, l := range lessons {
		for _, s := range l.Steps {
			for _, line := range s.Faults {
				rules++
				line = strings.NewReplacer("{ns}", "lesson-x", "{then}", "7").Replace(line)
				if _, err := rule.Parse(line); err != nil {
					t.Errorf("%s: %s: %v", l.Name, line, err)
				}
			}
		}
	}
	if rules < 5 {
		t.Errorf("%d rules", rules)
	}
}

// Each change of a good lesson with faults makes it a bad one, and the message says why.
func TestRead_FaultErrors(t *testing.T) {
	good := faultyHead + endsWell
	mustRead(t, "x.yaml", good)
	const two, three = "x.yaml:11: step 2 (two): ", "x.yaml:17: step 3 (three): "
	for _, c := range []struct{ old, new, want string }{
		{"[/debug/gate]", "[/api/v1]", two + "faults and mend need a gate: the lesson must have /debug/gate in its needs"},
		{" ns:{ns}'", "'", two + `fault rule "hold name door on who:A verb:update" must mean the lesson alone: ns:{ns} stands behind on, without | and #`},
		{" ns:{ns}'", " ns:default'", two + `fault rule "hold name door on who:A verb:update ns:default" must mean the lesson alone: ns:{ns} stands behind on, without | and #`},
		{" ns:{ns}'", " !ns:{ns}'", two + `fault rule "hold name door on who:A verb:update !ns:{ns}" must mean the lesson alone: ns:{ns} stands behind on, without | and #`},
		{" ns:{ns}'", " | ns:{ns}'", two + `fault rule "hold name door on who:A verb:update | ns:{ns}" must mean the lesson alone: ns:{ns} stands behind on, without | and #`},
		{" ns:{ns}'", " # ns:{ns}'", two + `fault rule "hold name door on who:A verb:update # ns:{ns}" must mean the lesson alone: ns:{ns} stands behind on, without | and #`},
		{"'hold name door on who:A", `"hold\nhold on who:A`, ""},
		{"who:A", "rv:{v}", two + "nothing before it keeps a value for {v}"},
		{"  later: slow", "  later: slow\n  expect: {status: 200}", two + "later: what the answer must be is said by the step that awaits it"},
		{"  as: A\n  request: {method: PUT", "  as: you\n  you: kubectl\n  request: {method: PUT", two + "later: the reader's own request cannot be held while the lesson goes on"},
		{"  mend: true", "  later: slow", "x.yaml:22: step 4 (four): later is about a request, and there is none"},
		{"of: slow", "of: fast", three + `answer: no request "fast" was sent later, or its answer was awaited before`},
		{"  mend: true", "  answer: {of: slow}\n  expect: {status: 200}", `x.yaml:22: step 4 (four): answer: no request "slow" was sent later, or its answer was awaited before`},
		{"do: go", "do: goo", three + `answer: do "goo" is none of go, refuse, drop, did you mean go?`},
		{"do: go", "code: 409", three + "answer: code and retryAfter are about do: refuse"},
		{"do: go", "do: refuse, code: 200", three + "answer: code is a status between 400 and 599, and retryAfter a number of seconds"},
		{"{status: 200, body: {metadata.name: x}}", "{none: true}", three + "expect: none stands alone, since there is no answer to look at"},
		{"{status: 201}", "{none: true, status: 201}", "x.yaml:6: step 1 (one): expect: none stands alone, since there is no answer to look at"},
		{"  expect: {status: 201}", "  until: {none: true}", ""},
		{"  expect: {status: 200, body: {metadata.name: x}}", "  until: {status: 200}", ""},
		{"  expect: {status: 200, body: {metadata.name: x}}\n", "", three + "expect says no status of the answer"},
	} {
		if strings.Count(good, c.old) != 1 {
			t.Fatalf("the good lesson does not have one %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("%.40q → %.40q:\n got %v\nwant %s", c.old, c.new, err, c.want)
		}
	}
}
