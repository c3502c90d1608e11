package expr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Short shows a value to a reader: of a list, only how long it is.
func Short(v any) string {
	if list, ok := v.([]any); ok {
		return fmt.Sprintf("a list of %d", len(list))
	}
	return Text(v)
}

// Printable replaces what is not text, as in a Protobuf answer, by dots. A terminal would take it for a command.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError {
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
