package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// quietUI is the screen as it begins, with a folder for what it keeps.
func quietUI(d *demo, dir string, w, h int) (*ui, *clockwork) {
	c := &clockwork{noon}
	u := newUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", Version: "v0.1.0", NoIntro: true, Now: c.now, StateDir: dir,
		Lessons: []learn.Lesson{{Name: "one", Title: "One", Steps: []string{"A"}, Player: &fakePlayer{}}}}, term.NewTheme("mono"))
	u.resize(w, h)
	u.fold()
	return u, c
}

// The screen at its beginning, in its sizes.
func TestQuiet_Golden(t *testing.T) {
	for _, size := range []string{"80x24", "120x36"} {
		w, h := 80, 24
		if size == "120x36" {
			w, h = 120, 36
		}
		d := newDemo(flow.Limits{})
		d.story()
		u, _ := quietUI(d, "", w, h)
		compareGolden(t, "quiet-"+size+"-mono", u.view()+"\n")
		u.keys("k", "enter")
		compareGolden(t, "quiet-inspector-"+size+"-mono", u.view()+"\n")
	}
}

// At 80x24 a quiet screen has three rows of frame; the other 21 are the page's. A message and the line of the filter
// come when there is something in them, and a message moves nothing.
func TestQuiet_Rows(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := quietUI(d, "", 80, 24)
	if u.lay.body != (term.Rect{X: 0, Y: 2, W: 80, H: 21}) {
		t.Errorf("the body is %+v", u.lay.body)
	}
	last := func() string { return strings.Split(u.screenText(), "\n")[23] }
	keys := last()
	if want := " enter inspect  ] tabs  e explain  ? help  q back/quit"; strings.TrimRight(keys, " ") != want {
		t.Errorf("the keys are %q", keys)
	}
	body := u.lay.body
	u.Say("a message")
	if !strings.Contains(last(), "a message") || u.lay.body != body {
		t.Errorf("a message: %q, body %+v", last(), u.lay.body)
	}
	u.click(2, 23) // on a key that the message covers
	if u.At != 0 || last() != keys {
		t.Errorf("after a press on the message: pane %d, %q", u.At, last())
	}
	u.keys("/")
	u.screenText()
	if u.lay.filter.Empty() || u.lay.body.H != 20 {
		t.Error("no line for the filter that is typed")
	}
	u.keys("esc")
	u.screenText()
	if u.lay.body != body {
		t.Error("the line of the filter stays")
	}
	u.applyFilter("who:A")
	if s := u.screenText(); !strings.Contains(s, "/ who:A") {
		t.Errorf("the filter is not shown:\n%s", s)
	}
	u.applyFilter("")
	u.keys("8", "/", "o")
	if s := u.screenText(); u.lay.filter.Empty() || !strings.Contains(s, "/ o") {
		t.Errorf("the words are not shown:\n%s", s)
	}
}

// These come by themselves: requests that were lost, a watch that lags, unmasked secrets, newer requests, the past.
func TestQuiet_WhatMatters(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 50})
	d.story()
	u, c := quietUI(d, "", 80, 24)
	header := func() string { u.Dirty = true; return strings.Split(u.screenText(), "\n")[0] }
	if s := header(); !strings.Contains(s, "1 watch lags") || strings.Contains(s, "drop") || strings.Contains(s, "/s") || !strings.Contains(s, "Q more") {
		t.Error(s)
	}
	u.keys("k")
	publish := func(n int) {
		for range n {
			d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("x", d.log.Stats().Newest), 200, 0.1))
		}
		c.at = c.at.Add(time.Second)
		u.fold()
	}
	if publish(3); !strings.Contains(header(), " PINNED  3 newer ▼") {
		t.Error(header())
	}
	if publish(40); !strings.Contains(header(), " 9 no longer kept") || strings.Contains(header(), "drop") {
		t.Error(header())
	}
	if publish(80); !strings.Contains(header(), "drop 30") {
		t.Error(header())
	}
	u.toggleUnmask()
	if !strings.Contains(header(), "UNMASKED") {
		t.Error(header())
	}
	u.goTo(4174)
	if !strings.Contains(header(), "PAST rv 4174") || u.lay.strip.H != 1 {
		t.Errorf("%s, strip %+v", header(), u.lay.strip)
	}
}

