package scenarios_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app"
	"kubarium/scenarios"
	"kubarium/server/flow"
)

// mustStart starts a whole Kubarium on a free port, with a new database.
func mustStart(t *testing.T, controllers bool) *app.Program {
	t.Helper()
	c := app.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal", Controllers: controllers,
	}
	p, err := app.Start(context.Background(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Every lesson's every claim holds. Without controllers, the lessons about them are skipped and the others pass.
func TestVerify(t *testing.T) {
	t.Parallel() // some lessons wait for a server's clock
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, controllers := range map[string]bool{"controllers": true, "no controllers": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustStart(t, controllers)
			r := scenarios.Verify(t.Context(), lessons, p.URL, scenarios.Options{})
			for _, o := range r.Outcomes {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
			if r.Passed+r.Skipped != len(lessons) || controllers && r.Skipped > 0 {
				t.Error(r)
			}
		})
	}
}

// A false claim is reported with its step, and what the lesson made is removed all the same; a lesson whose needs are
// lacking is skipped.
func TestVerify_Fails(t *testing.T) {
	p := mustStart(t, true)
	needy := mustRead(t, "needy.yaml", strings.Replace(badLesson, "actors:", "needs: [/apis/nowhere.example.com/v1]\nactors:", 1))
	r := scenarios.Verify(t.Context(), []*scenarios.Lesson{mustRead(t, "bad.yaml", badLesson), needy}, p.URL, scenarios.Options{})
	if r.String() != "0 passed, 1 failed, 1 skipped" {
		t.Fatal(r)
	}
	var m *scenarios.Mismatch
	if !errors.As(r.Outcomes[0].Err, &m) {
		t.Fatal(r.Outcomes[0].Err)
	}
	if want := "bad, step 2 (A creates again): status: expected 200, got 201 Created"; m.Error() != want {
		t.Errorf("got %s, want %s", m, want)
	}
	if r.Outcomes[1].Skipped != "the server does not serve /apis/nowhere.example.com/v1" {
		t.Error(r.Outcomes[1].Skipped)
	}
	untilEmpty(t, p.URL)
}

// untilEmpty waits until no namespace of a lesson is left.
func untilEmpty(t *testing.T, url string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		response, err := http.Get(url + "/api/v1/namespaces")
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), `"lesson-`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("something of the lesson is left: %s", b)
		}
	}
}

// A failed lesson says so, refuses to go on, and can be played again after Reset.
func TestPlayer_Failed(t *testing.T) {
	p := mustStart(t, false)
	player := scenarios.NewPlayer(mustRead(t, "bad.yaml", badLesson), p.URL, scenarios.Options{})
	for range 2 {
		if err := player.Run(t.Context()); err == nil {
			t.Fatal("a false claim passes")
		}
		s := player.State()
		if s.Phase != scenarios.Failed || s.Done != 1 || s.Total != 2 || !strings.Contains(s.Problem, "expected 200, got 201") {
			t.Fatalf("%+v", s)
		}
		if _, err := player.Step(t.Context()); !errors.Is(err, scenarios.ErrOver) {
			t.Fatal(err)
		}
		if err := player.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := player.State(); s.Phase != scenarios.Idle || s.Done != 0 || s.Namespace != "" || s.Problem != "" {
			t.Fatalf("%+v", s)
		}
	}
}

// Step by step, the state follows; questions hold up Run and nothing else.
func TestPlayer_States(t *testing.T) {
	p := mustStart(t, false)
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	player := scenarios.NewPlayer(l, p.URL, scenarios.Options{Ask: true, Leave: true})
	if s := player.State(); s.Phase != scenarios.Idle || s.Total != len(l.Steps) {
		t.Fatalf("%+v", s)
	}
	r, err := player.Step(t.Context())
	if err != nil || r.Status != 201 || player.State().Phase != scenarios.Paused || player.State().Done != 1 {
		t.Fatalf("%v %+v %+v", err, r, player.State())
	}
	if player.Answer("200") {
		t.Fatal("an answer to no question is right")
	}
	if err := player.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := player.State()
	if s.Phase != scenarios.Waiting || s.Done != 4 || s.Step.Title != "B writes" || strings.Contains(s.Step.Tell, "{first}") {
		t.Fatalf("%+v", s)
	}
	if player.Answer("200") || player.State().Answer != "200" {
		t.Fatal("the wrong prediction is taken for right")
	}
	if err := player.Run(t.Context()); err != nil || player.State().Phase != scenarios.Waiting {
		t.Fatalf("%v %+v", err, player.State())
	}
	if !player.Answer("200") {
		t.Fatal("the right prediction is taken for wrong")
	}
	if err := player.Run(t.Context()); err != nil || player.State().Phase != scenarios.Done {
		t.Fatalf("%v %+v", err, player.State())
	}
	kept, err := http.Get(p.URL + "/api/v1/namespaces/" + player.State().Namespace + "/configmaps/tank")
	if err != nil {
		t.Fatal(err)
	}
	kept.Body.Close()
	if kept.StatusCode != 200 {
		t.Errorf("Leave: what the lesson made is gone: %d", kept.StatusCode)
	}
	if err := player.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Pause ends a Run that gives its reader time, and Run goes on from there.
func TestPlayer_Pause(t *testing.T) {
	p := mustStart(t, false)
	l, err := scenarios.Find("create-and-read")
	if err != nil {
		t.Fatal(err)
	}
	player := scenarios.NewPlayer(l, p.URL, scenarios.Options{Pace: time.Hour})
	for want := 1; want <= 2; want++ {
		ended := make(chan error)
		go func() { ended <- player.Run(t.Context()) }()
		for player.State().Done < want {
			time.Sleep(time.Millisecond)
		}
		player.Pause()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if s := player.State(); s.Phase != scenarios.Paused || s.Done != want {
			t.Fatalf("%+v", s)
		}
	}
	if err := player.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A lesson's requests say who sends them and which lesson it is, so that they can be told apart from others.
func TestPlayer_Agent(t *testing.T) {
	p := mustStart(t, false)
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	if err := scenarios.NewPlayer(l, p.URL, scenarios.Options{}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	flows, _ := p.Log.Since(0, 0)
	seen := map[string]int{}
	for _, f := range flows {
		if f.RequestHeader.Get("Kubarium-Lesson") == "lost-update" && strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent) {
			seen[f.Client.Tag]++
		}
	}
	if seen["A"] != 5 || seen["B"] != 5 {
		t.Errorf("requests by actor: %v", seen)
	}
}

// A server that is not there is an error, not a hang.
func TestPlayer_NoServer(t *testing.T) {
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	player := scenarios.NewPlayer(l, "http://127.0.0.1:1", scenarios.Options{})
	if err := player.Run(t.Context()); err == nil || player.State().Phase != scenarios.Failed {
		t.Fatalf("%v %+v", err, player.State())
	}
}

// What the terminal shows has the story, the requests and the answers in it.
func TestTell(t *testing.T) {
	t.Parallel()
	p := mustStart(t, true)
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lessons {
		var b strings.Builder
		if err := scenarios.Tell(t.Context(), &b, l, p.URL, scenarios.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{l.Title, "Look at: ", "\n    →  A ", " /api", "lesson-" + l.Name + "-", "←  201 Created", "Done."} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", l.Name, want, b.String())
			}
		}
	}
}
