package term

import (
	"cmp"
	"slices"
	"strings"
)

// How well a command matches the typed words, best first.
const (
	exact   = iota // its name or its key
	begins         // its name begins with them
	named          // its name has all the words
	helped         // its help has them
	spelled        // it has the letters in their order
	no
)

// rank returns how well a command matches words in lower case; a name matches with its colon and without.
func (c *Command) rank(want string) int {
	want = strings.TrimSpace(want)
	keys := strings.ToLower(c.Keys)
	name := strings.TrimPrefix(keys, ":")
	bare := strings.TrimPrefix(want, ":")
	switch {
	case want == "":
		return exact
	case c.words(want) != "":
		return exact
	case name == bare || slices.Contains(strings.Fields(c.Keys), want):
		return exact
	case strings.HasPrefix(keys, ":") && strings.HasPrefix(name, bare):
		return begins
	case hasAll(keys, want):
		return named
	case hasAll(keys+" "+strings.ToLower(c.Help), want):
		return helped
	case isSpelled(keys+" "+strings.ToLower(c.Help), want):
		return spelled
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
	want := strings.ToLower(typed)
	out := slices.DeleteFunc(slices.Clone(all), func(c Command) bool { return c.rank(want) == no })
	slices.SortStableFunc(out, func(a, b Command) int { return cmp.Compare(a.rank(want), b.rank(want)) })
	return out
}

func hasAll(s, words string) bool {
	return !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !strings.Contains(s, w) })
}

// isSpelled reports whether s has all letters of want in their order.
func isSpelled(s, want string) bool {
	letters := []rune(strings.Join(strings.Fields(want), ""))
	for _, r := range s {
		if len(letters) > 0 && r == letters[0] {
			letters = letters[1:]
		}
	}
	return len(letters) == 0
}
