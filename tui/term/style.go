package term

// A Style is the role of some text on the screen, not its colour; a theme gives it one. Bits beside the role say what
// state it is in.
type Style uint8

const (
	Plain  Style = iota
	Dim          // what can be overlooked
	Bold         // what is looked for
	Border       // rules between panes
	Head         // headings of columns
	Accent       // what can be acted on: names of screens, tags of clients
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

const (
	Selected Style = 0x40 // the row of the cursor in the pane that has the keys
	Shadowed Style = 0x80 // the row of the cursor in another pane
	roleMask Style = 0x3f
)
