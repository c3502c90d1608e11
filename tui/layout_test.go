package tui

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
)

// A frame has exactly as many lines as the terminal and none is too wide, at every size and on every screen.
func TestView_AllSizes(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 80, 24)
	for w := 20; w <= 240; w += 4 {
		for h := 6; h <= 80; h += 3 {
			for _, screen := range []screenID{pageTraffic, pageWatches, pageVersions, pageObjects} {
				u.show(screen)
				u.side = w%8 == 0
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

// Panes of a layout lie within the screen and do not overlap.
func TestLayOut_NoOverlap(t *testing.T) {
	for w := 20; w <= 240; w++ {
		for h := 6; h <= 80; h++ {
			for _, s := range []shape{{screen: pageTraffic}, {screen: pageTraffic, lesson: 2}, {screen: pageTraffic, lesson: h / 3}, {screen: pageTraffic, zoom: true, side: true}, {screen: pageWatches}, {screen: pageObjects}, {screen: pageObjects, deep: true, side: true}, {screen: pageLearn, lesson: 6}} {
				s.w, s.h = w, h
				l := layOut(s)
				taken := make([]bool, w*h)
				for _, r := range []rect{l.header, l.tabs, l.filter, l.titles, l.main, l.side, l.third, l.split, l.strip, l.lesson, l.toast, l.hints} {
					if r.empty() {
						continue
					}
					if r.x < 0 || r.y < 0 || r.x+r.w > w || r.y+r.h > h {
						t.Fatalf("%+v: %+v is outside", s, r)
					}
					for y := r.y; y < r.y+r.h; y++ {
						for x := r.x; x < r.x+r.w; x++ {
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

// No key has two meanings in one place, and each binding is explained.
func TestBindings_OncePerPlace(t *testing.T) {
	for in, name := range contexts {
		seen := map[string]string{}
		for _, b := range allBindings() {
			if b.help == "" || b.do == nil {
				t.Errorf("%v has no help or does nothing", b.keys)
			}
			if b.in&in == 0 {
				continue
			}
			for _, k := range b.keys {
				if other, ok := seen[k]; ok {
					t.Errorf("%s: %q is both %q and %q", name, k, other, b.help)
				}
				seen[k] = b.help
			}
		}
	}
}

// Every glyph has an ASCII twin of one cell and a word, and a screen drawn with --ascii is ASCII.
func TestGlyphs_ASCIITwin(t *testing.T) {
	for g, twin := range glyphs {
		if len(twin.twin) != 1 || twin.twin[0] >= 0x80 || twin.word == "" {
			t.Errorf("%q: twin %q, word %q", g, twin.twin, twin.word)
		}
	}
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 160, 48)
	for _, ks := range [][]string{{"1"}, {"2"}, {"?"}, {"esc", "1", "enter", "]"}, {"]", "]"}, {"]", "]"}, {"]", "y"}, {"esc", "4"}, {"h"}, {"enter"}, {"esc", "7"}, {"enter"}, {"enter"}, {"]"}, {"]"}} {
		u.o.ASCII = false
		u.keys(ks...)
		for _, r := range ansi.Strip(u.view()) {
			if _, ok := glyphs[string(r)]; r >= 0x80 && !ok {
				t.Errorf("after %v: %q is drawn and has no twin", ks, r)
			}
		}
		u.o.ASCII, u.dirty = true, true
		if s := u.view(); strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			t.Errorf("after %v: not ASCII with --ascii", ks)
		}
	}
}

// allBindings are the keys of a UI.
func allBindings() []binding {
	return newUI(Options{Log: newDemo(flow.Limits{}).log, Now: time.Now}, newTheme("mono")).bindings
}
