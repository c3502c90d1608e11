package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// An update with a version is held before the version check while another one passes, so the first is refused.
func TestHold_door(t *testing.T) {
	g := start(t)
	read := g.create("a", "1")
	g.rules(`hold before "rv check" name door on verb:update rv:>0 name:a`)
	got := g.later(t.Context(), "PUT", maps+"/a", "application/json", configMap("a", read, "mine"))
	h := g.held(1)
	if h.Station != "rv check" || fmt.Sprint(h.Sent) != read || fmt.Sprint(h.Stored) != read || h.Edits != "body" ||
		h.Left <= 0 {
		t.Errorf("%+v", h)
	}
	theirs := g.update("a", "theirs") // names none
	if h := g.held(1); fmt.Sprint(h.Stored) != theirs {
		t.Errorf("stored %d, want %s", h.Stored, theirs)
	}
	g.letGo(h.ID, "")
	if a := <-got; a.code != 409 || !strings.Contains(a.body, "the object has been modified") {
		t.Errorf("%+v", a)
	}
	if v := value(g.must(200, "GET", maps+"/a", "")); v != "theirs" {
		t.Errorf("stored %s", v)
	}
	g.rules(`hold before "rv check" on verb:update name:a`)
	got = g.later(t.Context(), "PUT", maps+"/a", "application/json", configMap("a", theirs, "theirs")) // changes nothing
	h = g.held(1)
	g.must(200, "PATCH", maps+"/a", `{"metadata":{"labels":{"a":"b"}}}`)
	g.letGo(h.ID, "")
	if a := <-got; a.code != 409 {
		t.Errorf("%+v", a)
	}
	g.rules(`hold before "rv check" on verb:update name:a`)
	got = g.later(t.Context(), "PUT", maps+"/a", "application/json", configMap("a", theirs, "mine"))
	h = g.held(1)
	g.must(200, "DELETE", maps+"/a", "")
	g.letGo(h.ID, "")
	if a := <-got; a.code != 404 {
		t.Errorf("%+v", a)
	}
	if got := fmt.Sprint(g.faultsOf("fault:door")); got != "[hold rv check: let go]" {
		t.Error(got)
	}
}

// Held requests do not count among the 400 in flight, and do not block the writer. When they are dropped nothing
// remains.
func TestHold_many(t *testing.T) {
	g := start(t, "hold before store on verb:create", "hold before cache on verb:get name:x")
	const writers, readers = 150, 300
	var got []<-chan answered
	for i := range writers {
		got = append(got, g.later(t.Context(), "POST", maps, "application/json",
			configMap(fmt.Sprint("c", i), "", "1")))
	}
	for range readers {
		got = append(got, g.later(t.Context(), "GET", maps+"/x", "", ""))
	}
	g.held(writers + readers)
	g.must(200, "PATCH", "/api/v1/namespaces/default", `{"metadata":{"labels":{"a":"b"}}}`)
	g.must(200, "POST", "/debug/held?id=all&do=drop", "")
	for _, a := range got {
		if a := <-a; a.err == nil {
			t.Fatalf("%+v", a)
		}
	}
	g.held(0)
	if n := strings.Count(g.must(200, "GET", maps, ""), `"c1`); n > 0 {
		t.Errorf("%d were stored", n)
	}
}

// The timeout of a request is paused while it is held; otherwise it would end.
func TestHold_time(t *testing.T) {
	g := start(t)
	g.create("a", "1")
	g.rules("hold before cache on verb:get name:a")
	got := g.later(t.Context(), "GET", maps+"/a?timeout=2s", "", "")
	h := g.held(1)
	if h.Left > 2*time.Second || h.Left <= 0 {
		t.Errorf("left %s", h.Left)
	}
	time.Sleep(3 * time.Second)
	g.letGo(h.ID, "")
	if a := <-got; a.code != 200 {
		t.Errorf("%+v", a)
	}
	g.rules("hold for 50ms before cache on verb:get name:a")
	if code, text := g.ask("GET", maps+"/a", ""); code != 200 {
		t.Error(code, text)
	}
	if marks := fmt.Sprint(g.faultsOf("fault:yes")); marks != "[hold cache: let go hold cache: let go after 50ms]" {
		t.Error(marks)
	}
}

