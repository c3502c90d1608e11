package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A refusal is a Status in kube-apiserver's words, with the code and the time of the rule; the request has no effect.
func TestRefuse(t *testing.T) {
	g := start(t)
	for _, r := range []struct {
		rule, method, path, body string
		code                     int
		says                     string
	}{
		{"refuse 409", "PUT", maps + "/a", configMap("a", "", "2"), 409,
			`Operation cannot be fulfilled on configmaps \"a\"`},
		{"refuse 409", "POST", maps, configMap("a", "", "2"), 409, `"reason":"AlreadyExists"`},
		{"refuse 410", "GET", maps, "", 410, `"reason":"Expired"`},
		{"refuse 429 retry-after 3s", "GET", maps, "", 429, `"reason":"TooManyRequests"`},
		{"refuse 500 before store", "POST", maps, configMap("b", "", "2"), 500, `"reason":"InternalError"`},
		{"refuse 503 retry-after 1s", "GET", maps + "/a", "", 503, `"reason":"ServiceUnavailable"`},
		{"refuse 504", "DELETE", maps + "/a", "", 504, `"reason":"Timeout"`},
		{"refuse 403", "DELETE", maps + "/a", "", 403, `"reason":"Forbidden"`},
		{"refuse 418", "GET", maps + "/a", "", 418, `"code":418`},
	} {
		g.rules(r.rule + " on configmaps")
		a := g.send(t.Context(), r.method, r.path, "application/json", r.body)
		if a.code != r.code || !strings.Contains(a.body, r.says) {
			t.Errorf("%s: %d %s", r.rule, a.code, a.body)
		}
		if _, after, ok := strings.Cut(r.rule, "retry-after "); ok && a.header.Get("Retry-After")+"s" != after {
			t.Errorf("%s: Retry-After %q", r.rule, a.header.Get("Retry-After"))
		}
	}
	g.rules()
	if text := g.must(200, "GET", maps, ""); strings.Contains(text, `"name":"a"`) ||
		strings.Contains(text, `"name":"b"`) {
		t.Error(text)
	}
}

// A rule lets the first requests pass, acts so often, and then stops; chance depends on the seed.
func TestRules_counts(t *testing.T) {
	g := start(t)
	codes := func(n int) (all []int) {
		for range n {
			code, _ := g.ask("GET", maps+"/none", "")
			all = append(all, code)
		}
		return all
	}
	g.rules("refuse 503 after 2 times 2 on name:none")
	if got := fmt.Sprint(codes(6)); got != "[404 404 503 503 404 404]" {
		t.Error(got)
	}
	if a := g.state().Rules[0]; a.Seen != 6 || a.Hits != 2 || !a.Spent {
		t.Errorf("%+v", a)
	}
	g.rules("seed 11", "refuse 503 chance 0.5 on name:none")
	first := fmt.Sprint(codes(40))
	g.rules("seed 11", "refuse 503 chance 0.5 on name:none")
	if second := fmt.Sprint(codes(40)); second != first || !strings.Contains(first, "404") ||
		!strings.Contains(first, "503") {
		t.Errorf("%s then %s", first, second)
	}
	g.rules("refuse 503 on name:none", "refuse 500 on name:none")
	if got := fmt.Sprint(codes(1)); got != "[503]" {
		t.Error(got)
	}
	g.must(200, "DELETE", fmt.Sprintf("/debug/gate?id=%d", g.state().Rules[0].ID), "")
	if got := fmt.Sprint(codes(1)); got != "[500]" {
		t.Error(got)
	}
	g.must(200, "DELETE", "/debug/gate", "")
	if got := fmt.Sprint(codes(1)); got != "[404]" {
		t.Error(got)
	}
}

// A cut ends a connection before the request has an effect, a lost answer after the commit.
func TestCutAndLose(t *testing.T) {
	g := start(t, "cut before store once on verb:create", "lose once on verb:create,get")
	if a := g.send(t.Context(), "POST", maps, "application/json", configMap("a", "", "1")); a.err == nil {
		t.Errorf("%+v", a)
	}
	g.must(404, "GET", maps+"/a", "") // loses nothing: it commits nothing
	if a := g.send(t.Context(), "POST", maps, "application/json", configMap("a", "", "1")); a.err == nil {
		t.Errorf("%+v", a)
	}
	g.must(200, "GET", maps+"/a", "")
	if marks := fmt.Sprint(g.faultsOf("fault:yes")); marks != "[cut store: connection cut lose encode: the answer "+
		"was lost]" {
		t.Error(marks)
	}
}

// A cut of a client also ends its watches, in the middle of the answer.
func TestCut_client(t *testing.T) {
	g := start(t)
	from := g.create("a", "1")
	next, _ := g.watch(from)
	g.rules("cut client once on verb:update")
	if a := g.send(t.Context(), "PUT", maps+"/a", "application/json", configMap("a", "", "2")); a.err == nil {
		t.Errorf("%+v", a)
	}
	if e, err := next(); err == nil || err.Error() == "EOF" {
		t.Error(e, err)
	}
}

