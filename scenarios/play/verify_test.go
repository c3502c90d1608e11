package play_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

// Every lesson's every claim holds. Without controllers, the lessons about them are skipped and the others pass.
func TestVerify(t *testing.T) {
	t.Parallel() // some lessons wait for a server's clock
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]controllers.List{"controllers": controllers.All(), "no controllers": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := lessontest.MustStart(t, run)
			r := play.Verify(t.Context(), lessons, p.URL, play.Options{})
			for _, o := range r.Outcomes {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
			if r.Passed+r.Skipped != len(lessons) {
				t.Error(r)
			}
			for _, o := range r.Outcomes { // this server has no nodes
				want := ""
				if slices.Contains(o.Lesson.Needs, scenarios.NeedNodes) {
					want = "needs a node on which Pods run (--nodes 1), and this server has none that is ready"
				}
				if run.Enabled("namespace-controller", false) && o.Skipped != want {
					t.Errorf("%s: skipped %q, want %q", o.Lesson.Name, o.Skipped, want)
				}
			}
			if run.Enabled("namespace-controller", false) { // without them, nobody empties namespaces
				lessontest.UntilAsNew(t, p.URL)
			}
		})
	}
}

// A false claim is reported with its step, and what the lesson made is removed all the same; a lesson whose needs are
// lacking is skipped.
func TestVerify_Fails(t *testing.T) {
	p := lessontest.MustStart(t, controllers.All())
	needy := lessontest.MustRead(t, "needy.yaml", strings.Replace(lessontest.Bad, "actors:", "needs: [/apis/nowhere.example.com/v1]\nactors:", 1))
	r := play.Verify(t.Context(), []*scenarios.Lesson{lessontest.MustRead(t, "bad.yaml", lessontest.Bad), needy}, p.URL, play.Options{})
	if r.String() != "0 passed, 1 failed, 1 skipped" {
		t.Fatal(r)
	}
	var m *check.Mismatch
	if !errors.As(r.Outcomes[0].Err, &m) {
		t.Fatal(r.Outcomes[0].Err)
	}
	if want := "bad, step 2 (A creates again): status: expected 200, got 201 Created"; m.Error() != want {
		t.Errorf("got %s, want %s", m, want)
	}
	if r.Outcomes[1].Skipped != "needs the API group nowhere.example.com/v1, which this server does not serve" {
		t.Error(r.Outcomes[1].Skipped)
	}
	lessontest.UntilAsNew(t, p.URL)
}

// heldLesson fails in its middle, with a kind, an object of it that a finalizer holds, and a namespace of its own.
const heldLesson = `
title: A lesson that is left
about: What it made would hold its namespace for ever.
actors: {A: nobody}
steps:
- title: A makes a room
  tell: Beside the lesson's own.
  as: A
  request: {method: POST, path: "/api/v1/namespaces", body: {apiVersion: v1, kind: Namespace, metadata: {name: "{ns}-room"}}}
  expect: {status: 201}
- title: A defines tanks
  tell: A kind.
  as: A
  request:
    method: POST
    path: /apis/apiextensions.k8s.io/v1/customresourcedefinitions
    body:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: "tanks.fish-{id}.example.com"}
      spec:
        group: fish-{id}.example.com
        scope: Namespaced
        names: {plural: tanks, kind: Tank}
        versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
  expect: {status: 201}
- title: The kind is served
  tell: And waited for.
  as: A
  request: {method: GET, path: "/apis/fish-{id}.example.com/v1/tanks"}
  until: {status: 200}
- title: A creates a tank
  tell: It is held.
  as: A
  request:
    method: POST
    path: /apis/fish-{id}.example.com/v1/namespaces/{ns}-room/tanks
    body: {apiVersion: "fish-{id}.example.com/v1", kind: Tank, metadata: {name: x, finalizers: [example.com/drain]}}
  expect: {status: 200}
`

// A lesson that fails leaves nothing behind, not even what only its next steps would have let go.
func TestVerify_LeavesNothing(t *testing.T) {
	p := lessontest.MustStart(t, controllers.All())
	r := play.Verify(t.Context(), []*scenarios.Lesson{lessontest.MustRead(t, "held.yaml", heldLesson)}, p.URL, play.Options{})
	if r.Failed != 1 || !strings.HasSuffix(r.Outcomes[0].Err.Error(), "status: expected 200, got 201 Created") {
		t.Fatal(r.Outcomes[0].Err)
	}
	lessontest.UntilAsNew(t, p.URL)
}

