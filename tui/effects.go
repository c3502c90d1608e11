package tui

// Effects that only the root asks for.
type (
	quitEffect       struct{ how Quit }
	mouseEffect      struct{ on bool }
	backgroundEffect struct{} // ask the terminal for its background
)
