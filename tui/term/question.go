package term

// A Question shows lines, which may scroll, and asks for one of a few keys.
type Question struct {
	Title  string
	Lines  func(w int) []Line
	Items  []Item
	Esc    string // what esc does; "" means close
	Closed func() // called at esc; nil for nothing

	scrolled
	items Rect // where the items were drawn last
}

// Key runs the item of a key, or scrolls.
func (q *Question) Key(h Host, k string) {
	switch {
	case choose(h, q.Items, k):
	case k == "esc" || k == "q":
		h.CloseOver()
		if q.Closed != nil {
			q.Closed()
		}
	default:
		MoveBy(q, k)
	}
}

// Click runs the item at a place.
func (q *Question) Click(h Host, x, y int) { clickItem(h, q, q.Items, q.items, x, y) }

// Draw draws the lines that fit, and below them the items.
func (q *Question) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-2, 116)
	q.view.Lines = q.Lines(w - 4)
	items := c.itemLines(q.Items, Pick(q.Esc == "", "close", q.Esc))
	shown := q.view.visible(screen.H - 3 - len(items))
	title := c.Words.T(q.Title)
	if len(shown) < len(q.view.Lines) {
		title += c.Words.T("  (j k scroll)")
	}
	lines := append(append([]Line{}, shown...), nil)
	r := Box(c, screen, title, append(lines, items...), w)
	q.items = Rect{r.X, r.Y + 1 + len(lines), r.W, len(items)}
}
