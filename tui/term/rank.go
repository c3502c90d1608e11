package term

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// How well a command matches the typed words, best first. Enter runs what matches better than helped.
const (
	exact  = iota // its name or its key
	called        // its further name
	begins        // its name begins with them
	opens         // its further name begins with them
	helped        // each of them begins a word of its names or its help
	no
)

// rank returns how well a command matches typed words; a name matches with its colon and without.
func (c *Command) rank(typed string) int {
	typed = strings.TrimSpace(typed)
	want := strings.ToLower(strings.TrimPrefix(typed, ":"))
	name, colon := strings.CutPrefix(strings.ToLower(c.Keys), ":")
	also := strings.ToLower(c.Name)
	switch {
	case want == "", c.words(typed) != "", slices.Contains(strings.Fields(c.Keys), typed), colon && name == want:
		return exact
	case also == want:
		return called
	case colon && strings.HasPrefix(name, want):
		return begins
	case strings.HasPrefix(also, want):
		return opens
	case beginWords(name+" "+also+" "+strings.ToLower(c.Help), want), strings.Contains(strings.ToLower(c.told), want):
		return helped
	}
	return no
}

// words returns the words typed after the name of a command that takes arguments.
func (c *Command) words(typed string) string {
	if c.Takes == nil {
		return ""
	}
	typed = strings.TrimPrefix(strings.TrimSpace(typed), ":")
	name, words, _ := strings.Cut(typed, " ")
	if !strings.EqualFold(name, strings.TrimPrefix(c.Keys, ":")) {
		return ""
	}
	return strings.TrimSpace(words)
}

// ranked returns the matching commands, best first, otherwise in their order.
func ranked(all []Command, typed string) []Command {
	out := slices.DeleteFunc(slices.Clone(all), func(c Command) bool { return c.rank(typed) == no })
	slices.SortStableFunc(out, func(a, b Command) int { return cmp.Compare(a.rank(typed), b.rank(typed)) })
	return out
}

// beginWords reports whether each of the words is the beginning of a word of s.
func beginWords(s, words string) bool {
	inside := strings.FieldsFunc(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) })
	all := append(strings.Fields(s), inside...)
	return !slices.ContainsFunc(strings.Fields(words), func(w string) bool {
		return !slices.ContainsFunc(all, func(word string) bool { return strings.HasPrefix(word, w) })
	})
}
