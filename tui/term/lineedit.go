package term

import "unicode/utf8"

// A LineEdit is a line of text that is being typed.
type LineEdit struct {
	Text string
	At   int // cursor, in bytes
}

// NewLineEdit is a line with a text, and the cursor behind it.
func NewLineEdit(s string) LineEdit { return LineEdit{s, len(s)} }

// Key handles a key and reports whether it was one for editing.
func (e *LineEdit) Key(k string) bool {
	switch k {
	case "left", "ctrl+b":
		_, n := utf8.DecodeLastRuneInString(e.Text[:e.At])
		e.At -= n
	case "right", "ctrl+f":
		_, n := utf8.DecodeRuneInString(e.Text[e.At:])
		e.At += n
	case "home", "ctrl+a":
		e.At = 0
	case "end", "ctrl+e":
		e.At = len(e.Text)
	case "backspace", "ctrl+h":
		_, n := utf8.DecodeLastRuneInString(e.Text[:e.At])
		e.Text = e.Text[:e.At-n] + e.Text[e.At:]
		e.At -= n
	case "delete":
		_, n := utf8.DecodeRuneInString(e.Text[e.At:])
		e.Text = e.Text[:e.At] + e.Text[e.At+n:]
	case "ctrl+u":
		e.Text, e.At = e.Text[e.At:], 0
	case "ctrl+k":
		e.Text = e.Text[:e.At]
	case "ctrl+w":
		e.cutWord()
	case "space":
		e.Insert(" ")
	default:
		if utf8.RuneCountInString(k) != 1 {
			return false
		}
		e.Insert(k)
	}
	return true
}

// Insert puts text where the cursor is.
func (e *LineEdit) Insert(s string) {
	e.Text = e.Text[:e.At] + s + e.Text[e.At:]
	e.At += len(s)
}

func (e *LineEdit) cutWord() {
	i := e.At
	for i > 0 && e.Text[i-1] == ' ' {
		i--
	}
	for i > 0 && e.Text[i-1] != ' ' {
		i--
	}
	e.Text = e.Text[:i] + e.Text[e.At:]
	e.At = i
}

// Draw shows the line with its cursor at column x of row y, and returns the column after it.
func (e *LineEdit) Draw(c *Canvas, r Rect, x, y int) int {
	x = c.Put(r, x, y, Plain, e.Text[:e.At])
	under, rest := " ", ""
	if e.At < len(e.Text) {
		_, n := utf8.DecodeRuneInString(e.Text[e.At:])
		under, rest = e.Text[e.At:e.At+n], e.Text[e.At+n:]
	}
	x = c.Put(r, x, y, Mode, under)
	return c.Put(r, x, y, Plain, rest)
}
