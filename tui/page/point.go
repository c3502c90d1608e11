package page

import (
	"strings"

	"kubarium/scenarios/expr"
	"kubarium/tui/term"
)

// A Point is what a step of a lesson points at, on the page that the step shows: a field, a header, the line that has a
// text, or if it has none of them the row under the cursor. The pane that has it scrolls there once, and marks it on
// each frame.
type Point struct {
	Path   string // of a field of the body or object that is shown, as lessons write it
	Header string
	Row    string // a text on the line

	Value string // what the field or the header has, or Row; "" while it is not known
	Seen  bool   // it is on the screen

	led bool // a pane has scrolled there
}

// Lead scrolls a pane of lines so that one of them is in its middle third, once for each point. A negative line is none.
func (p *Point) Lead(v *term.Viewport, line, height int) {
	if p == nil || p.led || line < 0 {
		return
	}
	p.led = true
	if line < v.Top || line >= v.Top+height-1 { // how many more there are covers the last one
		v.Top = max(0, line-height/3)
	}
}

// LineOf returns the first line that has the point's row, -1 for none.
func (p *Point) LineOf(lines []term.Line) int {
	if p == nil || p.Row == "" {
		return -1
	}
	for i, l := range lines {
		if strings.Contains(l.String(), p.Row) {
			return i
		}
	}
	return -1
}

// Mark marks a text on row y of r, or the whole row if the text is not there.
func (p *Point) Mark(c *term.Canvas, r term.Rect, y int, text string) {
	row := r.Row(y)
	if p == nil || row.Empty() {
		return
	}
	x, _, ok := c.Find(row, text)
	w := term.Text(term.Plain, text).Width()
	if !ok {
		x, w = 0, r.W
	}
	c.Point(r, x, y, w)
	p.Seen = true
}

// MarkRow marks the point's row in r, if it is there and not marked yet.
func (p *Point) MarkRow(c *term.Canvas, r term.Rect) {
	if p == nil || p.Seen || r.Empty() || p.Path != "" || p.Header != "" {
		return
	}
	if p.Row == "" {
		if y, ok := c.CursorRow(r); ok {
			p.Mark(c, r, y, "")
		}
		return
	}
	if _, y, ok := c.Find(r, p.Row); ok {
		p.Mark(c, r, y, p.Row)
	}
}

// names are by what a value is called on the screen: that of the field, and for versions further words.
func (p *Point) names() []string {
	name := p.Header
	if p.Path != "" {
		name = expr.LastKey(p.Path)
	}
	if name == "resourceVersion" {
		return versionNames
	}
	return []string{name}
}

var versionNames = []string{"resourceVersion", "rv", "version", "head", "stored", "sent"}

// MarkSame marks the point's value faintly wherever the screen has the same one with the same meaning.
func (p *Point) MarkSame(c *term.Canvas) {
	if p == nil || p.Value == "" || p.Row != "" {
		return
	}
	markSame(c, p.Value, p.names())
}

// MarkVersion marks a resourceVersion wherever it is on the screen.
func MarkVersion(c *term.Canvas, version string) { markSame(c, version, versionNames) }

func markSame(c *term.Canvas, value string, names []string) {
	versions := len(names) > 1
	c.MarkSame(value, func(before string, st term.Style) bool {
		if versions && st&term.Version != 0 {
			return true
		}
		before = strings.TrimRight(before, `": =`)
		for _, name := range names {
			if name != "" && strings.HasSuffix(before, name) {
				return true
			}
		}
		return false
	})
}
