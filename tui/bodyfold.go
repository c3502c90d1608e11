package tui

import (
	"fmt"
	"strings"
)

const (
	longBody = 60 // lines from which on a body is folded
	deepest  = 3  // how many levels of a long body are shown
)

// folded is a body of which, if it is long, the lines deeper than three levels are taken together: each block of them
// is one line that counts them. A text that is searched for is looked for in all of them. What is not indented, such as hex, stays as it is.
func (in *inspector) folded(ls []line, w int) []line {
	if in.made.whole || in.format == asHex || in.format == asWire || len(ls) < longBody {
		return ls
	}
	limit := 2 * deepest
	if in.format == asYAML {
		limit -= 2 // without the outer brace
	}
	var out []line
	run := 0
	flush := func() {
		if run > 0 {
			out = append(out, fitLine(line{{sPlain, strings.Repeat(" ", limit+2)}, {sDim, fmt.Sprintf("⋮ %s  ", plural(run, "line"))}, {sKey, "o"}, {sDim, " opens"}}, w))
		}
		run = 0
	}
	for _, l := range ls {
		if depth(l) > limit {
			run++
			continue
		}
		flush()
		out = append(out, l)
	}
	flush()
	return out
}

// depth is by how many blanks a line is indented, two a level.
func depth(l line) int {
	s := l.String()
	return len(s) - len(strings.TrimLeft(s, " "))
}

// toggleFold shows long bodies whole, or folds them. What was at the top of the tab need not be there afterwards.
func (in *inspector) toggleFold() {
	in.whole = !in.whole
	in.top = 0
	in.u.say("%s", pick(in.whole, "long bodies are shown whole", "long bodies are folded where they lie deeper than three levels"))
}
