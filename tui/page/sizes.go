package page

// The sizes at which the layout changes, in cells.
const (
	MinWidth, MinHeight     = 40, 10  // below this only one line is shown
	StripWidth, StripHeight = 56, 14  // below this the axis at the bottom is hidden
	SlimWidth, SlimHeight   = 80, 24  // below this the strip of a lesson is hidden and columns drop
	WideWidth, TallHeight   = 120, 30 // from here on two panes are side by side
	HugeWidth               = 160     // from here on three
)
