package tui

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/term"
)

// A pageView is a state of a page that is kept as golden files: what happened, and the keys that lead to it.
type pageView struct {
	name  string
	story func(d *demo)
	keys  []string
}

// pageViews is filled beside the tests of each page.
var pageViews []pageView

func (v *pageView) draw(themeName string, w, h int) string {
	d := newDemo(flow.Limits{})
	v.story(d)
	u, _ := testUI(d, themeName, w, h)
	u.view()
	for _, k := range v.keys {
		u.key(k)
		u.view()
	}
	return u.view() + "\n"
}

// The pages at four sizes, in mono and dark, are as they were looked at and found good.
func TestPages_Golden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 48}} {
		for _, themeName := range []string{"mono", "dark"} {
			for _, v := range pageViews {
				name := fmt.Sprintf("%s-%dx%d-%s", v.name, size[0], size[1], themeName)
				t.Run(name, func(t *testing.T) { compareGolden(t, name, v.draw(themeName, size[0], size[1])) })
			}
		}
	}
}

// Without colours no two states of a page look the same.
func TestPages_MonoStatesDiffer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		seen := map[string]string{}
		for _, v := range pageViews {
			s := v.draw("mono", size[0], size[1])
			if other, ok := seen[s]; ok {
				t.Errorf("%v: %s looks like %s", size, v.name, other)
			}
			seen[s] = v.name
		}
	}
}

// A frame of a page has exactly as many lines as the terminal and none is too wide, at every size; with --ascii it is ASCII.
func TestPages_AllSizes(t *testing.T) {
	for _, v := range pageViews {
		d := newDemo(flow.Limits{})
		v.story(d)
		u, _ := testUI(d, "mono", 120, 36)
		u.keys(v.keys...)
		for w := 20; w <= 240; w += 11 {
			for h := 6; h <= 80; h += 7 {
				u.At = bit(w%2 == 0)
				u.o.ASCII = h%2 == 0
				u.resize(w, h)
				frame := u.view()
				if n := strings.Count(frame, "\n") + 1; n != h {
					t.Fatalf("%s at %dx%d: %d lines", v.name, w, h, n)
				}
				for _, l := range strings.Split(frame, "\n") {
					if n := ansi.StringWidth(l); n > w {
						t.Fatalf("%s at %dx%d: a line of %d cells: %q", v.name, w, h, n, l)
					}
				}
				for _, r := range ansi.Strip(frame) {
					_, known := term.Glyphs[string(r)]
					if r >= utf8.RuneSelf && (u.o.ASCII || !known) {
						t.Fatalf("%s at %dx%d: %q is drawn and has no twin", v.name, w, h, r)
					}
				}
			}
		}
	}
}

// What the pages show has its words in plain mode, row by row and one by its number.
func TestPlain_Pages(t *testing.T) {
	for name, c := range map[string]struct {
		story func(d *demo)
		typed []string
		want  string
	}{
		"conflicts":      {func(d *demo) { d.clashes() }, []string{"conflicts"}, "4. stale resourceVersion: B update deployments/web, 4171 ≠ 4172."},
		"one conflict":   {func(d *demo) { d.clashes() }, []string{"conflicts", "4"}, "verdict  no field changed on both sides"},
		"deletes":        {func(d *demo) { d.finalizers(2) }, []string{"deletes"}, "1. pods/db-0: held by 1 of 2 finalizers, 18 s, deleted by k1 at rv 4172."},
		"one deletion":   {func(d *demo) { d.finalizers(2) }, []string{"deletes", "1"}, "removed by backup at rv 4173"},
		"lists":          {func(d *demo) { d.chunks("k1", 3) }, []string{"lists"}, "1. k1 lists pods @default: snapshot rv 4170, 1 500 items in 3 pages, left 240, from both, open."},
		"one list":       {func(d *demo) { d.chunks("k1", 3) }, []string{"lists", "1"}, "──web-1499──[░░ 240 left]"},
		"no such number": {func(d *demo) { d.chunks("k1", 3) }, []string{"lists", "9"}, `lists: there is no number "9".`},
		"doctor":         {func(d *demo) { d.mistakes() }, []string{"doctor"}, "2. warning, Polling where a watch would do: "},
		"one finding":    {func(d *demo) { d.mistakes() }, []string{"doctor", "1"}, "https://kubernetes.io/docs/reference/using-api/api-concepts/#"},
		"no findings":    {func(d *demo) { d.healthy() }, []string{"doctor"}, "none of the"},
		"no deletes":     {func(d *demo) {}, []string{"deletes"}, "Nothing is terminating"},
	} {
		d := newDemo(flow.Limits{})
		c.story(d)
		u, _ := testUI(d, "mono", 120, 36)
		var out strings.Builder
		p := &plain{u: u, out: &out}
		if !p.page(c.typed[0], strings.Join(c.typed[1:], " ")) || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %q is not in\n%s", name, c.want, out.String())
		}
	}
}
