package tui

// An inspectorPage collects lines of a width.
type inspectorPage struct {
	w     int
	lines []line
}

func (p *inspectorPage) add(l ...span) { p.lines = append(p.lines, line(l)) }

func (p *inspectorPage) blank() { p.lines = append(p.lines, nil) }

func (p *inspectorPage) title(s string) { p.add(span{sBold, s}) }

func (p *inspectorPage) more(ls ...line) { p.lines = append(p.lines, ls...) }

func (p *inspectorPage) say(st style, s string) { p.more(wrapLines(st, s, p.w)...) }

// field adds "name  value", the value wrapped beside the name.
func (p *inspectorPage) field(name string, width int, st style, value string) {
	parts := wrap(value, max(8, p.w-width-1))
	for i, v := range parts {
		if i > 0 {
			name = ""
		}
		p.add(span{sName, pad(name, width) + " "}, span{st, v})
	}
}
