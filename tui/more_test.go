package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// canvasText draws into a canvas of a size and returns its text.
func canvasText(w, h int, draw func(c *term.Canvas, r term.Rect)) string {
	var c term.Canvas
	c.Reset(w, h)
	draw(&c, term.Rect{W: w, H: h})
	return c.Render(term.NewTheme("mono"), term.AllGlyphs)
}

// The number of further lines covers no text: a line without room for it is one of those below.
func TestViewport_MoreCoversNothing(t *testing.T) {
	lines := func(s string) []term.Line {
		return []term.Line{term.Text(term.Plain, "one"), term.Text(term.Plain, s), term.Text(term.Plain, "three")}
	}
	v := &term.Viewport{Lines: lines("a value at the end")}
	draw := func(c *term.Canvas, r term.Rect) { v.Draw(c, r, r) }
	if got := canvasText(20, 2, draw); !strings.HasPrefix(got, "one\n") || !strings.Contains(got, " 2 more ▼") || strings.Contains(got, "value") {
		t.Errorf("%q", got)
	}
	if got := canvasText(40, 2, draw); !strings.Contains(got, "a value at the end") || !strings.Contains(got, " 1 more ▼") {
		t.Errorf("with room: %q", got)
	}
	v.End(true)
	if got := canvasText(20, 2, draw); !strings.Contains(got, "a value at the end\nthree") {
		t.Errorf("at the end: %q", got)
	}
}

// In a sheet the number has a row of its own, so that the line under the cursor is never covered.
func TestSheet_MoreCoversNothing(t *testing.T) {
	l := &page.LineList{W: 20}
	for _, s := range []string{"first 11111111111", "second 2222222222", "third 33333333333", "fourth 4444444444"} {
		l.Add(term.Plain.Of(s))
	}
	s := &page.Sheet{}
	s.Set(1, l.Out)
	draw := func(c *term.Canvas, r term.Rect) { s.Draw(c, r, true, term.Selected) }
	if got := canvasText(20, 3, draw); !strings.Contains(got, "second 2222222222") || strings.Contains(got, "third") || !strings.Contains(got, "2 more ▼") {
		t.Errorf("%q", got)
	}
	s.Move(2)
	if got := canvasText(20, 3, draw); !strings.Contains(got, "third 33333333333") || !strings.Contains(got, "1 more ▼") {
		t.Errorf("on the third line: %q", got)
	}
	s.End(true)
	if got := canvasText(20, 3, draw); !strings.Contains(got, "fourth 4444444444") || strings.Contains(got, "more") {
		t.Errorf("at the end: %q", got)
	}
}

// Help is as wide as its lines where there is room, says how many more there are, and shows the chosen line whole where
// it is cut.
func TestHelp_Whole(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		d := newDemo(flow.Limits{})
		d.story()
		u, _ := testUI(d, "mono", w, 24)
		u.keys("?")
		if s := u.screenText(); !strings.Contains(s, " more ▼ ┘") && !strings.Contains(s, " more ▼ ─┘") {
			t.Errorf("%d columns: it does not say that there is more:\n%s", w, s)
		}
		for _, c := range u.keyCommands() {
			whole := c.Help
			if c.Off != "" {
				whole += "  (" + c.Off + ")"
			}
			var words strings.Builder
			for _, l := range strings.Split(u.screenText(), "\n") {
				if _, l, ok := strings.Cut(l, "│"); ok {
					l, _, _ = strings.Cut(l, "│")
					words.WriteString(l + " ")
				}
			}
			flat := strings.Join(strings.Fields(words.String()), " ")
			if whole = strings.Join(strings.Fields(whole), " "); !strings.Contains(flat, whole) {
				t.Errorf("%d columns: %q is cut:\n%s", w, whole, u.screenText())
			}
			u.keys("down")
		}
	}
}

// What a query parameter means is wrapped, not cut.
func TestRequest_QueryNotes(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "apply", "deployments", "web", 200, 1)
	f.Query = "fieldManager=kubectl&force=true"
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 44, 24)
	u.keys("enter", "]", "o")
	s := strings.Join(strings.Fields(u.screenText()), " ")
	if !strings.Contains(s, "the name under which field ownership is recorded") {
		t.Errorf("cut:\n%s", u.screenText())
	}
}
