package tui

import "kubarium/tui/who"

// A Command is one whose requests the UI shows from the start: it runs for as long as the UI does, or ends before it.
type Command = who.Command

// A commandNews says once what has happened to a command.
type commandNews struct {
	of      *Command
	ended   bool
	servers int
}

// say says what has happened since the last time.
func (n *commandNews) say(say func(format string, args ...any)) {
	ended, code := n.of.Done()
	if n.of.Servers != nil {
		now := n.of.Servers()
		if now > n.servers {
			say("the command has started an API server of its own; kubarium attach shows it while it runs")
		}
		n.servers = now
	}
	if ended && !n.ended {
		n.ended = true
		say("the command has ended with code %d; q quits", code)
	}
}
