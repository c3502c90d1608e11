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

// folded folds managedFields, and of a long body each block of lines deeper than three levels, into one line with their
// number; keep is the index of a line that stays, and the second result is where it is then, -1 for none. While a text is
// searched for, nothing is folded. A body without indentation, such as hex, stays as it is.
func (in *Inspector) folded(ls []term.Line, w, keep int) ([]term.Line, int) {
	if in.made.whole || in.Format == body.Hex || in.Format == body.Wire {
		return ls, keep
	}
	var out []term.Line
	at := -1
	for i := 0; i < len(ls); i++ {
		if n := in.block(ls, i); n > 0 && (keep < i || keep >= i+n) {
			out = append(out, foldedBlock(n, depth(ls[i]), w))
			i += n - 1
			continue
		}
		if i == keep {
			at = len(out)
		}
		out = append(out, ls[i])
	}
	return out, at
}

// block is how many lines the block has that begins at a line, and can be folded; 0 if none begins there.
func (in *Inspector) block(ls []term.Line, i int) int {
	n := 0
	if i > 0 && isManaged(ls[i-1]) {
		outer := depth(ls[i-1])
		for i+n < len(ls) && (depth(ls[i+n]) > outer || strings.HasPrefix(ls[i+n].String()[outer:], "- ")) {
			n++
		}
		return n
	}
	limit := 2 * deepest
	if in.Format == body.YAML {
		limit -= 2 // without the outer brace
	}
	if len(ls) < longBody || i > 0 && depth(ls[i-1]) > limit {
		return 0
	}
	for i+n < len(ls) && depth(ls[i+n]) > limit {
		n++
	}
	return n
}

// isManaged reports whether a line begins an object's managedFields.
func isManaged(l term.Line) bool {
	key := strings.Trim(strings.TrimLeft(l.String(), " "), `"`)
	return strings.HasPrefix(key, "managedFields") && strings.HasSuffix(strings.TrimRight(key, " [{"), ":")
}

// foldedBlock is shown in the place of so many lines.
func foldedBlock(n, indent, w int) term.Line {
	return term.FitLine(term.Line{term.Plain.Of(strings.Repeat(" ", indent)),
		term.Dim.Of(fmt.Sprintf("⋮ %s  ", term.Plural(n, "line"))), term.Key.Of("o"), term.Dim.Of(" opens")}, w)
}

// depth is the indentation of a line: two blanks a level.
func depth(l term.Line) int {
	s := l.String()
	return len(s) - len(strings.TrimLeft(s, " "))
}

// ToggleFold shows long bodies and effects whole, or folds them.
func (in *Inspector) ToggleFold() {
	in.whole = !in.whole
	in.Top = 0
	if in.Tab == tabEffects {
		in.env.Say("managedFields, times and generation are %s", term.Pick(in.whole, "shown", "left out"))
		return
	}
	in.env.Say("%s", term.Pick(in.whole, "headers, sizes and bodies are shown whole", "headers, managedFields and long bodies are folded"))
}
