package page

import (
	"strings"

	"kubarium/tui/term"
)

// A Sheet is the pane below the list of a page: lines about the selected row, some of which are about a
// request. enter on such a line shows it.
type Sheet struct {
	Title  string           // as help and explain call it
	Words  func() []string  // how to read it
	Bound  func() []Binding // what keys do in it alone
	Lines  []SheetLine
	cursor term.List[int]
	of     any // what lines were made of; another value starts at the top
}

// A SheetLine is a line, and the number of the request that it is about; 0 for none.
type SheetLine struct {
	term.Line
	seq uint64
}

// Name is how help and explain call the sheet.
func (s *Sheet) Name() string { return s.Title }

// Keys are what keys do in the sheet alone.
func (s *Sheet) Keys() []Binding { return s.Bound() }

// Legend says how to read the sheet.
func (s *Sheet) Legend() []string { return s.Words() }

// Height is how many lines are visible.
func (s *Sheet) Height() int { return s.cursor.Height() }

// Click puts the cursor on a visible line, counted from the first.
func (s *Sheet) Click(y int) { s.cursor.Click(y) }

// Move puts the cursor on another line.
func (s *Sheet) Move(n int) { s.cursor.Move(n) }

// Lead puts the cursor on the line that a lesson points at, once.
func (s *Sheet) Lead(p *Point) {
	if p == nil || p.led || p.Row == "" {
		return
	}
	for i, l := range s.Lines {
		if strings.Contains(l.String(), p.Row) {
			p.led = true
			s.cursor.Move(i - s.cursor.At())
			return
		}
	}
}

// End goes to the first line, or to the last.
func (s *Sheet) End(bottom bool) { s.cursor.End(bottom) }

// Set takes the lines of a row; of a further one it begins at the top.
func (s *Sheet) Set(of any, lines []SheetLine) {
	if s.of != of {
		s.of, s.cursor = of, term.List[int]{}
	}
	s.Lines = lines
	s.cursor.Keep(len(lines), nil)
}

// Stand shows the lines of another sheet, at the same line.
func (s *Sheet) Stand(o *Sheet) { s.Lines, s.cursor, s.of = o.Lines, o.cursor, o.of }

// Chosen is the request that the line under the cursor is about; 0 for none.
func (s *Sheet) Chosen() uint64 {
	i := s.cursor.At()
	if i < 0 {
		return 0
	}
	return s.Lines[i].seq
}

// Draw shows the lines, and with the keys the cursor on one of them in a style.
func (s *Sheet) Draw(c *term.Canvas, r term.Rect, hasKeys bool, cursor term.Style) {
	width := func(i int) int { return 2 + s.Lines[i].Width() }
	s.cursor.DrawMore(c, r, term.Pick(hasKeys, cursor, term.Plain), width, func(row term.Rect, i int) {
		c.Line(row, 2, 0, term.FitLine(s.Lines[i].Line, r.W-3))
	})
}

// A LineList collects the lines of a sheet in a width.
type LineList struct {
	W   int
	Out []SheetLine
}

// Add adds a line.
func (l *LineList) Add(spans ...term.Span) { l.Out = append(l.Out, SheetLine{Line: spans}) }

// Of adds a line about a request.
func (l *LineList) Of(seq uint64, spans ...term.Span) { l.Out = append(l.Out, SheetLine{spans, seq}) }

// Blank adds an empty line.
func (l *LineList) Blank() { l.Out = append(l.Out, SheetLine{}) }

// Say adds text, wrapped.
func (l *LineList) Say(st term.Style, s string) { l.Wrapped(st, "", s) }

// Wrapped adds text that is indented after a sign.
func (l *LineList) Wrapped(st term.Style, sign, s string) {
	indent := term.Text(st, sign).Width()
	for i, part := range term.Wrap(s, max(10, l.W-indent)) {
		if i > 0 {
			sign = term.Pad("", indent)
		}
		l.Add(st.Of(sign), st.Of(part))
	}
}

// Item adds text about a request, wrapped at blanks so that nothing of it is cut; its further lines are indented.
func (l *LineList) Item(seq uint64, spans ...term.Span) {
	const indent = 4
	var now term.Line
	used := 0
	for _, s := range spans {
		for _, word := range strings.SplitAfter(s.Text, " ") {
			n := term.Text(term.Plain, word).Width()
			if used > 0 && used+term.Text(term.Plain, strings.TrimRight(word, " ")).Width() > l.W && strings.TrimSpace(word) != "" {
				now[len(now)-1].Text = strings.TrimRight(now[len(now)-1].Text, " ")
				l.Out = append(l.Out, SheetLine{now, seq})
				now, used = term.Line{term.Plain.Of(term.Pad("", indent))}, indent
			}
			now, used = append(now, s.St.Of(word)), used+n
		}
	}
	l.Out = append(l.Out, SheetLine{now, seq})
}
