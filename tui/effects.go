package tui

import "time"

// What a page asks to be done that is not done on the loop.
type (
	// A copyEffect hands text to the clipboard.
	copyEffect struct{ text string }
	// A laterEffect calls do on the loop after a while.
	laterEffect struct {
		after time.Duration
		do    func()
	}
	// A workEffect calls run off the loop, then the function that it returned on the loop.
	workEffect struct{ run func() func() }
)

// A toast is a line that is shown for some seconds.
type toast struct {
	text  string
	until time.Time
}

// settleTime is how long the cursor must rest before the server is asked for what is under it.
const settleTime = 120 * time.Millisecond
