package term

// A Column collects lines of a given width.
type Column struct {
	W     int
	Lines []Line
}

// Add adds a line of spans.
func (p *Column) Add(l ...Span) { p.Lines = append(p.Lines, Line(l)) }

// Blank adds an empty line.
func (p *Column) Blank() { p.Lines = append(p.Lines, nil) }

// Title adds a heading.
func (p *Column) Title(s string) { p.Add(Span{Bold, s}) }

// More adds lines that already fit.
func (p *Column) More(ls ...Line) { p.Lines = append(p.Lines, ls...) }

// Say adds text and wraps it.
func (p *Column) Say(st Style, s string) { p.More(WrapLines(st, s, p.W)...) }

// Field adds "name  value", with the value wrapped next to the name.
func (p *Column) Field(name string, width int, st Style, value string) {
	parts := Wrap(value, max(8, p.W-width-1))
	for i, v := range parts {
		if i > 0 {
			name = ""
		}
		p.Add(Span{Name, Pad(name, width) + " "}, Span{st, v})
	}
}
