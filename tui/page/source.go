package page

import (
	"fmt"

	"kubarium/tui/term"
)

// Past reports whether what is shown is over, a run or a moment of one: nothing more comes.
func (u *Env) Past() bool { return u.Ended != nil && u.Ended() }

// Try offers commands for another window, by what they do. Of a recording there is no server that would answer them.
func (u *Env) Try(what string, commands ...string) []term.Line {
	if !u.Acts() {
		return nil
	}
	out := []term.Line{term.Text(term.Plain, "In another window"+what+":")}
	for _, c := range commands {
		out = append(out, term.Text(term.Accent, "  "+c))
	}
	return out
}

// Kubectl is how kubectl is called for this server.
func (u *Env) Kubectl() string { return "kubectl" + u.ServerFlag() }

// Since says of what all pages tell.
func (u *Env) Since() string {
	said := term.Pick(u.ReadOnly != "", "in this recording", "since the UI started")
	if u.Moment != nil {
		said += fmt.Sprintf(" up to rv %d", u.Moment.Revision)
	}
	return said
}
