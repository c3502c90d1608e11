package term

// A Prompt asks for a line of text.
type Prompt struct {
	Title string
	Text  []string // shown above the line
	Edit  LineEdit
	Done  func(text string)
}

// Key edits the line, and at enter calls Done.
func (p *Prompt) Key(h Host, k string) {
	switch k {
	case "esc":
		h.CloseOver()
	case "enter":
		h.CloseOver()
		p.Done(p.Edit.Text)
	default:
		p.Edit.Key(k)
	}
}

// Draw draws the text and the line in a box.
func (p *Prompt) Draw(c *Canvas, screen Rect) {
	var lines []Line
	w := min(screen.W, 72)
	for _, s := range p.Text {
		lines = append(lines, WrapLines(Plain, c.Words.T(s), w-4)...)
	}
	at := len(lines)
	lines = append(lines, Line{{Key, "> "}}, Line{{Key, "enter "}, {Dim, c.Words.T("do it  ")}, {Key, "esc "}, {Dim, c.Words.T("close")}})
	Box(c, screen, c.Words.T(p.Title), lines, w)
	h := min(len(lines)+2, screen.H)
	inside := Rect{screen.X + (screen.W-w)/2 + 2, screen.Y + (screen.H-h)/2, w - 4, h}
	p.Edit.Draw(c, inside, 2, at+1)
}
