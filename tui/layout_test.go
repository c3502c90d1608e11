package tui

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/conflicts"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A frame has exactly as many lines as the terminal and none is too wide, at every size and on every screen.
func TestView_AllSizes(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 80, 24)
	u.Say("a message")
	for w := 20; w <= 240; w += 4 {
		for h := 6; h <= 80; h += 3 {
			for _, screen := range []page.ID{page.Traffic, page.Watches, page.Versions, page.Objects} {
				u.Show(screen)
				u.At, u.quiet = bit(w%8 == 0), h%2 == 0
				u.resize(w, h)
				frame := u.view()
				if n := strings.Count(frame, "\n") + 1; n != h {
					t.Fatalf("%dx%d screen %d: %d lines", w, h, screen, n)
				}
				for _, l := range strings.Split(frame, "\n") {
					if n := ansi.StringWidth(l); n > w {
						t.Fatalf("%dx%d screen %d: a line of %d cells: %q", w, h, screen, n, l)
					}
				}
			}
		}
	}
}

var (
	beside3 = page.Form{Two: 57, Three: [2]int{43, 33}}
	stacked = page.Form{Stacked: true}
	shapes  = []shape{{form: beside3, panes: 3}, {form: beside3, panes: 3, filter: true, message: true, axis: 3, lesson: 4, gate: 3}, {form: stacked, panes: 2, filter: true, axis: 1}, {form: beside3, panes: 3, lesson: 2}, {form: beside3, panes: 3, lesson: 12}, {form: beside3, panes: 3, zoom: true, at: 1},
		{form: beside3, panes: 3, at: 2, first: 1}, {form: page.Form{Two: 57}, panes: 2, lesson: 6}, {form: page.Form{Two: 57}, panes: 2, at: 1}, {form: stacked, panes: 2}, {form: stacked, panes: 2, at: 1},
		{form: page.Form{Stacked: true, Beside: 180, Two: 52}, panes: 2, at: 1},
		{form: footed, panes: 3, message: true}, {form: footed, panes: 3, at: 2}, {form: footed, panes: 3, at: 2, zoom: true}, {form: footed, panes: 2, at: 1}}
	footed = page.Form{Stacked: true, Beside: 120, Two: 46, Foot: true}
)

// Panes of a layout lie within the screen and do not overlap.
func TestLayOut_NoOverlap(t *testing.T) {
	for w := 20; w <= 240; w++ {
		for h := 6; h <= 80; h++ {
			for _, s := range shapes {
				s.w, s.h = w, h
				l := layOut(s)
				taken := make([]bool, w*h)
				for _, r := range []term.Rect{l.header, l.tabs, l.filter, l.titles, l.panes[0], l.panes[1], l.panes[2], l.split, l.foot, l.strip, l.lesson, l.toast, l.hints} {
					if r.Empty() {
						continue
					}
					if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
						t.Fatalf("%+v: %+v is outside", s, r)
					}
					for y := r.Y; y < r.Y+r.H; y++ {
						for x := r.X; x < r.X+r.W; x++ {
							if taken[y*w+x] {
								t.Fatalf("%+v: two panes at %d,%d", s, x, y)
							}
							taken[y*w+x] = true
						}
					}
				}
			}
		}
	}
}

// A third pane below the others is there wherever both of these have room, and alone where it has the keys and there is none.
func TestLayOut_Foot(t *testing.T) {
	for h := 10; h <= 60; h++ {
		for _, w := range []int{60, 80, 119, 120, 200} {
			l := layOut(shape{w: w, h: h, form: footed, panes: 3})
			if foot := l.panes[2]; !foot.Empty() && (l.panes[0].Empty() || l.panes[1].Empty() || foot.W != w || foot.H < 3) {
				t.Errorf("%dx%d: %+v", w, h, l.panes)
			}
			if h >= 24 && l.panes[2].Empty() {
				t.Errorf("%dx%d: there is no third pane", w, h)
			}
			if l = layOut(shape{w: w, h: h, form: footed, panes: 3, at: 2}); l.panes[2].Empty() {
				t.Errorf("%dx%d: the pane with the keys is not there", w, h)
			}
		}
	}
}

// No key has two meanings in one pane, each binding is explained, and what the frame needs no pane takes away.
func TestBindings_OncePerPane(t *testing.T) {
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, Now: time.Now, NoIntro: true, Lessons: []learn.Lesson{{Name: "l", Player: &fakePlayer{}}}}, term.NewTheme("mono"))
	for _, s := range u.screens() {
		u.Show(s)
		for i, p := range u.page().Panes() {
			u.At = i
			seen := map[string]string{}
			for _, b := range p.Keys() {
				for _, k := range b.Keys {
					if other, ok := seen[k]; ok {
						t.Errorf("%s: %q is both %q and %q", p.Name(), k, other, b.Help)
					}
					seen[k] = b.Help
				}
			}
			for _, b := range u.bindings() {
				if b.Help == "" || b.Do == nil {
					t.Errorf("%s: %v has no help or does nothing", p.Name(), b.Keys)
				}
			}
			for _, k := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "j", "k", "g", "G", "tab", "z", "/", "*", "p", "y", "e", ":", "?", "q", "esc", "ctrl+c", "space", "."} {
				if u.bound(k) == nil && (s != page.Learn || k != "tab" && k != "z") {
					t.Errorf("%s: nothing is bound to %q", p.Name(), k)
				}
			}
			if len(p.Legend()) == 0 {
				t.Errorf("%s has no legend", p.Name())
			}
		}
	}
}

// Every glyph has an ASCII twin of one cell and a word, and a screen drawn with --ascii is ASCII.
func TestGlyphs_ASCIITwin(t *testing.T) {
	for g, twin := range term.Glyphs {
		if len(twin.Twin) != 1 || twin.Twin[0] >= 0x80 || twin.Word == "" {
			t.Errorf("%q: twin %q, word %q", g, twin.Twin, twin.Word)
		}
	}
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 160, 48)
	for _, ks := range [][]string{{"1"}, {"2"}, {"?"}, {"esc", "1", "enter", "]"}, {"]", "]"}, {"]", "]"}, {"]", "y"}, {"esc", "4"}, {"h"}, {"enter"}, {"esc", "7"}, {"enter"}, {"enter"}, {"]"}, {"]"}} {
		u.o.ASCII = false
		u.keys(ks...)
		for _, r := range ansi.Strip(u.view()) {
			if _, ok := term.Glyphs[string(r)]; r >= 0x80 && !ok {
				t.Errorf("after %v: %q is drawn and has no twin", ks, r)
			}
		}
		u.o.ASCII, u.Dirty = true, true
		if s := u.view(); strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			t.Errorf("after %v: not ASCII with --ascii", ks)
		}
	}
}

// boundKeys are the keys that mean something in any pane.
func boundKeys() []string {
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, Now: time.Now, NoIntro: true}, term.NewTheme("mono"))
	seen := map[string]bool{}
	for _, s := range u.screens() {
		u.Show(s)
		for i := range u.page().Panes() {
			u.At = i
			for _, b := range u.bindings() {
				for _, k := range b.Keys {
					seen[k] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func bit(yes bool) int { return term.Pick(yes, 1, 0) }

func (u *ui) conflicts() *conflicts.Page { return u.pages[page.Conflicts].(*conflicts.Page) }
