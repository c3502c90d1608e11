package who

// A Command is one whose requests the UI shows from the start: it runs for as long as the UI does, or ends before it.
type Command struct {
	Line   string                        // as it was typed: "go run ./cmd"
	Output string                        // the file with all that it has printed, which may still grow; "" for none
	Done   func() (ended bool, code int) // whether it has ended, and with which exit code
	Tags   func() []string               // the tags of the clients that its requests came from, the newest first

	Servers func() int      // how many API servers it has started itself, as suites on envtest do; nil for none
	Changed <-chan struct{} // receives when Done or Servers may say something else; nil where that never happens
}

// Running reports whether there is a command that has not ended.
func (c *Command) Running() bool {
	if c == nil {
		return false
	}
	ended, _ := c.Done()
	return !ended
}

// Changes is Changed, nil without a command.
func (c *Command) Changes() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.Changed
}