// A held request ends with its client, with a body or without.
func TestHold_clientGoes(t *testing.T) {
	g := start(t, "hold on verb:create,list")
	for _, r := range [][3]string{{"GET", maps, ""}, {"POST", maps, configMap("a", "", "1")}} {
		ctx, end := context.WithCancel(t.Context())
		got := g.later(ctx, r[0], r[1], "application/json", r[2])
		g.held(1)
		end()
		<-got
		g.held(0)
	}
	g.rules()
	g.must(404, "GET", maps+"/a", "")
}

// A body is edited before it is read, or later, when the request starts again; one that is not JSON is refused.
func TestHold_editBody(t *testing.T) {
	g := start(t)
	for i, station := range []string{"negotiate", "decode", "mutate", "validate", "admit", "store"} {
		name := fmt.Sprint("c", i)
		g.rules("hold before " + station + " on verb:create")
		got := g.later(t.Context(), "POST", maps, "application/json", configMap(name, "", "sent"))
		h := g.held(1)
		g.must(422, "POST", fmt.Sprintf("/debug/held?id=%d&do=go", h.ID), "{")
		if text := g.must(200, "GET", fmt.Sprintf("/debug/held?id=%d", h.ID), ""); !strings.Contains(text, `sent`) ||
			!strings.Contains(text, `"edits":"body"`) {
			t.Error(text)
		}
		g.letGo(h.ID, configMap(name, "", "edited"))
		if a := <-got; a.code != 201 || value(a.body) != "edited" {
			t.Errorf("%s: %+v", station, a)
		}
		if v := value(g.must(200, "GET", maps+"/"+name, "")); v != "edited" {
			t.Errorf("%s: stored %s", station, v)
		}
	}
}

// A Protobuf body is shown and edited as JSON.
func TestHold_editProtobuf(t *testing.T) {
	g := start(t, "hold before store on verb:create")
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	sent := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Data: map[string]string{"a": "sent"}}
	if err := protobuf.NewSerializer(scheme, scheme).Encode(sent, &b); err != nil {
		t.Fatal(err)
	}
	got := g.later(t.Context(), "POST", maps, "application/vnd.kubernetes.protobuf", b.String())
	h := g.held(1)
	if text := g.must(200, "GET", fmt.Sprintf("/debug/held?id=%d", h.ID), ""); !strings.Contains(text,
		`\"a\":\"sent\"`) && !strings.Contains(text, `\"a\": \"sent\"`) {
		t.Error(text)
	}
	g.letGo(h.ID, configMap("p", "", "edited"))
	if a := <-got; a.code != 201 || value(a.body) != "edited" {
		t.Errorf("%+v", a)
	}
}

// An answer is held after its commit, and edited; so is that of an error.
func TestHold_editAnswer(t *testing.T) {
	g := start(t, "hold before answer on verb:create code:201", "hold before answer on reason:NotFound name:gone")
	got := g.later(t.Context(), "POST", maps, "application/json", configMap("a", "", "1"))
	h := g.held(1)
	if h.Status != 201 || h.Committed == 0 || h.Edits != "answer" {
		t.Errorf("%+v", h)
	}
	g.must(200, "GET", maps+"/a", "")
	g.letGo(h.ID, configMap("a", "1", "told"))
	if a := <-got; a.code != 201 || value(a.body) != "told" {
		t.Errorf("%+v", a)
	}
	got = g.later(t.Context(), "GET", maps+"/gone", "", "")
	if h = g.held(1); h.Status != 404 {
		t.Errorf("%+v", h)
	}
	g.must(200, "POST", fmt.Sprintf("/debug/held?id=%d&do=refuse&code=429&retry-after=7", h.ID), "")
	if a := <-got; a.code != 429 || a.header.Get("Retry-After") != "7" {
		t.Errorf("%+v", a)
	}
}

