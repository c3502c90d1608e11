package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kubarium/cells"
)

// Glyphs lists every character beyond ASCII that the screens draw, with the ASCII twin that --ascii draws instead and
// the word that says what it means. Text that comes from requests is not in it; there --ascii shows a question mark.
var Glyphs = map[string]struct{ Twin, Word string }{
	"─": {"-", "rule"}, "│": {"|", "rule"}, "┬": {"+", "rule"}, "┴": {"+", "rule"}, "├": {"[", "start of a watch"},
	"┤": {"]", "rule"}, "┌": {"+", "corner"}, "┐": {"+", "corner"}, "└": {"+", "corner"}, "┘": {"+", "corner"},
	"▁": {".", "few"}, "▂": {".", "few"}, "▃": {":", "some"}, "▄": {":", "some"}, "▅": {"=", "many"}, "▆": {"=", "many"},
	"▇": {"#", "most"}, "█": {"#", "most"}, "▏": {"|", "head"}, "▌": {"#", "half"}, "▍": {"=", "part"}, "░": {".", "remaining"},
	"▒": {"%", "compacted"}, "┃": {"|", "head"}, "┄": {".", "behind"}, "━": {"=", "done"},
	"◇": {"o", "bookmark"}, "◆": {"*", "frame"}, "▶": {">", "last written"}, "▸": {">", "selected"}, "◀": {"<", "here"},
	"◉": {"@", "open watch"}, "○": {"o", "ended"}, "●": {"*", "current"}, "◌": {"~", "terminating"},
	"✓": {"v", "done"}, "✗": {"x", "failed"}, "⋮": {":", "more"}, "…": {"~", "cut"}, "·": {".", "nothing"},
	"▲": {"^", "above"}, "▼": {"v", "newer below"}, "↻": {"&", "retry of"}, "→": {">", "becomes"}, "←": {"<", "from"},
	"≠": {"#", "not equal"}, "≈": {"~", "about"}, "×": {"x", "times"}, "–": {"-", "none"}, "—": {"-", "none"},
	"↑": {"^", "up"}, "↓": {"v", "down"}, "⏎": {"$", "enter"}, "•": {"*", "hidden"}, "≤": {"<", "at most"}, "≥": {">", "at least"},
	"⏸": {"H", "held"}, "ϟ": {"F", "touched by a rule"},
	"■": {"#", "owns"}, "▣": {"+", "shares"},
	"µ": {"u", "micro"}, "“": {"\"", "quote"}, "”": {"\"", "quote"}, "’": {"'", "quote"}, "┊": {":", "rule"},
}

// A Charset is what a terminal is to be sent.
type Charset int

const (
	AllGlyphs Charset = iota
	SafeWidth         // twins for the glyphs, which some terminals draw two cells wide; text is sent as it is
	ASCIIOnly         // twins for the glyphs, and question marks for text that has none
)

// shown is what is sent for a character beyond ASCII that is at a column of the screen, counted from 0. As wide as its cells are, some
// terminals may draw one of ambiguous width wider; then they are told where the next one belongs.
func (c Charset) shown(s string, x int) string {
	g, ok := Glyphs[s]
	switch {
	case ok:
		return g.Twin
	case c == ASCIIOnly:
		return strings.Repeat("?", cells.Width(s))
	case cells.Ambiguous(s):
		return s + ansi.CursorHorizontalAbsolute(x+1+cells.Width(s))
	}
	return s
}
