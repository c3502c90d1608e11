package term_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/cells"
	"kubarium/tui/term"
)

// A wide character with one half overwritten disappears, so that the text after it keeps its place.
func TestCanvas_WideHalves(t *testing.T) {
	draw := func(over func(c *term.Canvas, r term.Rect)) string {
		c := &term.Canvas{}
		c.Reset(8, 1)
		r := term.Rect{W: 8, H: 1}
		c.Put(r, 0, 0, term.Plain, "名字空间")
		over(c, r)
		return c.Render(term.NewTheme("mono"), term.AllGlyphs)
	}
	for _, c := range []struct {
		at   int
		text string
		want string
	}{
		{0, "a", "a 字空间"}, {1, "a", " a字空间"}, {2, "ab", "名ab空间"}, {3, "ab", "名 ab 间"}, {1, "新", " 新 空间"},
		{7, "a", "名字空 a"}, {7, "新", "名字空间"}, {-1, "新a", "名字空间"},
	} {
		got := draw(func(cv *term.Canvas, r term.Rect) { cv.Put(r, c.at, 0, term.Plain, c.text) })
		if c.at < 0 {
			c.want = " a字空间"
		}
		if got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.at, got, c.want)
		}
	}
	got := draw(func(c *term.Canvas, _ term.Rect) { term.Box(c, term.Rect{X: 1, W: 4, H: 1}, "", nil, 4) })
	if cells.Width(got) != 8 || !strings.HasSuffix(got, "间") {
		t.Errorf("below a box: %q", got)
	}
}

// In charsets with wide glyphs these have twins, text stays, and text after an ambiguous character is positioned.
func TestCanvas_Charsets(t *testing.T) {
	c := &term.Canvas{}
	c.Reset(20, 1)
	c.Put(term.Rect{W: 20, H: 1}, 0, 0, term.Plain, "│ 名 α “b” ▸é")
	for set, want := range map[term.Charset]string{
		term.AllGlyphs: "│ 名 α “b” ▸é",
		term.SafeWidth: "| 名 α" + ansi.CursorHorizontalAbsolute(7) + " \"b\" >é" + ansi.CursorHorizontalAbsolute(14),
		term.ASCIIOnly: "| ?? ? \"b\" >?",
	} {
		if got := c.Render(term.NewTheme("mono"), set); got != want {
			t.Errorf("%d: %q, want %q", set, got, want)
		}
	}
}
