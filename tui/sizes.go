package tui

// The sizes at which the layout changes, in cells.
const (
	minWidth, minHeight   = 40, 10  // below this only one line is shown
	slimWidth, slimHeight = 80, 24  // below this strips are hidden and columns drop
	wideWidth, tallHeight = 120, 30 // from here on two panes stand beside each other
	hugeWidth             = 160     // from here on three
)
