package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert is text that no terminal takes as a command: a blank in place of each control character, C1 and DEL among them, for each control of
// writing direction and for the separators of lines and paragraphs; U+FFFD for what is not UTF-8. Line feeds and tabs stay.
func Inert(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && commands(r) {
			return ' '
		}
		return r // U+FFFD for a byte that is not UTF-8
	}, s)
}

// plain reports whether all of s is printable ASCII, line feeds and tabs.
func plain(s string) bool {
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf || b == 0x7f || b < ' ' && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// commands reports whether terminals may take a character as a command.
func commands(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
