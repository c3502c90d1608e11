package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// mustStart starts a whole Kubarium on a free port, with a new database.
func mustStart(t *testing.T, run controllers.List) *program.Program {
	t.Helper()
	c := program.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal", Controllers: run,
		Modes: authz.Modes{authz.ModeRBAC}, // as where lessons are played
	}
	p, err := program.Start(context.Background(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
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
	for name, run := range map[string]controllers.List{"controllers": controllers.All(), "no controllers": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustStart(t, run)
			r := scenarios.Verify(t.Context(), lessons, p.URL, scenarios.Options{})
			for _, o := range r.Outcomes {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
			if r.Passed+r.Skipped != len(lessons) || run.Enabled("namespace-controller") && r.Skipped > 0 {
				t.Error(r)
			}
			if run.Enabled("namespace-controller") { // without them, nobody empties namespaces
				untilAsNew(t, p.URL)
			}
		})
	}
}

// A false claim is reported with its step, and what the lesson made is removed all the same; a lesson whose needs are
// lacking is skipped.
func TestVerify_Fails(t *testing.T) {
	p := mustStart(t, controllers.All())
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
	untilAsNew(t, p.URL)
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
	p := mustStart(t, controllers.All())
	r := scenarios.Verify(t.Context(), []*scenarios.Lesson{mustRead(t, "held.yaml", heldLesson)}, p.URL, scenarios.Options{})
	if r.Failed != 1 || !strings.HasSuffix(r.Outcomes[0].Err.Error(), "status: expected 200, got 201 Created") {
		t.Fatal(r.Outcomes[0].Err)
	}
	untilAsNew(t, p.URL)
}

// A lesson that fails after it broke an object takes that one away too: nothing else could, and its namespace would stay.
func TestVerify_LeavesNothingBroken(t *testing.T) {
	p := mustStart(t, controllers.All())
	l, err := scenarios.Find("broken-object")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(l.Steps, func(s scenarios.Step) bool { return s.Frames != nil })
	l.Steps = append(l.Steps[:i+1:i+1], scenarios.Step{
		Title: "The end", As: "A", Request: &scenarios.Request{Method: "GET", Path: "/version"}, Expect: scenarios.Expect{Status: 404},
	})
	if r := scenarios.Verify(t.Context(), []*scenarios.Lesson{l}, p.URL, scenarios.Options{}); r.Failed != 1 || !strings.HasSuffix(r.Outcomes[0].Err.Error(), "status: expected 404, got 200 OK") {
		t.Fatal(r.Outcomes[0].Err)
	}
	untilAsNew(t, p.URL)
}

// untilAsNew waits until a server with controllers has no objects but those that another one has, in which nobody has
// played.
func untilAsNew(t *testing.T, url string) {
	t.Helper()
	fresh := mustStart(t, controllers.All())
	deadline := time.Now().Add(time.Minute) // bootstrap objects take a while on a busy machine
	for {
		bootstrap := everything(t, fresh.URL)
		left := slices.DeleteFunc(everything(t, url), func(s string) bool { return slices.Contains(bootstrap, s) })
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %q", left)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// everything returns what each object of the server is called, of every resource that can be listed, in order.
func everything(t *testing.T, url string) []string {
	t.Helper()
	var groups struct {
		Groups []struct{ PreferredVersion struct{ GroupVersion string } }
	}
	mustGet(t, url+"/apis", &groups)
	paths := []string{"/api/v1"}
	for _, g := range groups.Groups {
		paths = append(paths, "/apis/"+g.PreferredVersion.GroupVersion)
	}
	var out []string
	for _, path := range paths {
		var resources struct {
			Resources []struct {
				Name  string
				Verbs []string
			}
		}
		mustGet(t, url+path, &resources)
		for _, r := range resources.Resources {
			if r.Name != "events" && slices.Contains(r.Verbs, "list") {
				out = append(out, names(t, url, path+"/"+r.Name)...)
			}
		}
	}
	slices.Sort(out)
	return out
}

// names returns path, namespace and name of the objects in a collection of the whole cluster.
func names(t *testing.T, url, path string) []string {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	mustGet(t, url+path, &list)
	out := make([]string, len(list.Items))
	for i, o := range list.Items {
		out[i] = path + " " + o.Metadata.Namespace + "/" + o.Metadata.Name
	}
	return out
}

// mustGet decodes an answer. What is not there any more, a group that has just gone for instance, is as good as empty.
func mustGet(t *testing.T, url string, into any) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", url, response.Status, err)
	}
}

// A failed lesson says so, refuses to go on, and can be played again after Reset.
func TestPlayer_Failed(t *testing.T) {
	p := mustStart(t, controllers.List{})
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
	p := mustStart(t, controllers.List{})
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
	player.SetPace(1 << 40)
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
	p := mustStart(t, controllers.List{})
	l, err := scenarios.Find("create-and-read")
	if err != nil {
		t.Fatal(err)
	}
	player := scenarios.NewPlayer(l, p.URL, scenarios.Options{Pace: 1})
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
	p := mustStart(t, controllers.List{})
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
	player := scenarios.NewPlayer(l, "http://127.0.0.1:1", scenarios.Options{})
	if err := player.Run(t.Context()); err == nil || player.State().Phase != scenarios.Failed {
		t.Fatalf("%v %+v", err, player.State())
	}
}

// What the terminal shows has the story, the requests and the answers in it.
func TestTell(t *testing.T) {
	t.Parallel()
	p := mustStart(t, controllers.All())
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
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); i >= 0 {
			t.Errorf("%s: a terminal would obey %q", l.Name, b.String()[i:min(i+20, b.Len())])
		}
		if l.Name == "representations" && !strings.Contains(b.String(), "\n       Accept: application/yaml\n") {
			t.Errorf("%s: nothing tells in which form it is asked for", l.Name)
		}
	}
}
