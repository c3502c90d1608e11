package tui

import (
	"fmt"
	"strings"
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
	line
	seq uint64
}

func (s *sheet) name() string     { return s.title }
func (s *sheet) keys() []binding  { return s.bound() }
func (s *sheet) legend() []string { return s.words() }
func (s *sheet) height() int      { return max(1, s.tall) }

// point puts the cursor on a visible line, counted from the first.
func (s *sheet) point(row int) { s.move(s.top + row - s.cursor) }

func (s *sheet) move(n int) { s.cursor = max(0, min(s.cursor+n, len(s.lines)-1)) }

func (s *sheet) end(bottom bool) {
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
func (s *sheet) draw(c *canvas, r rect, hasKeys bool, cursor style) {
	s.tall = r.h
	s.top = max(0, min(s.top, s.cursor, len(s.lines)-1), s.cursor-r.h+1)
	for y := 0; y < r.h && s.top+y < len(s.lines); y++ {
		row := r.row(y)
		c.line(row, 2, 0, fitLine(s.lines[s.top+y].line, r.w-3))
		if s.top+y == s.cursor && hasKeys {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, cursor)
		}
	}
	if rest := len(s.lines) - s.top - r.h; rest > 0 {
		c.right(r, r.w, r.h-1, sDim, fmt.Sprintf(" %d more ▼", rest))
	}
}

// A lineList collects the lines of a sheet in a width.
type lineList struct {
	w   int
	out []sheetLine
}

func (l *lineList) add(spans ...span)            { l.out = append(l.out, sheetLine{line: spans}) }
func (l *lineList) of(seq uint64, spans ...span) { l.out = append(l.out, sheetLine{spans, seq}) }
func (l *lineList) blank()                       { l.out = append(l.out, sheetLine{}) }
func (l *lineList) say(st style, s string)       { l.wrapped(st, "", s) }

// wrapped adds text behind a sign that stands before its first line.
func (l *lineList) wrapped(st style, sign, s string) {
	indent := text(st, sign).width()
	for i, part := range wrap(s, max(10, l.w-indent)) {
		if i > 0 {
			sign = pad("", indent)
		}
		l.add(span{st, sign}, span{st, part})
	}
}

// item adds text about a request, wrapped at blanks so that nothing of it is cut; its further lines are indented.
func (l *lineList) item(seq uint64, spans ...span) {
	const indent = 4
	var now line
	used := 0
	for _, s := range spans {
		for _, word := range strings.SplitAfter(s.s, " ") {
			n := text(sPlain, word).width()
			if used > 0 && used+text(sPlain, strings.TrimRight(word, " ")).width() > l.w && strings.TrimSpace(word) != "" {
				now[len(now)-1].s = strings.TrimRight(now[len(now)-1].s, " ")
				l.out = append(l.out, sheetLine{now, seq})
				now, used = line{{sPlain, pad("", indent)}}, indent
			}
			now, used = append(now, span{s.st, word}), used+n
		}
	}
	l.out = append(l.out, sheetLine{now, seq})
}
