package tui

import "unicode/utf8"

// A lineEdit is a line of text that is being typed.
type lineEdit struct {
	text string
	at   int // cursor, in bytes
}

func newLineEdit(s string) lineEdit { return lineEdit{s, len(s)} }

// key handles a key and reports whether it was one for editing.
func (e *lineEdit) key(k string) bool {
	switch k {
	case "left", "ctrl+b":
		_, n := utf8.DecodeLastRuneInString(e.text[:e.at])
		e.at -= n
	case "right", "ctrl+f":
		_, n := utf8.DecodeRuneInString(e.text[e.at:])
		e.at += n
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		_, n := utf8.DecodeLastRuneInString(e.text[:e.at])
		e.text = e.text[:e.at-n] + e.text[e.at:]
		e.at -= n
	case "delete":
		_, n := utf8.DecodeRuneInString(e.text[e.at:])
		e.text = e.text[:e.at] + e.text[e.at+n:]
	case "ctrl+u":
		e.text, e.at = e.text[e.at:], 0
	case "ctrl+k":
		e.text = e.text[:e.at]
	case "ctrl+w":
		e.cutWord()
	case "space":
		e.insert(" ")
	default:
		if utf8.RuneCountInString(k) != 1 {
			return false
		}
		e.insert(k)
	}
	return true
}

func (e *lineEdit) insert(s string) {
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
}

func (e *lineEdit) cutWord() {
	i := e.at
	for i > 0 && e.text[i-1] == ' ' {
		i--
	}
	for i > 0 && e.text[i-1] != ' ' {
		i--
	}
	e.text = e.text[:i] + e.text[e.at:]
	e.at = i
}

// draw shows the line with its cursor at column x of row y, and returns the column after it.
func (e *lineEdit) draw(c *canvas, r rect, x, y int) int {
	x = c.put(r, x, y, sPlain, e.text[:e.at])
	under, rest := " ", ""
	if e.at < len(e.text) {
		_, n := utf8.DecodeRuneInString(e.text[e.at:])
		under, rest = e.text[e.at:e.at+n], e.text[e.at+n:]
	}
	x = c.put(r, x, y, sMode, under)
	return c.put(r, x, y, sPlain, rest)
}
