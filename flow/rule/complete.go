package rule

import (
	"slices"
	"strings"

	"kubarium/flow/filter"
)

// Complete returns how the text of a rule left of the cursor could go on, best first. Each result replaces all text
// left of the cursor, which counts characters. After "on" it completes the filter with the fields that the rule can
// use; seen returns values of a field that occur (nil: none).
func Complete(text string, cursor int, seen func(field string) []string) []string {
	all := []rune(text)
	left := string(all[:min(max(cursor, 0), len(all))])
	if head, terms, ok := cutOn(left); ok {
		return completeFilter(head, strings.TrimLeft(terms, " "), seen)
	}
	begin := wordStart(left)
	words, err := split(left[:begin])
	if err != nil {
		return nil
	}
	prefix := strings.TrimPrefix(left[begin:], `"`)
	var out []string
	for _, w := range following(words) {
		if strings.HasPrefix(w, strings.ToLower(prefix)) {
			out = append(out, left[:begin]+quote(w)+" ")
		}
	}
	return out
}

// wordStart returns where the last word of a text begins.
func wordStart(text string) int {
	start, quoted := 0, false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case isSpace(text[i]) && !quoted:
			start = i + 1
		}
	}
	return start
}

// completeFilter completes the filter of a rule.
func completeFilter(head, terms string, seen func(field string) []string) []string {
	r, err := Parse(head)
	if err != nil {
		r = Rule{}
	}
	var out []string
	for _, whole := range filter.Complete(terms, len([]rune(terms)), seen) {
		last := whole[strings.LastIndexAny(whole, " |()!")+1:]
		if name, _, isField := strings.Cut(last, ":"); isField && !r.Knows(name) {
			continue
		}
		out = append(out, head+" on "+whole)
	}
	return out
}

// Knows reports whether the filter of a rule that acts at this rule's station can use a field.
func (r Rule) Knows(field string) bool {
	return slices.Contains(known, field) || r.Before == "encode" && slices.Contains(answered, field)
}

// following returns the words that can follow these, the last of which is complete.
func following(words []string) []string {
	if len(words) == 0 {
		return names(Actions)
	}
	action, last := Action(words[0]), words[len(words)-1]
	if len(words) == 1 {
		if need := needs[action]; need != nil {
			return need
		}
	}
	switch last {
	case "before":
		return Stations
	case "for":
		return []string{"10s", "30s", "1m"}
	case "rv", "name", "after", "times":
		return nil
	case "retry-after":
		return []string{"1s", "3s", "30s"}
	case "chance":
		return []string{"0.1", "0.5"}
	}
	taken := func(w string) bool {
		has := func(other string) bool { return slices.Contains(words, other) }
		return has(w) || w == "times" && has("once") || w == "once" && has("times") || w == "before" && action.fixed()
	}
	return append(options(action, words), slices.DeleteFunc(slices.Clone(append(modifierWords, "on")), taken)...)
}

// needs are examples of the value that some actions need.
var needs = map[Action][]string{
	Delay: {"200ms", "100ms-1s"}, Coalesce: {"500ms", "5s"}, Lag: {"5s", "rv"},
	Refuse: {"409", "410", "429", "500", "503", "504"},
}

// options returns the words that only this action may have.
func options(a Action, words []string) []string {
	switch n := len(words); {
	case a == Hold && n == 1, a == Lag && n == 3 && words[1] == "rv":
		return []string{"for"}
	case a == Refuse && n == 2:
		return []string{"retry-after"}
	case a == Cut && n == 1:
		return []string{"client"}
	}
	return nil
}

// fixed reports whether an action has only one possible station.
func (a Action) fixed() bool { return a == Lose || a == Coalesce || a == Lag }

// Example is a rule to try on any server: it holds each update of an object before the versions are compared.
const Example = `hold before "rv check" on verb:update`
