package term

// A ColumnWidth is a column with its width; the namespace is at -1.
type ColumnWidth struct {
	Heading string
	At      int
	Width   int
}

// Shrink takes a cell from the widest column, and reports whether there was one that could spare it.
func Shrink(cs []ColumnWidth) bool {
	widest := 0
	for i := range cs {
		if cs[i].Width > cs[widest].Width {
			widest = i
		}
	}
	if len(cs) == 0 || cs[widest].Width <= 12 {
		return false
	}
	cs[widest].Width--
	return true
}
