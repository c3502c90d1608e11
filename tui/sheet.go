package tui

import (
	"fmt"
	"strings"

	"kubarium/tui/term"
)

// A sheet is the pane below the list of a page: lines that are made for the chosen row, some of which stand for a
// request. enter on such a line shows it.
type sheet struct {
	title  string           // as help and explain call it
	words  func() []string  // how to read it
	bound  func() []binding // what keys do in it alone
	lines  []sheetLine
	cursor int
	top    int
	tall   int
	of     any // what lines were made of; another value starts at the top
}

// A sheetLine is a line, and the number of the request that it is about; 0 for none.
type sheetLine struct {
	term.Line
	seq uint64
}

func (s *sheet) name() string     { return s.title }
func (s *sheet) keys() []binding  { return s.bound() }
func (s *sheet) legend() []string { return s.words() }
func (s *sheet) Height() int      { return max(1, s.tall) }

// point puts the cursor on a visible line, counted from the first.
func (s *sheet) point(row int) { s.Move(s.top + row - s.cursor) }

func (s *sheet) Move(n int) { s.cursor = max(0, min(s.cursor+n, len(s.lines)-1)) }

func (s *sheet) End(bottom bool) {
	s.cursor = 0
	if bottom {
		s.cursor = max(0, len(s.lines)-1)
	}
}

// set takes the lines of a row; of a further one it begins at the top.
func (s *sheet) set(of any, lines []sheetLine) {
	if s.of != of {
		s.of, s.cursor, s.top = of, 0, 0
	}
	s.lines = lines
	s.cursor = max(0, min(s.cursor, len(lines)-1))
}

// chosen is the request that the line under the cursor is about; 0 for none.
func (s *sheet) chosen() uint64 {
	if s.cursor >= len(s.lines) {
		return 0
	}
	return s.lines[s.cursor].seq
}

// draw shows the lines, and with the keys the cursor on one of them in a style.
func (s *sheet) draw(c *term.Canvas, r term.Rect, hasKeys bool, cursor term.Style) {
	s.tall = r.H
	s.top = max(0, min(s.top, s.cursor, len(s.lines)-1), s.cursor-r.H+1)
	for y := 0; y < r.H && s.top+y < len(s.lines); y++ {
		row := r.Row(y)
		c.Line(row, 2, 0, term.FitLine(s.lines[s.top+y].Line, r.W-3))
		if s.top+y == s.cursor && hasKeys {
			c.Put(row, 0, 0, term.Bold, "▸")
			c.Restyle(row, cursor)
		}
	}
	if rest := len(s.lines) - s.top - r.H; rest > 0 {
		c.Right(r, r.W, r.H-1, term.Dim, fmt.Sprintf(" %d more ▼", rest))
	}
}

// A LineList collects the lines of a sheet in a width.
type LineList struct {
	w   int
	out []sheetLine
}

func (l *LineList) add(spans ...term.Span)            { l.out = append(l.out, sheetLine{Line: spans}) }
func (l *LineList) of(seq uint64, spans ...term.Span) { l.out = append(l.out, sheetLine{spans, seq}) }
func (l *LineList) blank()                            { l.out = append(l.out, sheetLine{}) }
func (l *LineList) say(st term.Style, s string)       { l.wrapped(st, "", s) }

// wrapped adds text behind a sign that stands before its first line.
func (l *LineList) wrapped(st term.Style, sign, s string) {
	indent := term.Text(st, sign).Width()
	for i, part := range term.Wrap(s, max(10, l.w-indent)) {
		if i > 0 {
			sign = term.Pad("", indent)
		}
		l.add(st.Of(sign), st.Of(part))
	}
}

// item adds text about a request, wrapped at blanks so that nothing of it is cut; its further lines are indented.
func (l *LineList) item(seq uint64, spans ...term.Span) {
	const indent = 4
	var now term.Line
	used := 0
	for _, s := range spans {
		for _, word := range strings.SplitAfter(s.Text, " ") {
			n := term.Text(term.Plain, word).Width()
			if used > 0 && used+term.Text(term.Plain, strings.TrimRight(word, " ")).Width() > l.w && strings.TrimSpace(word) != "" {
				now[len(now)-1].Text = strings.TrimRight(now[len(now)-1].Text, " ")
				l.out = append(l.out, sheetLine{now, seq})
				now, used = term.Line{term.Plain.Of(term.Pad("", indent))}, indent
			}
			now, used = append(now, s.St.Of(word)), used+n
		}
	}
	l.out = append(l.out, sheetLine{now, seq})
}
