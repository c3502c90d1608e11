package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// tabbedUI shows all pages, with what is new on some of them.
func tabbedUI(w int) *ui {
	d := newDemo(flow.Limits{})
	d.story()
	c := &clockwork{noon}
	u := fullUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", Version: "v0.1.0", NoIntro: true, Now: c.now,
		Lessons: []learn.Lesson{{Name: "one", Player: &fakePlayer{}}}}, term.NewTheme("mono"))
	u.resize(w, 24)
	u.fold()
	return u
}

func (u *ui) tabsText() string { return strings.TrimRight(strings.Split(u.screenText(), "\n")[1], " ") }

// The tabs are in three groups. Their names are whole where they fit, with the groups' words where there is room; else
// as few as possible are short.
func TestTabs(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string
	}{
		{50, " 1Traffic 2◉2 3 4 7 i  5!1 6 0  8 9"},
		{80, " 1Traffic 2Watch◉2 3Lists 4Vers 7Obj iWho  5Confl!1 6Del 0Doc  8Learn 9Gate"},
		{100, " 1Traffic 2Watches◉2 3Lists 4Vers 7Objects iClient  5Conflicts!1 6Deletes 0Doctor  8Learn 9Gate"},
		{110, " 1Traffic 2Watches◉2 3Lists 4Versions 7Objects iClient  5Conflicts!1 6Deletes 0Doctor  8Learn 9Gate"},
		{120, " 1 Traffic 2 Watches◉2 3 Lists 4 Versions 7 Objects i Client  5 Conflicts!1 6 Deletes 0 Doctor  8 Learn 9 Gate"},
		{170, " See 1 Traffic   2 Watches ◉2   3 Lists   4 Versions   7 Objects   i Client     Trouble 5 Conflicts !1   6 Deletes   0 Doctor     Do 8 Learn   9 Gate"},
	} {
		if got := tabbedUI(c.w).tabsText(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d columns:\n%q, want\n%q", c.w, got, c.want)
		}
	}
}

// A rate is not written onto a name, names do not depend on it, and a quiet screen has none.
func TestTabs_Rate(t *testing.T) {
	for _, w := range []int{80, 120, 170} {
		u := tabbedUI(w)
		before := u.tabs()
		row := u.tabs()
		for i := range row.tabs {
			row.tabs[i].label.Rate = "172/s"
			row.tabs[i].rate = true
			if text := row.text(&row.tabs[i]) + row.more(&row.tabs[i]); !strings.HasSuffix(text, " 172/s") ||
				row.tabs[i].name != before.tabs[i].name {
				t.Errorf("%d columns: %q", w, text)
			}
		}
	}
}

// A press on a tab shows its page, wherever it is written.
func TestTabs_Click(t *testing.T) {
	for _, w := range []int{50, 80, 100, 120, 170} {
		u := tabbedUI(w)
		for _, want := range []page.ID{page.Objects, page.Doctor, page.Gate, page.Traffic} {
			row := u.tabs()
			for i := range row.tabs {
				if row.tabs[i].id == want {
					u.click(row.tabs[i].x, 1)
				}
			}
			if u.Front != want {
				t.Errorf("%d columns: page %d, want %d", w, u.Front, want)
			}
		}
	}
}
