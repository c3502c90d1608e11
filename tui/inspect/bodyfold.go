package inspect

import (
	"fmt"
	"strings"

	"kubarium/tui/body"
	"kubarium/tui/term"
)

const (
	longBody = 60 // lines from which on a body is folded
	deepest  = 3  // levels of a long body that are shown
)

// folded folds a long body: each block of lines deeper than three levels becomes one line with their number. While a
// text is searched for, nothing is folded. A body without indentation, such as hex, stays as it is.
func (in *Inspector) folded(ls []term.Line, w int) []term.Line {
	if in.made.whole || in.Format == body.Hex || in.Format == body.Wire || len(ls) < longBody {
		return ls
	}
	limit := 2 * deepest
	if in.Format == body.YAML {
		limit -= 2 // without the outer brace
	}
	var out []term.Line
	run := 0
	flush := func() {
		if run > 0 {
			out = append(out, term.FitLine(term.Line{term.Plain.Of(strings.Repeat(" ", limit+2)),
				term.Dim.Of(fmt.Sprintf("⋮ %s  ", term.Plural(run, "line"))), term.Key.Of("o"),
				term.Dim.Of(" opens")}, w))
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

// depth is the indentation of a line: two blanks a level.
func depth(l term.Line) int {
	s := l.String()
	return len(s) - len(strings.TrimLeft(s, " "))
}

// ToggleFold shows long bodies whole, or folds them.
func (in *Inspector) ToggleFold() {
	in.whole = !in.whole
	in.Top = 0
	in.env.Say("%s", term.Pick(in.whole, "long bodies are shown whole", "long bodies are folded below three levels"))
}
