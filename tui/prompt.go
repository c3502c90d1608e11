package tui

// A prompt asks for a line of text.
type prompt struct {
	title string
	text  []string // what is said above it
	edit  lineEdit
	done  func(text string)
}

func (p *prompt) key(h host, k string) {
	switch k {
	case "esc":
		h.closeOver()
	case "enter":
		h.closeOver()
		p.done(p.edit.text)
	default:
		p.edit.key(k)
	}
}

func (p *prompt) draw(c *canvas, screen rect) {
	var lines []line
	for _, s := range p.text {
		lines = append(lines, text(sPlain, s))
	}
	w := min(screen.w, 72)
	at := len(lines)
	lines = append(lines, line{{sKey, "> "}}, line{{sKey, "enter "}, {sDim, "do it  "}, {sKey, "esc "}, {sDim, "close"}})
	box(c, screen, p.title, lines, w)
	h := min(len(lines)+2, screen.h)
	inside := rect{screen.x + (screen.w-w)/2 + 2, screen.y + (screen.h-h)/2, w - 4, h}
	p.edit.draw(c, inside, 2, at+1)
}
