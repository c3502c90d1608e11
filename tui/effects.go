package tui

// What the root alone asks for.
type (
	quitEffect       struct{ how Quit }
	mouseEffect      struct{ on bool }
	backgroundEffect struct{} // ask the terminal for its background
)