func TestFrames(t *testing.T) {
	g := start(t)
	from := g.create("a", "1")
	g.rules("cut before frame after 2 on name:a")
	next, _ := g.watch(from)
	for i := range 3 {
		g.update("a", fmt.Sprint(i+2))
	}
	if got := events(t, next, 2); got != "MODIFIED 2, MODIFIED 3" {
		t.Error(got)
	}
	if e, err := next(); err == nil || err.Error() == "EOF" {
		t.Error(e, err)
	}
	g.rules("refuse 410 before frame on body:five")
	from = g.update("a", "4")
	next, _ = g.watch(from)
	g.update("a", "4a")
	g.update("a", "five")
	if got := events(t, next, 1); got != "MODIFIED 4a" {
		t.Error(got)
	}
	if e, err := next(); err != nil || e.Type != "ERROR" {
		t.Error(e, err)
	}
	g.rules("delay 30ms before frame")
	from = g.update("a", "6")
	begun := time.Now()
	next, _ = g.watch(from)
	g.update("a", "7")
	if got := events(t, next, 1); got != "MODIFIED 7" || time.Since(begun) < 30*time.Millisecond {
		t.Error(got, time.Since(begun))
	}
}

// Changes of one object within a time are sent as one, so that versions are skipped; other events are sent unchanged.
func TestCoalesce(t *testing.T) {
	g := start(t)
	from := g.create("a", "1")
	g.rules("coalesce 3s on !name:other") // a busy machine takes its time for all of them
	next, _ := g.watch(from)
	g.update("a", "2") // starts the time
	g.create("other", "o1")
	g.update("other", "o2")
	g.update("a", "3")
	g.create("short", "s1")
	g.must(200, "DELETE", maps+"/short", "")
	g.create("new", "n1")
	last := g.update("new", "n2")
	if got := events(t, next, 4); got != "ADDED o1, MODIFIED o2, MODIFIED 3, ADDED n2" {
		t.Error(got)
	}
	g.must(200, "DELETE", maps+"/a", "")
	g.create("a", "again")
	if got := events(t, next, 1); got != "MODIFIED again" {
		t.Error(got)
	}
	marks := strings.Join(g.faultsOf("verb:watch"), "\n")
	if n := strings.Count(marks, "never told"); n != 5 {
		t.Errorf("%d marks of events never sent, want 5, last %s:\n%s", n, last, marks)
	}
}

// A client that lags sees an older state where any version will do, and the newest where it asks for that, as with a
// kube-apiserver whose watch cache lags.
func TestLag(t *testing.T) {
	g := start(t)
	old := g.create("a", "1")
	g.create("b", "1")
	newest := g.update("a", "2")
	g.rules("lag rv " + old)
	read := func(query string) string {
		return value(g.must(200, "GET", maps+"/a"+query, ""))
	}
	if any, newest, least := read("?resourceVersion=0"), read(""), read("?resourceVersion="+old); any != "1" ||
		newest != "2" || least != "1" {
		t.Error(any, newest, least)
	}
	g.must(404, "GET", maps+"/b?resourceVersion=0", "")
	list := g.must(200, "GET", maps+"?resourceVersion=0", "")
	if revision(list) != old || strings.Contains(list, `"name":"b"`) {
		t.Error(list)
	}
	if list := g.must(200, "GET", maps, ""); value(g.must(200, "GET", maps+"/a?resourceVersion="+old, "")) != "1" ||
		!strings.Contains(list, `"name":"b"`) {
		t.Error(list)
	}
	if code, text := g.ask("GET", maps+"/a?resourceVersion="+newest, ""); code != 504 ||
		!strings.Contains(text, "Too large resource version") {
		t.Error(code, text)
	}
	next, end := g.watch("0")
	if got := events(t, next, 1); got != "ADDED 1" {
		t.Error(got)
	}
	end()
	g.rules("lag rv " + old + " for 200ms")
	begun := time.Now()
	next, _ = g.watch(old)
	if got := events(t, next, 2); got != "ADDED 1, MODIFIED 2" || time.Since(begun) < 100*time.Millisecond {
		t.Error(got, time.Since(begun))
	}
	if v := read("?resourceVersion=0"); v != "2" {
		t.Error(v)
	}
	g.rules("lag 1h")
	if list := g.must(200, "GET", maps+"?resourceVersion=0", ""); strings.Contains(list, `"name":"b"`) {
		t.Error(list)
	}
	if marks := fmt.Sprint(g.faultsOf("fault:lag")); !strings.Contains(marks, "answered as of an older version") {
		t.Error(marks)
	}
}
