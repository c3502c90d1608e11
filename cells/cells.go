// Package cells measures text in the cells of a terminal, and breaks it into lines.
//
// A character is what is seen as one: a letter with its accents, an ideograph, an emoji. It takes one cell or two.
// Terminals do not agree on characters that are made of several: some show a family of emoji in two cells, others each
// of its members. So a text is shown, and measured, as all of them show it; see Next. Characters whose width is
// ambiguous take one cell, as in all terminals except those that are set otherwise.
//
// The package imports nothing of Kubarium.
package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Next cuts the first character from s, which is not empty: its text as it may be shown, its width in cells, which is 1 or 2, and
// its length in s. Control characters and what is no UTF-8 are shown as dots, a tab as a blank: text from the wire never reaches a
// terminal as a command.
//
// Of an emoji that terminals show in different widths, the first part is shown alone. A character with further letters
// after its first one, such as a syllable of an Indic script, counts as several characters, which terminals may draw as
// one.
func Next(s string) (text string, width, n int) {
	b := s[0]
	switch {
	case b >= 0x20 && b < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return s[:1], 1, 1
	case b == '\t':
		return " ", 1, 1
	case b < 0x20 || b == 0x7f:
		return "·", 1, 1
	}
	first, size := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError && size == 1 {
		return "·", 1, 1
	}
	cluster := valid(graphemes.FromString(s).First())
	width = displaywidth.String(cluster)
	switch {
	case width <= 0: // a C1 control, a mark or a joiner without anything to join
		return "·", 1, len(cluster)
	case len(cluster) == size || runes(cluster) == width:
		return cluster, min(width, 2), len(cluster)
	}
	return part(cluster, first, size)
}

// valid is s up to what is no UTF-8.
func valid(s string) string {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			return s[:i]
		}
	}
	return s
}

// runes is the width of a cluster in a terminal that goes by runes.
func runes(cluster string) int {
	n := 0
	for _, r := range cluster {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is the width of a rune by itself. The vowels and the final consonants of Korean go with the consonant before them.
func runeWidth(r rune) int {
	if r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff {
		return 0
	}
	return displaywidth.Rune(r)
}

// The joiner of emoji, and what makes an emoji of a character.
const (
	joiner   = '\u200d'
	asEmoji  = '\ufe0f'
	enclosed = '\u20e3'
)

// part is the first part of a cluster that terminals show in different widths: its first rune, with its accents.
func part(cluster string, first rune, size int) (text string, width, n int) {
	text, n = cluster[:size], size
	for n < len(cluster) {
		r, size := utf8.DecodeRuneInString(cluster[n:])
		if runeWidth(r) > 0 {
			break
		}
		if r != joiner && r != asEmoji && r != enclosed {
			text += cluster[n : n+size]
		}
		n += size
	}
	if !strings.ContainsFunc(cluster[n:], unicode.IsLetter) {
		n = len(cluster)
	}
	return text, min(max(1, runeWidth(first)), 2), n
}

// Width is the number of cells that s takes.
func Width(s string) int {
	n := 0
	for s != "" {
		_, w, size := Next(s)
		n += w
		s = s[size:]
	}
	return n
}

// cut is the length of the part of s that fits in w cells, and how many of them it takes.
func cut(s string, w int) (n, taken int) {
	for n < len(s) {
		_, width, size := Next(s[n:])
		if taken+width > w {
			break
		}
		n, taken = n+size, taken+width
	}
	return n, taken
}

// Ambiguous reports whether a character may be wider in terminals that are set to show those of ambiguous width in two
// cells.
func Ambiguous(character string) bool {
	return displaywidth.Options{EastAsianWidth: true}.String(character) > displaywidth.String(character)
}

// Cut is the length of the part of s that fits in w cells.
func Cut(s string, w int) int {
	n, _ := cut(s, w)
	return n
}

// Fit cuts s to w cells, with an ellipsis if it was longer.
func Fit(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case len(s) <= w && !strings.Contains(s, "\t") || Width(s) <= w:
		return s
	}
	return s[:Cut(s, w-1)] + "…"
}

// FitLeft is Fit for a text whose end says most: it cuts the beginning.
func FitLeft(s string, w int) string {
	if w <= 0 {
		return ""
	}
	over := Width(s) - w
	if over <= 0 {
		return s
	}
	for over++; over > 0; { // one more for the ellipsis
		_, width, n := Next(s)
		over -= width
		s = s[n:]
	}
	return "…" + s
}
