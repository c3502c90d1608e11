package filter

import (
	"slices"
	"strings"
	"unicode"
)

// Complete returns how the text left of the cursor could go on, best first. Each result replaces all text left of the
// cursor, which counts characters. Field names are completed with their colon; values come from the field's own list
// and from seen, which returns the values of a field that occur (nil: none).
func Complete(text string, cursor int, seen func(field string) []string) []string {
	left := []rune(text)
	left = left[:min(max(cursor, 0), len(left))]
	start := wordStart(left)
	before, word := string(left[:start]), string(left[start:])
	cut := strings.IndexAny(word, ":~<>")
	if cut < 0 {
		return completeField(before, strings.ToLower(word))
	}
	f := byName[strings.ToLower(word[:cut])]
	if f == nil || word[cut] == '~' {
		return nil
	}
	values := f.offers()
	if seen != nil {
		values = append(values, seen(f.name)...)
	}
	from := cut + 1 + strings.LastIndexByte(word[cut+1:], ',') + 1
	from += len(word[from:]) - len(strings.TrimLeft(word[from:], "<>=\""))
	return completeValue(before+strings.TrimRight(word[:from], "\""), word[from:], values)
}

// wordStart returns where the last word of text begins.
func wordStart(text []rune) int {
	inQuotes := false
	start := 0
	for i, r := range text {
		if r == '"' {
			inQuotes = !inQuotes
		}
		if !inQuotes && (unicode.IsSpace(r) || strings.ContainsRune("|()!", r)) {
			start = i + 1
		}
	}
	return start
}

func (f *field) offers() []string {
	return append(slices.Clone(f.only), f.values...)
}

func completeField(before, prefix string) []string {
	var out []string
	for _, f := range fields {
		if strings.HasPrefix(f.name, prefix) {
			out = append(out, before+f.name+":")
		}
	}
	return out
}

func completeValue(before, prefix string, values []string) []string {
	var out []string
	for _, s := range values {
		if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
			continue
		}
		var b strings.Builder
		b.WriteString(before)
		v := value{text: s, glob: s == "*"}
		v.print(&b)
		if !slices.Contains(out, b.String()) {
			out = append(out, b.String())
		}
	}
	return out
}
