package term

// A Narrowing is the typing of words that narrow a list at once, for a page that embeds it.
type Narrowing struct {
	Apply func(words string) // narrows the list
	Step  func(n int)        // moves the cursor of the list

	edit   *LineEdit // nil unless words are being typed
	before string    // the words when typing began
}

// StartNarrow begins typing, with the present words.
func (n *Narrowing) StartNarrow(words string) {
	e := NewLineEdit(words)
	n.edit, n.before = &e, words
}

// Typing reports whether words are being typed.
func (n *Narrowing) Typing() bool { return n.edit != nil }

// Typed handles a key while words are typed.
func (n *Narrowing) Typed(k string) {
	switch k {
	case "enter":
		n.edit = nil
	case "esc", "ctrl+c":
		n.edit = nil
		n.Apply(n.before)
	case "up":
		n.Step(-1)
	case "down":
		n.Step(1)
	default:
		if n.edit.Key(k) {
			n.Apply(n.edit.Text)
		}
	}
}

// Pasted inserts pasted text into the words.
func (n *Narrowing) Pasted(s string) {
	n.edit.Insert(s)
	n.Apply(n.edit.Text)
}

// DrawWords draws the words in r, or that all of what is listed, with a note on the right.
func (n *Narrowing) DrawWords(c *Canvas, r Rect, words, what, note string) {
	box := Rect{X: r.X, Y: r.Y, W: r.W - Text(Plain, note).Width() - 2, H: 1}
	switch {
	case n.edit != nil:
		n.edit.Draw(c, box, c.Put(r, 1, 0, Key, "/ "), 0)
	case words != "":
		c.Put(r, 1, 0, Key, "/ ")
		c.Put(box, 3, 0, Bold, Fit(words, box.W-3))
	default:
		c.Put(r, 1, 0, Dim, "/ ")
		c.Put(box, 3, 0, Dim, Fit(c.Words.F("all %s; words narrow them", c.Words.T(what)), box.W-3))
	}
	c.Right(r, r.W-1, 0, Dim, note)
}
