package page

import (
	"fmt"

	"kubarium/tui/term"
)

// Word asks plain mode for the page.
func (l *List[T, K]) Word() string { return l.spec.Word }

// Sentences are about the rows, each with the number by which About finds it.
func (l *List[T, K]) Sentences() []string {
	l.update()
	var out []string
	for i, t := range l.Rows {
		if s := l.spec.Sentence(t); s != "" {
			n := l.number(i)
			out = append(out, fmt.Sprintf("%d. %s %s %d shows more.", n, s, l.spec.Word, n))
		}
	}
	if l.last() {
		n := term.Plural(l.all(), l.spec.Row)
		out = append([]string{"Of the last " + n + "; older ones are no longer kept:"}, out...)
	}
	return out
}

func (l *List[T, K]) update() {
	if l.spec.Update != nil {
		l.spec.Update()
	}
}

// number is that of the i-th row.
func (l *List[T, K]) number(i int) uint64 {
	if l.spec.Number == nil {
		return uint64(i + 1)
	}
	return l.spec.Number(l.Rows[i])
}

// About is the sheet about the row of a number, nil if there is none.
func (l *List[T, K]) About(number uint64) []SheetLine {
	l.update()
	for i, t := range l.Rows {
		if l.number(i) == number {
			return l.lines(t, PlainWidth)
		}
	}
	return nil
}

// Nothing is said where there is no row.
func (l *List[T, K]) Nothing() string { return l.spec.Nothing() }
