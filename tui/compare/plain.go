package compare

import (
	"kubarium/analysis/compare"
	"kubarium/tui/story"
)

// Sentences says where the runs part, and lists the rows that differ by more than timing, by their numbers.
func (x *Page) Sentences() []string {
	said := x.List.Sentences()
	if len(x.all()) == 0 {
		return nil
	}
	return append([]string{x.parted()}, said...)
}

// sentence is about a row that differs by more than timing.
func sentence(r *compare.Row) string {
	if !r.Hard() {
		return ""
	}
	return word(r) + ": " + line(r) + "."
}

func line(r *compare.Row) string {
	switch {
	case r.Left == nil:
		return story.Line(r.Right)
	case r.Differs == "":
		return story.Line(r.Left)
	}
	return story.Line(r.Left) + "; " + r.Differs
}
