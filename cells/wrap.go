package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most w cells: at blanks, after hyphens, and between characters of Chinese and
// Japanese, which have no blanks. There, no line begins with closing punctuation, such as a full stop, or ends with an
// opening bracket. A word that is longer than a line is broken anywhere, but no character is split: one that is wider
// than w has a line to itself. Line breaks of the text stay.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var out []string
	for _, paragraph := range strings.Split(s, "\n") {
		out = append(out, wrap(paragraph, w)...)
	}
	return out
}

// wrap breaks a text without line breaks.
func wrap(s string, w int) []string {
	var out []string
	line, used := "", 0
	for s != "" {
		blanks := leadingBlanks(s)
		n := blanks + wordEnd(s[blanks:])
		word := s[blanks:n]
		gap, width := Width(s[:blanks]), Width(word)
		switch {
		case word == "": // the blanks at the end
			if used+gap <= w {
				line += s
			}
		case used+gap+width <= w:
			line, used = line+s[:n], used+gap+width
		default:
			if used > 0 {
				out = append(out, line)
			}
			line, used = word, width
			for used > w {
				head, taken := cut(line, w)
				if head == 0 {
					_, taken, head = Next(line)
				}
				if head == len(line) {
					break
				}
				out = append(out, line[:head])
				line, used = line[head:], used-taken
			}
		}
		s = s[n:]
	}
	return append(out, line)
}

// leadingBlanks is the length of the blanks with which s begins. A blank that does not break is a character as any other.
func leadingBlanks(s string) int {
	for i, r := range s {
		if !unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f' {
			return i
		}
	}
	return len(s)
}

// wordEnd is the length of what must stay together at the beginning of s, which does not begin with a blank.
func wordEnd(s string) int {
	if s == "" {
		return 0
	}
	before, n := rune(0), 0
	for n < len(s) {
		if leadingBlanks(s[n:]) > 0 {
			return n
		}
		_, _, size := Next(s[n:])
		here, _ := utf8.DecodeRuneInString(s[n:])
		if n > 0 && mayBreak(s[:n], before, here) {
			return n
		}
		before, _ = utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return n
}

// mayBreak reports whether a line may end between two characters without a blank, the first of which is the last of so far.
func mayBreak(so string, before, here rune) bool {
	if strings.ContainsRune(closing, here) || strings.ContainsRune(opening, before) {
		return false
	}
	if before == '-' { // as in "read-only", but not in "--flag" or "-1"
		word, _ := utf8.DecodeLastRuneInString(so[:len(so)-1])
		return isWord(word) && isWord(here)
	}
	return Ideographic(before) || Ideographic(here)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Ideographic reports whether a character is of a script that has no blanks between its words: Chinese characters, kana, and the
// punctuation that goes with them. Korean has blanks.
func Ideographic(r rune) bool {
	switch {
	case r < 0x2e80:
		return false
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo):
		return true
	}
	return r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef && !unicode.Is(unicode.Hangul, r) || r >= 0x1f000 && r <= 0x1faff
}

// What a line does not begin with, and what it does not end with: kinsoku in JIS X 4051, and the same in GB/T 15834.
const (
	closing = "。，、．：；！？）」』】〉》〕］｝〗〙〛”’…—～〜・ー゛゜ヽヾゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ％‰℃·)]},.:;!?%｡､｣･ｰ"
	opening = "（「『【〈《〔［｛〖〘〚“‘([{＄￥｢"
)
