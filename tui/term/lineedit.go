package term

import (
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"kubarium/cells"
)

// A LineEdit is a line of text being typed. Bubbles' text input edits it; the canvas draws it.
type LineEdit struct {
	Text string
	At   int // cursor, in bytes

	left int // beginning of the visible part of a long text, in bytes
}

// NewLineEdit edits a text with the cursor at its end.
func NewLineEdit(s string) LineEdit { return LineEdit{Text: s, At: len(s)} }

// editing are the keys of a line edit, without completion and clipboard: terminals paste by themselves.
var editing = func() textinput.KeyMap {
	m := textinput.DefaultKeyMap
	for _, b := range []*key.Binding{&m.Paste, &m.AcceptSuggestion, &m.NextSuggestion, &m.PrevSuggestion} {
		b.Unbind()
	}
	return m
}()

// Key handles a key and reports whether it was one for editing.
func (e *LineEdit) Key(k string) bool {
	msg, ok := message(k)
	text := len(msg.Runes) > 0 && !msg.Alt
	if !ok || !text && !key.Matches(msg, editing.CharacterForward, editing.CharacterBackward, editing.WordForward,
		editing.WordBackward,
		editing.DeleteWordBackward, editing.DeleteWordForward, editing.DeleteAfterCursor, editing.DeleteBeforeCursor,
		editing.DeleteCharacterBackward, editing.DeleteCharacterForward, editing.LineStart, editing.LineEnd) {
		return false
	}
	if key.Matches(msg, editing.DeleteWordForward) && utf8.RuneCountInString(e.Text[e.At:]) == 1 {
		msg = tea.KeyMsg{Type: tea.KeyDelete} // text input panics on a last word of one rune
	}
	e.update(msg, e.runes(msg))
	return true
}

// Insert inserts text at the cursor, as if it were pasted.
func (e *LineEdit) Insert(s string) {
	e.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true}, 1)
}

// runes returns how often to apply a key: text input moves by runes, and one visible character may have several.
func (e *LineEdit) runes(msg tea.KeyMsg) int {
	switch {
	case key.Matches(msg, editing.CharacterForward, editing.DeleteCharacterForward):
		first, _ := cluster(e.Text[e.At:])
		return utf8.RuneCountInString(first)
	case key.Matches(msg, editing.CharacterBackward, editing.DeleteCharacterBackward):
		return utf8.RuneCountInString(lastCluster(e.Text[:e.At]))
	}
	return 1
}

// update lets a text input handle a key several times.
func (e *LineEdit) update(msg tea.KeyMsg, times int) {
	in := textinput.New()
	in.KeyMap = editing
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	in.SetValue(e.Text)
	in.SetCursor(utf8.RuneCountInString(e.Text[:e.At]))
	for range times {
		in, _ = in.Update(msg)
	}
	e.Text = in.Value()
	e.At = boundary(e.Text, len(string([]rune(e.Text)[:in.Position()])))
}

// Draw draws the line with its cursor at column x of row y, and returns the column after it. If the text is longer than
// the room, it draws the part around the cursor.
func (e *LineEdit) Draw(c *Canvas, r Rect, x, y int) int {
	e.scroll(r.W - x)
	x = c.Put(r, x, y, Plain, e.Text[e.left:e.At])
	under, rest := " ", ""
	if e.At < len(e.Text) {
		under, _ = cluster(e.Text[e.At:])
		rest = e.Text[e.At+len(under):]
	}
	x = c.Put(r, x, y, Mode, under)
	return c.Put(r, x, y, Plain, rest)
}

// scroll moves the visible part as little as needed to show the cursor, without unused room at the end.
func (e *LineEdit) scroll(room int) {
	e.left = min(boundary(e.Text, e.left), e.At)
	for tail := cells.Width(e.Text[e.left:]) + 1; e.left > 0; {
		before := lastCluster(e.Text[:e.left])
		if tail += cells.Width(before); tail > room {
			break
		}
		e.left -= len(before)
	}
	under := 1
	if e.At < len(e.Text) {
		_, under = cluster(e.Text[e.At:])
	}
	for seen := cells.Width(e.Text[e.left:e.At]) + under; seen > room && e.left < e.At; {
		first, w := cluster(e.Text[e.left:])
		e.left += len(first)
		seen -= w
	}
}

// cluster returns the first visible character of s, and its cells.
func cluster(s string) (string, int) {
	if s == "" {
		return "", 0
	}
	_, width, n := cells.Next(s)
	return s[:n], width
}

// boundary returns where the character at at ends: typed text may join its neighbours.
func boundary(s string, at int) int {
	end := 0
	for end < at && end < len(s) {
		first, _ := cluster(s[end:])
		end += len(first)
	}
	return end
}

// lastCluster returns the last visible character of s.
func lastCluster(s string) string {
	last := ""
	for s != "" {
		last, _ = cluster(s)
		s = s[len(last):]
	}
	return last
}
