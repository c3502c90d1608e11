package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kubarium/cells"
)

// Glyphs lists every non-ASCII character that the screens draw, with its ASCII twin for --ascii and a word for its
// meaning. Text from requests is not in it; --ascii shows it as question marks.
var Glyphs = map[string]struct{ Twin, Word string }{
	"─": {"-", "rule"}, "│": {"|", "rule"}, "┬": {"+", "rule"}, "┴": {"+", "rule"}, "├": {"[", "start of a watch"},
	"┤": {"]", "rule"}, "┌": {"+", "corner"}, "┐": {"+", "corner"}, "└": {"+", "corner"}, "┘": {"+", "corner"},
	"▁": {".", "few"}, "▂": {".", "few"}, "▃": {":", "some"}, "▄": {":", "some"}, "▅": {"=", "many"},
	"▆": {"=", "many"},
	"▇": {"#", "most"}, "█": {"#", "most"}, "▏": {"|", "head"}, "▌": {"#", "half"}, "▍": {"=", "part"},
	"░": {".", "remaining"},
	"▒": {"%", "compacted"}, "┃": {"|", "head"}, "┄": {".", "behind"}, "━": {"=", "done"},
	"◇": {"o", "bookmark"}, "◆": {"*", "frame"}, "▶": {">", "last written"}, "▸": {">", "selected"}, "◀": {"<", "here"},
	"◉": {"@", "open watch"}, "○": {"o", "ended"}, "●": {"*", "current"}, "◌": {"~", "terminating"},
	"✓": {"v", "done"}, "✗": {"x", "failed"}, "⋮": {":", "more"}, "…": {"~", "cut"}, "·": {".", "nothing"},
	"▲": {"^", "above"}, "▼": {"v", "newer below"}, "↻": {"&", "retry of"}, "→": {">", "becomes"}, "←": {"<", "from"},
	"≠": {"#", "not equal"}, "≈": {"~", "about"}, "×": {"x", "times"}, "–": {"-", "none"}, "—": {"-", "none"},
	"↑": {"^", "up"}, "↓": {"v", "down"}, "⏎": {"$", "enter"}, "•": {"*", "hidden"}, "≤": {"<", "at most"},
	"≥": {">", "at least"},
	"⏸": {"H", "held"}, "ϟ": {"F", "touched by a rule"},
	"‹": {"<", "began earlier"}, "■": {"#", "owns"}, "▣": {"+", "shares"},
	"µ": {"u", "micro"}, "“": {"\"", "quote"}, "”": {"\"", "quote"}, "’": {"'", "quote"}, "┊": {":", "rule"},
}

// A Charset is the set of characters that a terminal can show.
type Charset int

// The character sets.
const (
	AllGlyphs Charset = iota
	SafeWidth         // twins for glyphs, which some terminals draw two cells wide; text as it is
	ASCIIOnly         // twins for glyphs, and question marks for other non-ASCII text
)

// shown returns what to send for a non-ASCII character at column x, counted from 0. Some terminals draw characters of
// ambiguous width wider; after them the cursor is positioned explicitly.
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
