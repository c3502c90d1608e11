package tui

// A shownColumn is a column with its width; the namespace is at -1.
type shownColumn struct {
	heading string
	at      int
	width   int
}

// shrink takes a cell from the widest column, and reports whether there was one that could spare it.
func shrink(cs []shownColumn) bool {
	widest := 0
	for i := range cs {
		if cs[i].width > cs[widest].width {
			widest = i
		}
	}
	if len(cs) == 0 || cs[widest].width <= 12 {
		return false
	}
	cs[widest].width--
	return true
}
