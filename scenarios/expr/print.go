package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// halfSpace parts two letters of one word that would join; Persian is not written without it.
const halfSpace = '\u200c'

// Printable replaces what is not text, as in a Protobuf answer, by dots. A terminal would take it for a command.
func Printable(s string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		joins := unicode.Is(unicode.Arabic, before)
		before = r
		if r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError || r == halfSpace && joins {
			return r
		}
		return '·'
	}, s)
}

// Shortened cuts a text after 400 characters.
func Shortened(s string) string {
	const most = 400
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + " …"
}
