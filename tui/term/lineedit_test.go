package term_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"kubarium/tui/term"
)

// edited is a line with its cursor shown as |.
func edited(e *term.LineEdit) string { return e.Text[:e.At] + "|" + e.Text[e.At:] }

// Keys move by visible characters and by words, and other keys change nothing.
func TestLineEdit_Key(t *testing.T) {
	for _, c := range []struct{ before, keys, after string }{
		{"|", "h i space t", "hi t|"},
		{"|", "é 漢 👍", "é漢👍|"},
		{"abc|", "left left x", "ax|bc"},
		{"abc|", "ctrl+b ctrl+b ctrl+f x", "abx|c"},
		{"abc|", "home x", "x|abc"},
		{"abc|", "ctrl+a x ctrl+e y", "xabcy|"},
		{"|abc", "left backspace", "|abc"},
		{"abc|", "right delete end", "abc|"},
		{"ab|c", "backspace", "a|c"},
		{"ab|c", "ctrl+h", "a|c"},
		{"a|bc", "delete", "a|c"},
		{"a|bc", "ctrl+d", "a|c"},
		{"one two| three", "ctrl+u", "| three"},
		{"one two| three", "ctrl+k", "one two|"},
		{"one two  |three", "ctrl+w", "one |three"},
		{"one two|", "alt+backspace", "one |"},
		{"one |two three", "alt+d", "one | three"},
		{"one tw|o", "alt+d alt+d", "one tw|"},
		{"one| ", "alt+d", "one|"},
		{"one two|", "alt+b alt+b", "|one two"},
		{"|one two", "alt+f ctrl+right", "one two|"},
		{"one two|", "ctrl+left", "one |two"},
		{"one two|", "alt+left alt+right", "one two|"},
		{"e\u0301|x", "backspace", "|x"}, // an accent of its own
		{"e\u0301|x", "left", "|e\u0301x"},
		{"|e\u0301x", "delete", "|x"},
		{"|👨\u200d👩\u200d👧!", "right", "👨\u200d👩\u200d👧|!"}, // a family is one character
		{"👨\u200d👩\u200d👧|!", "backspace", "|!"},
		{"🇩🇪🇫🇷|", "backspace", "🇩🇪|"},
	} {
		text, rest, _ := strings.Cut(c.before, "|")
		e := term.LineEdit{Text: text + rest, At: len(text)}
		for _, k := range strings.Fields(c.keys) {
			if !e.Key(k) {
				t.Errorf("%s is no key for editing", k)
			}
		}
		if got := edited(&e); got != c.after {
			t.Errorf("%q, %s: %q, want %q", c.before, c.keys, got, c.after)
		}
	}
	e := term.NewLineEdit("abc")
	for _, k := range []string{"enter", "esc", "tab", "up", "down", "ctrl+n", "ctrl+p", "ctrl+v", "ctrl+c", "alt+x",
		"alt+]", "alt+space", "f1", "pgup", "runes", "", "nonsense"} {
		if e.Key(k) || edited(&e) != "abc|" {
			t.Errorf("%q is a key for editing: %s", k, edited(&e))
		}
	}
}

// Pasted text is inserted as text, in one line and without control characters.
func TestLineEdit_Insert(t *testing.T) {
	e := term.LineEdit{Text: "ac", At: 1}
	e.Insert("b")
	e.Insert("alt+b")
	e.Insert("x\ny\x1b[A\x00z")
	if got := edited(&e); got != "abalt+bx y[Az|c" {
		t.Errorf("%q", got)
	}
}

var mono = term.NewTheme("mono")

// row is the visible part of a line edit, with its cursor's cell in brackets.
func row(e *term.LineEdit, room int) string {
	var c term.Canvas
	c.Reset(room+2, 1)
	e.Draw(&c, term.Rect{X: 1, W: room, H: 1}, 0, 0)
	s := c.Render(mono, term.AllGlyphs)
	s = strings.Replace(s, "\x1b[7m", "[", 1)
	s = strings.Replace(s, "\x1b[0m", "]", 1)
	return strings.TrimPrefix(ansi.Strip(s), " ")
}

// The cursor is always visible, and a long text scrolls no more than necessary.
func TestLineEdit_Draw(t *testing.T) {
	e := term.NewLineEdit("abcdefghij")
	for _, step := range []struct{ keys, want string }{
		{"", "fghij[ ]"},
		{"left left", "fgh[i]j"},
		{"left left left left", "[e]fghij"},
		{"left", "[d]efghi"},
		{"right right right right right", "defgh[i]"},
		{"home", "[a]bcdef"},
		{"end", "fghij[ ]"},
		{"backspace backspace", "defgh[ ]"},
		{"ctrl+u", "[ ]"},
		{"漢 字 か な", "かな[ ]"},
		{"left", "か[な]"},
		{"left left", "[字]かな"},
	} {
		for _, k := range strings.Fields(step.keys) {
			e.Key(k)
		}
		if got := row(&e, 6); got != step.want {
			t.Errorf("%s: %q, want %q", step.keys, got, step.want)
		}
	}
}

// No typed or pasted text breaks the line, and it can be drawn in any width.
func FuzzLineEdit(f *testing.F) {
	f.Add("abc", "👨\u200d👩\u200d👧", uint64(0x1234567))
	f.Add("e\u0301\u0301", "\u200d", uint64(0xfedcba9876543210))
	keys := []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+w", "alt+d", "alt+b", "alt+f",
		"ctrl+u", "ctrl+k", "x", "漢", "\u0301", "space"}
	f.Fuzz(func(t *testing.T, text, pasted string, which uint64) {
		e := term.LineEdit{}
		e.Insert(text)
		for i := range 16 {
			e.Key(keys[which>>(4*i)&15])
			if i == 8 {
				e.Insert(pasted)
			}
			if e.At < 0 || e.At > len(e.Text) || !utf8.ValidString(e.Text) || !utf8.ValidString(e.Text[:e.At]) {
				t.Fatalf("%q at %d", e.Text, e.At)
			}
			for _, room := range []int{0, 1, 2, 7, 40} {
				if got := row(&e, room); room > 2 && !strings.Contains(got, "[") {
					t.Fatalf("%q in %d: no cursor in %q", e.Text, room, got)
				}
			}
		}
	})
}
