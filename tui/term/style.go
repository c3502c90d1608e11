package term

// A Style is the role of some text on the screen; a theme gives it a colour. Further bits are the state.
type Style uint16

// The roles.
const (
	Plain  Style = iota
	Dim          // unimportant
	Bold         // important
	Border       // rules between panes
	Head         // headings of columns
	Accent       // names of screens, tags of clients and the like, which keys act on
	Key          // a key to press
	Open         // something alive: an open watch
	Warn         // refused, slow, dropped
	Err          // failed
	Add          // added
	Del          // removed
	Name         // names of fields and headers
	Str          // strings
	Num          // numbers
	Write        // verbs that change something
	Mode         // a mode that is not the normal one
	Tab          // the chosen tab
	Marked       // a marked record
	roles
)

// The states.
const (
	Same     Style = 0x20  // the same value as the one that is pointed at
	Selected Style = 0x40  // the row of the cursor in the pane with the focus
	Shadowed Style = 0x80  // the row of the cursor in another pane
	Version  Style = 0x100 // a resourceVersion, which looks like any other text
	roleMask Style = 0x1f
)
