package shown_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/app/shown"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
)

// guided is a player of a lesson with a reader.
func guided(l *scenarios.Lesson, p *program.Program) *play.Player {
	return play.New(l, p.URL, play.Options{Ask: true, Leave: true, Witness: shown.Witness(p.Log)})
}

// untilState waits until the player's state is as it should be.
func untilState(t *testing.T, p *play.Player, what string, ok func(play.State) bool) play.State {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		s := p.State()
		if ok(s) {
			return s
		}
		select {
		case <-p.Changed():
		case <-timeout:
			t.Fatalf("%s, step %d: %s does not happen: %+v, await %+v", p.Lesson.Name, s.Done+1, what, s, s.Await)
		}
	}
}

// handLesson has one step of the reader's between two others.
const handLesson = `
title: A hand
about: One step is the reader's.
actors: {A: a client}
steps:
- title: A creates
  tell: One object.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {apiVersion: v1, kind: ConfigMap, metadata: {name: tank}, data: {fish: "3"}}}
  expect: {status: 201}
- title: You patch
  tell: It is your turn.
  you: "kubectl -n {ns} patch configmap tank --type merge -p '{\"data\":{\"fish\":\"4\"}}'"
  as: you
  request: {method: PATCH, path: "/api/v1/namespaces/{ns}/configmaps/tank", patch: merge, body: {data: {fish: "4"}}}
  expect: {status: 200, body: {data.fish: "4"}}
  keep: {patched: metadata.resourceVersion}
- title: A reads
  tell: What you have written, at {patched}.
  show: {page: objects, tab: history}
  as: A
  request: {method: GET, path: "/api/v1/namespaces/{ns}/configmaps/tank"}
  expect: {status: 200, body: {metadata.resourceVersion: "{patched}"}}
`

// sendAs sends a request as somebody who is no actor of a lesson, and returns the status.
func sendAs(t *testing.T, agent, method, url, contentType, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", agent)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

const mergePatch = "application/merge-patch+json"

// A step that is the reader's waits for the request that it asks for: others are told, a wrong answer is told, and the right one
// ends the step and gives its values to the next.
func TestLessons_hand(t *testing.T) {
	p := programtest.MustStartFor(t)
	l, err := scenarios.Read("hand.yaml", []byte(handLesson))
	if err != nil {
		t.Fatal(err)
	}
	player := guided(l, p)
	for range 2 {
		if _, err := player.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := player.State()
	if s.Phase != play.Waiting || s.Await == nil || s.Done != 1 || s.Await.Command == l.Steps[1].You {
		t.Fatalf("%+v", s)
	}
	if err := player.Run(t.Context()); err != nil || player.State().Done != 1 {
		t.Fatalf("Run plays the reader's step: %v", err)
	}
	tank := p.URL + "/api/v1/namespaces/" + s.Namespace + "/configmaps/tank"
	for _, c := range []struct{ method, url, contentType, body, want string }{
		{"GET", tank, "", "", "a get of configmaps/tank; this step wants a patch of configmaps/tank"},
		{"GET", p.URL + "/api/v1/namespaces/default/configmaps/tank", "", "", "a get of configmaps/tank in namespace default; this step wants"},
		{"PATCH", tank, "application/strategic-merge-patch+json", `{"metadata":{"labels":{"a":"b"}}}`, "of the type " + mergePatch},
		{"PATCH", tank + "?dryRun=All", mergePatch, `{"data":{"fish":"4"}}`, "not dry run"},
		{"PATCH", tank, mergePatch, `{"data":{"fish":"5"}}`, "a patch of configmaps/tank, but body data.fish: expected 4, got 5"},
	} {
		sendAs(t, "kubectl/v1", c.method, c.url, c.contentType, c.body)
		s := untilState(t, player, c.want, func(s play.State) bool { return s.Await == nil || strings.Contains(s.Await.Came, c.want) })
		if s.Await == nil || s.Phase != play.Waiting {
			t.Fatalf("%s %s ends the step", c.method, c.body)
		}
	}
	sendAs(t, "kubectl/v1", "PATCH", tank, mergePatch, `{"data":{"fish":"4"}}`)
	s = untilState(t, player, "the end of the step", func(s play.State) bool { return s.Await == nil && s.Phase == play.Paused })
	if s.Done != 2 || s.Sent.ID == 0 || p.Log.Get(s.Sent.ID).Method != "PATCH" || s.Result.Status != 200 || s.Result.Facts[0].Value != "4" {
		t.Errorf("%+v", s)
	}
	if _, err := player.Step(t.Context()); err != nil || player.State().Phase != play.Done {
		t.Error(err)
	}
	if told := player.Told(); told[1].Sent.ID != s.Sent.ID || told[2].Sent.Mark != s.Namespace+"/3" {
		t.Errorf("%+v", told)
	}
	if err := player.Reset(t.Context()); err != nil {
		t.Error(err)
	}
}

// A second Step plays the reader's step, as if there were nobody to see a reader.
func TestLessons_handPlayed(t *testing.T) {
	p := programtest.MustStartFor(t)
	l, err := scenarios.Read("hand.yaml", []byte(handLesson))
	if err != nil {
		t.Fatal(err)
	}
	player := guided(l, p)
	for range 4 {
		if _, err := player.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := player.State(); s.Phase != play.Done || s.Result.Status != 200 {
		t.Errorf("%+v", s)
	}
	_ = player.Reset(t.Context())
}

// Somebody else's write to what the lesson made pauses it with a notice, and the next Run goes on. Reads, other objects, the
// cluster's own controllers and changes after the end do not.
func TestLessons_notice(t *testing.T) {
	p := programtest.MustStartFor(t)
	l, err := scenarios.Find("cascading-deletes") // Kubarium's garbage collector writes in it
	if err != nil {
		t.Fatal(err)
	}
	player := play.New(l, p.URL, play.Options{Ask: true, Leave: true, Witness: shown.Witness(p.Log)})
	for range 2 {
		if err := player.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ns := player.State().Namespace
	tank := p.URL + "/api/v1/namespaces/" + ns + "/configmaps/tank"
	sendAs(t, "kubectl/v1", "GET", tank, "", "") // without a session, each connection of kubectl is a run of its own
	sendAs(t, "kube-controller-manager/v1", "PATCH", tank, mergePatch, `{"metadata":{"labels":{"by":"nobody"}}}`)
	sendAs(t, "kubectl/v1", "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"tank"}}`)
	sendAs(t, "kubectl/v1", "PATCH", tank, mergePatch, `{"metadata":{"labels":{"by":"reader"}}}`)
	s := untilState(t, player, "a notice", func(s play.State) bool { return s.Notice != nil })
	if n := s.Notice; n.String() != "k3 patched configmaps/tank" || n.Object.Namespace != ns || p.Log.Get(n.ID).Method != "PATCH" || s.Phase != play.Paused {
		t.Errorf("%s, %+v", s.Notice, s)
	}
	if err := player.Run(t.Context()); err != nil || player.State().Notice != nil || player.State().Done != 3 {
		t.Fatalf("%v, %+v", err, player.State())
	}
	player.SetPace(1 << 40)
	for !isOver(player) {
		if err := player.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := player.State(); s.Notice != nil {
			t.Fatalf("the garbage collector is taken for somebody else: %s", s.Notice)
		} else if s.Phase == play.Waiting {
			if _, err := player.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := player.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func isOver(p *play.Player) bool {
	phase := p.State().Phase
	return phase == play.Done || phase == play.Failed
}
