package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A figure is a line of the table, and a diagram.
type figure struct {
	title string
	unit  string
	goal  string // in words; "" for none
	lines []line
}

// A line is one curve of a diagram.
type line struct {
	name   string // "" for the only one
	limit  float64
	points []point
}

// A point is a value for a number of what the table is over.
type point struct {
	n     int
	value float64
}

// A table is all figures in the order in which they were first noted, over the number of something.
type table struct {
	over    string
	sizes   []int
	figures []*figure
}

// A column notes the figures of one number of objects.
type column struct {
	*table
	n int
}

func (t *table) column(n int) column {
	t.sizes = append(t.sizes, n)
	return column{t, n}
}

// note adds a value to a line of a figure. limit is the value that the line is to stay below; 0 for none.
func (c column) note(f figure, name string, limit, value float64) {
	have := c.figure(f)
	for i := range have.lines {
		if l := &have.lines[i]; l.name == name {
			l.points = append(l.points, point{c.n, value})
			fmt.Printf("%9d  %s, %s: %s %s\n", c.n, f.title, name, number(value), f.unit)
			return
		}
	}
	have.lines = append(have.lines, line{name: name, limit: limit})
	c.note(f, name, limit, value)
}

func (t *table) figure(f figure) *figure {
	for _, have := range t.figures {
		if have.title == f.title {
			return have
		}
	}
	t.figures = append(t.figures, &f)
	return &f
}

// write writes the table and the diagrams into a folder.
func (t *table) write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, f := range t.figures {
		if err := os.WriteFile(filepath.Join(folder, f.file()), f.draw(t.over, t.sizes), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "table.md"), []byte(t.markdown()), 0o644)
}

// file is the name of the diagram: the title's words.
func (f *figure) file() string {
	word := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }
	return strings.Join(strings.FieldsFunc(strings.ToLower(f.title), word), "-") + ".svg"
}

// markdown is the table, followed by the diagrams.
func (t *table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", t.over)
	for _, n := range t.sizes {
		fmt.Fprintf(&b, " %s |", thousands(n))
	}
	b.WriteString(" goal |\n|---|" + strings.Repeat("---:|", len(t.sizes)) + "---|\n")
	for _, f := range t.figures {
		for _, l := range f.lines {
			fmt.Fprintf(&b, "| %s |", strings.TrimSuffix(f.title+", "+l.name, ", ")+" ("+f.unit+")")
			for _, n := range t.sizes {
				fmt.Fprintf(&b, " %s |", l.at(n))
			}
			fmt.Fprintf(&b, " %s |\n", f.goal)
		}
	}
	b.WriteByte('\n')
	for _, f := range t.figures {
		fmt.Fprintf(&b, "![%s](%s)\n", f.title, f.file())
	}
	return b.String()
}

// at is the value for a number of objects, "" if there is none.
func (l line) at(n int) string {
	for _, p := range l.points {
		if p.n == n {
			return number(p.value)
		}
	}
	return ""
}

// number is a value in three digits, or more before the point.
func number(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// thousands is a number as people write it.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
