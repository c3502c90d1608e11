package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A fakeSource is a server elsewhere.
type fakeSource struct {
	changed chan struct{}
	note    string
	news    []string
	anew    bool
}

func (f *fakeSource) source() Source {
	return Source{Kind: Attached, Note: func() string { return f.note }, Changed: f.changed, News: func() []string {
		news := f.news
		f.news = nil
		return news
	}, Anew: func() bool { return f.anew }}
}

func attachedUI(w, h int) (*ui, *fakeSource) {
	f := &fakeSource{changed: make(chan struct{}, 1)}
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, URL: "http://127.0.0.1:8080", NoIntro: true, Now: (&clockwork{noon}).now, Source: f.source()}, term.NewTheme("mono"))
	u.API.Transport = &fakeAPI{}
	u.resize(w, h)
	u.fold()
	u.takeEffects()
	u.heed()
	return u, f
}

// happen lets the UI hear of a change.
func (u *ui) happen(t *testing.T) {
	t.Helper()
	for _, e := range u.takeEffects() {
		if l, ok := e.(page.Listen); ok {
			l.Do()
			return
		}
	}
	t.Fatal("it does not listen")
}

func quits(u *ui) (how Quit, did bool) {
	for _, e := range u.takeEffects() {
		if q, ok := e.(quitEffect); ok {
			return q.how, true
		}
	}
	return 0, false
}

// The header says at every width whose run it is, and how the connection is.
func TestSource_header(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		u, f := attachedUI(w, 24)
		for _, note := range []string{"", "GONE", "EARLIER RUN"} {
			f.note = note
			f.news = []string{"something has happened"}
			u.happen(t)
			screen := ansi.Strip(u.view())
			head, _, _ := strings.Cut(screen, "\n")
			if !strings.Contains(head, "ATTACHED  ") || !strings.Contains(head, ":8080") || !strings.Contains(head, note) || note != "" && strings.Contains(head, "LIVE") {
				t.Errorf("%d columns, %q: %s", w, note, head)
			}
			if !strings.Contains(screen, "something has happened") {
				t.Errorf("%d columns: the news is not told\n%s", w, screen)
			}
		}
	}
}

// To leave stops nothing, so nobody is asked.
func TestSource_leave(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c", "ctrl+c"}} {
		u, _ := attachedUI(120, 36)
		u.keys(keys...)
		if how, did := quits(u); !did || how != QuitStop || u.Over != nil {
			t.Errorf("%v: %v %t", keys, how, did)
		}
	}
}

// A server that has started again is offered, and nothing that is open is taken away for that.
func TestSource_anew(t *testing.T) {
	u, f := attachedUI(120, 36)
	if u.needsNewRun() == "" {
		t.Error("there is no new run")
	}
	u.keys("?")
	f.anew = true
	u.happen(t)
	if strings.Contains(ansi.Strip(u.view()), "show the new run") {
		t.Error("help was taken away")
	}
	u.keys("esc")
	u.happen(t)
	if !strings.Contains(ansi.Strip(u.view()), "show the new run") {
		t.Errorf("it is not offered:\n%s", ansi.Strip(u.view()))
	}
	u.keys("esc")
	if _, did := quits(u); did || u.Over != nil {
		t.Error("esc does not keep what is there")
	}
	for _, c := range u.namedCommands() {
		if c.Keys == ":anew" {
			if c.Off != "" {
				t.Error(c.Off)
			}
			c.Do()
		}
	}
	if how, did := quits(u); !did || how != QuitAnew {
		t.Errorf("%v %t", how, did)
	}
}

// While the server can store nothing the screen says so, whatever else is said for a while, and no longer.
func TestSource_trouble(t *testing.T) {
	trouble := ""
	changed := make(chan struct{}, 1)
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		clock := &clockwork{noon}
		u := fullUI(Options{Log: newDemo(flow.Limits{}).log, URL: "http://127.0.0.1:8080", NoIntro: true, Now: clock.now,
			Source: Source{Trouble: func() string { return trouble }, Changed: changed, News: func() []string { return nil }}}, term.NewTheme("mono"))
		u.API.Transport = &fakeAPI{}
		u.resize(size[0], size[1])
		u.fold()
		u.takeEffects()
		u.heed()
		shows := func(want bool) {
			t.Helper()
			for _, text := range []string{"NO WRITES", "there is no space left"} {
				if s := u.screenText(); strings.Contains(s, text) != want {
					t.Errorf("%v: the screen has %q: %t\n%s", size, text, !want, s)
				}
			}
		}
		shows(false)
		trouble = "there is no space left for the database k.db"
		u.happen(t)
		shows(true)
		u.Say("something else")
		clock.at = clock.at.Add(7 * time.Second)
		u.Dirty = true
		shows(true)
		trouble = ""
		u.happen(t)
		shows(false)
	}
}