// The diagnostics say how much is kept of how much, and since when.
func TestDiagnostics_kept(t *testing.T) {
	for _, c := range []struct {
		limits flow.Limits
		want   string
	}{
		{flow.Limits{Flows: 20}, "of 64 MiB, 20 of at most 20 requests, the oldest 11:59:51"},
		{flow.Limits{Bytes: 512 << 20}, "KiB of 512 MiB, 106 requests, the oldest 11:59:40"},
	} {
		d := newDemo(c.limits)
		for i := range 106 {
			d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("x", i), 200, 0.1))
		}
		u, _ := testUI(d, "mono", 120, 36)
		u.keys("!")
		if s := u.screenText(); !strings.Contains(s, c.want) {
			t.Errorf("without %q:\n%s", c.want, s)
		}
	}
}

// Requests that were gone before this UI began are not lost by it.
func TestFold_GoneBefore(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 20})
	for range 100 {
		d.log.Publish(d.request("k9", "get", "deployments", "x", 200, 0.1))
	}
	u, _ := testUI(d, "mono", 120, 36)
	if s := u.screenText(); u.lost != 0 || strings.Contains(s, "drop") || strings.Contains(s, "ring") {
		t.Errorf("%d lost:\n%s", u.lost, s)
	}
	d.log.Publish(d.request("k9", "get", "deployments", "x", 200, 0.1))
	u.fold()
	if s := u.screenText(); u.lost != 0 || !strings.Contains(s, ", 1 no longer kept") {
		t.Errorf("%d lost:\n%s", u.lost, s)
	}
}

// The screen is quiet until a lesson is done and left, or as the reader has chosen, also the next time.
func TestQuiet_Choice(t *testing.T) {
	dir := t.TempDir()
	begin := func() *ui { u, _ := quietUI(newDemo(flow.Limits{}), dir, 80, 24); return u }
	u := begin()
	u.Show(page.Learn)
	u.lesson.Open("one")
	u.Relayout()
	if !u.quiet || u.lay.strip.H != 1 {
		t.Errorf("quiet %v, strip %+v for a lesson that may point at it", u.quiet, u.lay.strip)
	}
	u.lesson.Loaded.Player.(*fakePlayer).set(learn.State{Phase: learn.Done, Done: 1})
	u.lesson.KeepProgress()
	u.settle()
	if u.Relayout(); !u.quiet {
		t.Error("more is shown before the lesson is left")
	}
	u.keys("esc")
	if u.quiet || !strings.Contains(u.screenText(), "a lesson is done") {
		t.Errorf("quiet after the first lesson:\n%s", u.screenText())
	}
	if u = begin(); u.quiet {
		t.Error("quiet after the first lesson, at the next start")
	}
	for _, want := range []bool{true, false} {
		u.keys("Q")
		u.settle()
		if u.quiet != want || begin().quiet != want {
			t.Errorf("Q: quiet %v, and at the next start %v", u.quiet, begin().quiet)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, screenFile), []byte("bogus"), 0o600); err != nil {
		t.Fatal(err)
	}
	if begin().quiet {
		t.Error("a choice that cannot be read is one")
	}
}

// A choice that cannot be kept is said to be so, and holds for now.
func TestQuiet_NotKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	u, _ := quietUI(newDemo(flow.Limits{}), file, 80, 24)
	u.keys("Q")
	for _, e := range u.takeEffects() {
		if w, ok := e.(page.Work); ok {
			w.Run()()
		}
	}
	if u.quiet || !strings.Contains(u.Toast.Text, "the choice is not kept") {
		t.Errorf("quiet %v, %q", u.quiet, u.Toast.Text)
	}
}
