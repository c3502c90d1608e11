package term

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

// asciiTwin is the ASCII character for a grapheme.
func asciiTwin(s string) string {
	if g, ok := Glyphs[s]; ok {
		return g.Twin
	}
	return "?"
}
