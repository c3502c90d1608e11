package term_test

import (
	"strings"
	"testing"

	"kubarium/tui/term"
)

// pointed draws lines, and what do does to them, without colours: pointed at is reversed, the same value underlined.
func pointed(lines []term.Line, do func(c *term.Canvas, r term.Rect)) string {
	c, r := &term.Canvas{}, term.Rect{X: 1, W: 29, H: len(lines)}
	c.Reset(30, len(lines))
	for y, l := range lines {
		c.Line(r, 0, y, l)
	}
	do(c, r)
	return strings.NewReplacer("\x1b[7;4m", "<", "\x1b[4;7m", "<", "\x1b[4m", "_", "\x1b[1m", "", "\x1b[0m", ">").
		Replace(c.Render(term.NewTheme("mono"), term.AllGlyphs))
}

// A text is found where it first is, also after wide letters, and marked with a sign in the margin. A place outside
// of the canvas is none.
func TestCanvas_Point(t *testing.T) {
	lines := []term.Line{term.Text(term.Plain, "one"), term.Text(term.Plain, "名字 two, two")}
	got := pointed(lines, func(c *term.Canvas, r term.Rect) {
		for _, absent := range []string{"three", ""} {
			if _, _, ok := c.Find(r, absent); ok {
				t.Errorf("%q is found", absent)
			}
		}
		x, y, ok := c.Find(r, "two")
		if x != 5 || y != 1 || !ok {
			t.Errorf("found at %d, %d: %v", x, y, ok)
		}
		c.Point(r, x, y, 3)
		c.Point(r, 0, 7, 3)
	})
	if want := " one\n▸>名字 <two>, two"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The same value is underlined where it is a whole word that is accepted, not in a part of a number, a name or a code.
func TestCanvas_MarkSame(t *testing.T) {
	lines := []term.Line{
		term.Text(term.Plain, "rv 226, 2260 a-226 226% #226"), {term.Version.Of("226"), term.Plain.Of(" 226")},
	}
	got := pointed(lines, func(c *term.Canvas, _ term.Rect) {
		c.MarkSame("226", func(before string, st term.Style) bool {
			return st&term.Version != 0 || strings.HasSuffix(before, "rv ")
		})
		c.MarkSame("", func(string, term.Style) bool { t.Error("nothing is asked for"); return true })
	})
	if want := " rv _226>, 2260 a-226 226% #226\n _226> 226"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