// A lesson that fails after it broke an object takes that one away too: nothing else could, and its namespace would stay.
func TestVerify_LeavesNothingBroken(t *testing.T) {
	p := lessontest.MustStart(t, controllers.All())
	l, err := scenarios.Find("broken-object")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(l.Steps, func(s scenarios.Step) bool { return s.Frames != nil })
	l.Steps = append(l.Steps[:i+1:i+1], scenarios.Step{
		Title: "The end", As: "A", Request: &scenarios.Request{Method: "GET", Path: "/version"}, Expect: scenarios.Expect{Status: 404},
	})
	if r := play.Verify(t.Context(), []*scenarios.Lesson{l}, p.URL, play.Options{}); r.Failed != 1 || !strings.HasSuffix(r.Outcomes[0].Err.Error(), "status: expected 404, got 200 OK") {
		t.Fatal(r.Outcomes[0].Err)
	}
	lessontest.UntilAsNew(t, p.URL)
}

// A failed lesson says so, refuses to go on, and can be played again after Reset.
func TestPlayer_Failed(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	player := play.New(lessontest.MustRead(t, "bad.yaml", lessontest.Bad), p.URL, play.Options{})
	for range 2 {
		if err := player.Run(t.Context()); err == nil {
			t.Fatal("a false claim passes")
		}
		s := player.State()
		if s.Phase != play.Failed || s.Done != 1 || s.Total != 2 || !strings.Contains(s.Problem, "expected 200, got 201") {
			t.Fatalf("%+v", s)
		}
		if _, err := player.Step(t.Context()); !errors.Is(err, play.ErrOver) {
			t.Fatal(err)
		}
		if err := player.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := player.State(); s.Phase != play.Idle || s.Done != 0 || s.Namespace != "" || s.Problem != "" {
			t.Fatalf("%+v", s)
		}
	}
}

// Step by step, the state follows; questions hold up Run and nothing else.
func TestPlayer_States(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	player := play.New(l, p.URL, play.Options{Ask: true, Leave: true})
	if s := player.State(); s.Phase != play.Idle || s.Total != len(l.Steps) {
		t.Fatalf("%+v", s)
	}
	r, err := player.Step(t.Context())
	if err != nil || r.Status != 201 || player.State().Phase != play.Paused || player.State().Done != 1 {
		t.Fatalf("%v %+v %+v", err, r, player.State())
	}
	if player.Answer("200") {
		t.Fatal("an answer to no question is right")
	}
	player.SetPace(1 << 40)
	if err := player.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := player.State()
	if s.Phase != play.Waiting || s.Done != 4 || s.Step.Title != "B writes" || strings.Contains(s.Step.Tell, "{first}") {
		t.Fatalf("%+v", s)
	}
	if player.Answer("200") || player.State().Answer != "200" {
		t.Fatal("the wrong prediction is taken for right")
	}
	if err := player.Run(t.Context()); err != nil || player.State().Phase != play.Waiting {
		t.Fatalf("%v %+v", err, player.State())
	}
	if !player.Answer("200") {
		t.Fatal("the right prediction is taken for wrong")
	}
	if err := player.Run(t.Context()); err != nil || player.State().Phase != play.Done {
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
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("create-and-read")
	if err != nil {
		t.Fatal(err)
	}
	player := play.New(l, p.URL, play.Options{Pace: 1})
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
		if s := player.State(); s.Phase != play.Paused || s.Done != want {
			t.Fatalf("%+v", s)
		}
	}
	if err := player.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A lesson's requests say who sends them and which lesson it is, so that they can be told apart from others.
func TestPlayer_Agent(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	if err := play.New(l, p.URL, play.Options{}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	flows, _ := p.Log.Since(0, 0)
	seen := map[string]int{}
	for _, f := range flows {
		if f.RequestHeader.Get("Kubarium-Lesson") == "lost-update" && strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent) {
			seen[f.Client.Tag]++
		}
	}
	if seen["A"] != 4 || seen["B"] != 5 || seen[scenarios.Reader] != 1 {
		t.Errorf("requests by actor: %v", seen)
	}
}

// A server that is not there is an error, not a hang.
func TestPlayer_NoServer(t *testing.T) {
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	player := play.New(l, "http://127.0.0.1:1", play.Options{})
	if err := player.Run(t.Context()); err == nil || player.State().Phase != play.Failed {
		t.Fatalf("%v %+v", err, player.State())
	}
}

// The template is a lesson, and it is true.
func TestTemplate(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l := lessontest.MustRead(t, "mine.yaml", scenarios.Template)
	if err := play.New(l, p.URL, play.Options{}).Run(t.Context()); err != nil {
		t.Error(err)
	}
}
