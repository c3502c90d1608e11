package play_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

// A lesson's servers answer as it says, with a certificate that their caBundle verifies; what is not so is told.
func TestPlayer_Servers(t *testing.T) {
	s := lessontest.MustStart(t, controllers.All())
	good := lessontest.GuardedHead + lessontest.GuardedRest
	for name, c := range map[string]struct{ old, new, want string }{
		"as it says":     {"", "", ""},
		"another field":  {"request.name: deaf", "request.name: dead", "step 5 (five): guard was asked: request.name: expected dead, got deaf"},
		"another header": {"Content-Type: application/json", "Content-Type: text/plain", "step 3 (three): guard was asked: header Content-Type: expected text/plain, got application/json"},
		"another query":  {"timeout=2s", "timeout=3s", "step 2 (two): guard was asked: query: expected something with timeout=3s, got timeout=2s"},
		"another path":   {"asked: {server: guard, body: {request.name: deaf}}", "asked: {server: guard, method: GET, path: /x}", "step 5 (five): guard was asked: expected a request GET /x, got nothing of that sort"},
		"a client":       {"asked: {server: guard, body: {request.name: deaf}}", "asked: {server: guard, client: x, body: {request.name: deaf}}", "step 5 (five): guard was asked: client: expected x, got none"},
		"asked, alas":    {"expect: {status: 201}\n- title: eight", "expect: {status: 201}\n  asked: {server: guard, none: true, body: {request.name: late}}\n- title: eight", "step 7 (seven): guard was asked: expected nothing of that sort, got POST /check?timeout=2s"},
		"not away":       {"  stop: guard\n", "", "step 6 (six): status: expected 500, got 201 Created"},
		"still away":     {"  start: guard\n", "", "step 7 (seven): status: expected 201, got 500"},
		"no certificate": {`caBundle: "{guard.ca}"`, `caBundle: "` + otherCA + `"`, "step 2 (two): status: expected 409, got 500"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s: the good lesson has no %q", name, c.old)
		}
		l := lessontest.MustRead(t, "guarded.yaml", strings.Replace(good, c.old, c.new, 1))
		err := play.New(l, s.URL, play.Options{Patience: 3 * time.Second}).Run(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	lessontest.UntilAsNew(t, s.URL)
}

// otherCA is a caBundle of nobody: one that parses, and verifies nothing here.
const otherCA = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkRENDQVJxZ0F3SUJBZ0lVVGVzdAotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="

// However a lesson ends, nobody listens for it any more, once what would ask is gone; as long as a reader looks at what it made,
// somebody does.
func TestPlayer_ServersEnd(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	const fails = "- title: four\n  tell: A false claim.\n  as: A\n  request: {method: GET, path: /version}\n  expect: {status: 404}\n"
	for name, c := range map[string]struct {
		rest   string
		leave  bool
		stop   func(p *play.Player) error // after three steps; nil plays on
		listen bool                       // whether the server is there until Reset
	}{
		"the end":               {lessontest.GuardedRest, false, nil, false},
		"the end, and all left": {lessontest.GuardedRest, true, nil, true},
		"a failure":             {fails, false, nil, false},
		"a failure, left":       {fails, true, nil, true},
		"a reset":               {lessontest.GuardedRest, true, func(p *play.Player) error { return p.Reset(context.Background()) }, false},
		"a reader who goes":     {lessontest.GuardedRest, true, func(p *play.Player) error { return p.Quit(context.Background()) }, false},
	} {
		p := play.New(lessontest.MustRead(t, "guarded.yaml", lessontest.GuardedHead+c.rest), s.URL, play.Options{Leave: c.leave})
		for range 3 {
			if _, err := p.Step(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		h := p.State().Result.Heard
		if h == nil || h.Server != "guard" || h.Path != "/check?timeout=2s" || len(h.Facts) != 3 || !strings.HasPrefix(h.Answer, "allowed, with the patch") {
			t.Errorf("%s: heard %+v", name, h)
		}
		address, _, _ := strings.Cut(strings.TrimPrefix(p.Told()[0].Tell, "At https://"), "/")
		address = strings.TrimSuffix(address, ".")
		if !listens(address) {
			t.Fatalf("%s: nobody listens at %s", name, address)
		}
		if c.stop != nil {
			if err := c.stop(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if err := p.Run(t.Context()); (err != nil) != (c.rest == fails) {
			t.Errorf("%s: %v", name, err)
		}
		if listens(address) != c.listen {
			t.Errorf("%s: somebody listens: %t", name, !c.listen)
		}
		if err := p.Reset(t.Context()); err != nil || listens(address) {
			t.Errorf("%s: after the reset: %v", name, err)
		}
		var hooks struct{ Items []any }
		if lessontest.MustGet(t, s.URL+"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", &hooks); len(hooks.Items) > 0 {
			t.Errorf("%s: the webhook is still there", name)
		}
	}
}

func listens(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// A lesson about roles is not played where everybody may do everything, and one with servers not where they cannot be reached: the
// check skips it, and a reader is told.
func TestPlayer_Unfit(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	s, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	roles, err := scenarios.Find("may-i")
	if err != nil {
		t.Fatal(err)
	}
	servers := lessontest.MustRead(t, "guarded.yaml", lessontest.GuardedHead)
	const everybody = "needs roles that decide (--authorization-mode RBAC): on this server everybody may do everything"
	const elsewhere = "needs a server on this machine, since it brings servers with it that must be reached"
	for _, c := range []struct {
		lesson    *scenarios.Lesson
		url, want string
	}{{roles, s.URL, everybody}, {servers, "https://192.0.2.1:6443", elsewhere}, {servers, "https://cluster.example.com", elsewhere}} {
		r := play.Verify(t.Context(), []*scenarios.Lesson{c.lesson}, c.url, play.Options{})
		if r.Skipped != 1 || r.Outcomes[0].Skipped != c.want {
			t.Errorf("%s at %s: %+v", c.lesson.Name, c.url, r.Outcomes[0])
		}
		p := play.New(c.lesson, c.url, play.Options{Ask: true, Leave: true})
		_, err := p.Step(t.Context())
		if p.State().Phase == play.Waiting { // with a question
			_, err = p.Step(t.Context())
		}
		if err == nil || p.State().Problem != c.lesson.Name+" cannot be played: it "+c.want {
			t.Errorf("%s at %s: %v", c.lesson.Name, c.url, err)
		}
	}
}

// An actor with a token acts as its owner, and by the client that has no credentials of its own, if there is one.
func TestPlayer_Token(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("who-am-i")
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	bare := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, strings.TrimPrefix(r.UserAgent(), "kubarium-lesson/"))
		return http.DefaultTransport.RoundTrip(r)
	})}
	if err := play.New(l, s.URL, play.Options{Bare: bare}).Run(t.Context()); err != nil || !slices.Equal(sent, []string{"Feeder", "Stray"}) {
		t.Errorf("%v, sent by %q", err, sent)
	}
}

type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Where a server of the lesson cannot be had again, the step says so.
func TestPlayer_PortTaken(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.MustRead(t, "guarded.yaml", lessontest.GuardedHead+lessontest.GuardedRest), s.URL, play.Options{})
	for range 6 {
		if _, err := p.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	address := strings.TrimSuffix(strings.TrimPrefix(p.Told()[0].Tell, "At https://"), ".")
	taken, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = p.Step(t.Context())
	if op := new(net.OpError); !errors.As(err, &op) || !strings.Contains(err.Error(), "step 7 (seven): start server guard again: ") {
		t.Error(err)
	}
}