// A watch waits before an event; the event is edited, is not sent, or ends the watch.
func TestHold_frame(t *testing.T) {
	g := start(t)
	from := g.create("a", "1")
	g.rules("hold before frame on verb:watch name:a")
	next, _ := g.watch(from)
	g.update("a", "2")
	h := g.held(1)
	if h.Frame == nil || h.Frame.Type != "MODIFIED" || h.Edits != "object" || h.Target.Name != "a" {
		t.Errorf("%+v", h)
	}
	g.update("a", "3")
	g.create("b", "1")
	g.letGo(h.ID, configMap("a", "1", "edited"))
	g.must(200, "POST", fmt.Sprintf("/debug/held?id=%d&do=drop", g.heldAfter(h.ID)), "")
	if got := events(t, next, 2); got != "MODIFIED edited, ADDED 1" {
		t.Error(got)
	}
	g.update("a", "4")
	g.must(200, "POST", fmt.Sprintf("/debug/held?id=%d&do=refuse&code=410", g.held(1).ID), "")
	if e, err := next(); err != nil || e.Type != "ERROR" || !strings.Contains(string(e.Object), `"code":410`) {
		t.Error(e, err)
	}
	if e, err := next(); err == nil {
		t.Error(e)
	}
	await(t, "the end of the watch", func() bool {
		marks := fmt.Sprint(g.faultsOf("kind:watch-closed"))
		return marks == "[hold frame: let go, edited object default/a hold frame: never told  default/a hold frame: "+
			"refused 410  default/a]"
	})
}

// heldAfter waits for the next held request.
func (g *gated) heldAfter(id uint64) (next uint64) {
	await(g.t, "the next held", func() bool { next = g.held(1).ID; return next > id })
	return next
}

// A server that closes answers the held requests.
func TestHold_close(t *testing.T) {
	g := start(t, "hold on verb:list")
	got := g.later(t.Context(), "GET", maps, "", "")
	g.held(1)
	if err := g.p.Close(); err != nil {
		t.Error(err)
	}
	if a := <-got; a.code != 503 {
		t.Errorf("%+v", a)
	}
}

// A wrong request is refused in one line, and changes nothing.
func TestGate_errors(t *testing.T) {
	g := start(t, "hold on verb:list", "seed 3")
	before := g.must(200, "GET", "/debug/gate", "")
	for _, r := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"POST", "/debug/gate", "hold\nhodl", 400, "line 2: unknown action"},
		{"PUT", "/debug/gate", "refuse", 400, "line 1: refuse needs a status"},
		{"POST", "/debug/gate", strings.Repeat("hold\n", 1000), 409, "1000 rules at most"},
		{"DELETE", "/debug/gate?id=77", "", 404, "rule 77"},
		{"DELETE", "/debug/gate?id=x", "", 400, "id is a number"},
		{"PATCH", "/debug/gate", "", 405, "use GET or POST"},
		{"GET", "/debug/held?id=5", "", 404, "held request 5"},
		{"POST", "/debug/held?id=5&do=go", "", 404, "held request 5"},
		{"POST", "/debug/held?id=all&do=go", "{}", 400, "say its id"},
		{"POST", "/debug/held?do=go", "", 400, "say who is meant"},
		{"POST", "/debug/held?id=5&do=fly", "", 400, "go, refuse or drop"},
		{"POST", "/debug/held?id=5&do=refuse&code=200", "", 400, "between 400 and 599"},
		{"POST", "/debug/held?id=5&do=drop", "{}", 400, "a body is for do=go"},
	} {
		code, text := g.ask(r.method, r.path, r.body)
		if code != r.code || !strings.Contains(text, r.says) || strings.Count(text, "\n") > 1 {
			t.Errorf("%s %s %.20q: %d %q, want %d %q", r.method, r.path, r.body, code, text, r.code, r.says)
		}
	}
	if after := g.must(200, "GET", "/debug/gate", ""); after != before {
		t.Errorf("%s, before %s", after, before)
	}
}

// The state is sent again whenever it changes.
func TestGate_follow(t *testing.T) {
	g := start(t)
	resp, err := http.Get(g.p.URL + "/debug/gate?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text := make([]byte, 1<<16)
	n, err := resp.Body.Read(text)
	if err != nil || !strings.Contains(string(text[:n]), `"rules":[]`) {
		t.Fatal(string(text[:n]), err)
	}
	g.rules("delay 1ms name slow")
	n, err = resp.Body.Read(text)
	if err != nil || !strings.Contains(string(text[:n]), `"name":"slow"`) {
		t.Error(string(text[:n]), err)
	}
}
