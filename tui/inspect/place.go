package inspect

import (
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios/expr"
	"kubarium/tui/body"
	"kubarium/tui/term"
)

// A place is where what a lesson points at is among the lines of a tab.
type place struct {
	line int    // -1 for nowhere
	text string // what is marked on it
}

// pointsAt reports whether a lesson points at the header of a name.
func (in *Inspector) pointsAt(name string) bool {
	p := in.env.Point
	return p != nil && p.Header != "" && http.CanonicalHeaderKey(p.Header) == http.CanonicalHeaderKey(name)
}

// placeHeader notes that a line is about to have a header.
func (in *Inspector) placeHeader(line int, name, value string) {
	if in.pointsAt(name) {
		in.place, in.env.Point.Value = place{line, value}, value
	}
}

// findIn is the line of a body that has the field that a lesson points at, -1 for none. If the field is missing, the line
// of the object around it says so.
func (in *Inspector) findIn(b []byte, lines []term.Line) int {
	p := in.env.Point
	if p == nil || p.Path == "" {
		return -1
	}
	at, ok := body.Find(b, in.Format, p.Path)
	if !ok || at.Line >= len(lines) {
		return -1
	}
	p.Value = at.Value
	if at.Missing {
		missing := term.Warn.Of("  no " + expr.LastKey(p.Path))
		lines[at.Line] = append(slices.Clip(lines[at.Line]), missing)
	}
	in.place.text = at.Text
	return at.Line
}

// placeField notes where the field that a lesson points at is in lines that are about to be added, and returns them with
// that line whole, however long it is.
func (in *Inspector) placeField(p *term.Column, lines []term.Line, at int) []term.Line {
	if at < 0 {
		return lines
	}
	in.place.line = len(p.Lines) + at
	if shown := lines[at].String(); strings.HasSuffix(shown, "…") {
		indent := strings.Repeat(" ", depth(lines[at]))
		parts := term.Wrap(in.place.text, max(10, p.W-len(indent)))
		whole := make([]term.Line, len(parts))
		for i, part := range parts {
			whole[i] = term.Text(term.Str, indent+part)
		}
		in.place.text = parts[0]
		return slices.Replace(lines, at, at+1, whole...)
	}
	in.place.text = strings.TrimSpace(lines[at].String())
	return lines
}

// seeksChange reports whether a lesson points at a field that was not found yet.
func (in *Inspector) seeksChange() bool {
	return in.env.Point != nil && in.env.Point.Path != "" && in.place.line < 0
}

// placeChange notes the line of a difference that has the field that a lesson points at: as it is afterwards, else as it
// was. It reports whether there is one.
func (in *Inspector) placeChange(p *term.Column, from int, before, after []byte) bool {
	to := in.env.Point
	for _, side := range []struct {
		body  []byte
		signs string
	}{{after, "+ "}, {before, "-"}} {
		at, ok := body.Find(side.body, body.JSON, to.Path)
		if !ok || at.Missing {
			continue
		}
		text := strings.TrimSuffix(at.Text, ",") // which depends on the order of the fields
		for i, l := range p.Lines[from:] {
			s := l.String()
			if s != "" && strings.ContainsAny(s[:1], side.signs) && shows(strings.TrimSuffix(strings.TrimSpace(s[1:]), ","), text) {
				in.place, to.Value = place{from + i, strings.TrimSpace(s[1:])}, at.Value
				return true
			}
		}
	}
	return false
}

// placeRow notes the line that has the text that a lesson points at.
func (in *Inspector) placeRow() {
	if line := in.env.Point.LineOf(in.Lines); line >= 0 && in.place.line < 0 {
		in.place = place{line, in.env.Point.Row}
	}
}

// shows reports whether a line, which may be cut, is that of a text.
func shows(line, text string) bool {
	short, cut := strings.CutSuffix(line, "…")
	return line == text || cut && strings.HasPrefix(text, short)
}
