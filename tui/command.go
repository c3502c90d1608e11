package tui

// A Command is one whose requests the UI shows from the start: it runs for as long as the UI does, or ends before it.
type Command struct {
	Line   string                        // as it was typed: "go run ./cmd"
	Output string                        // the file with all that it has printed, which may still grow; "" for none
	Done   func() (ended bool, code int) // whether it has ended, and with which exit code
	Tags   func() []string               // the tags of the clients that its requests came from, the newest first
}
