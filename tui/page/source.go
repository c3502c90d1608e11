package page

import (
	"fmt"

	"kubarium/tui/term"
)

// Past reports whether what is shown is over, a run or a moment of one: nothing more comes.
func (r *Run) Past() bool { return r.Ended != nil && r.Ended() }

// Try offers commands for another window, by what they do. Of a recording there is no server that would answer them.
func (e *Env) Try(what string, commands ...string) []term.Line {
	if !e.Acts() {
		return nil
	}
	out := []term.Line{term.Text(term.Plain, "In another window"+what+":")}
	for _, c := range commands {
		out = append(out, term.Text(term.Accent, "  "+c))
	}
	return out
}

// Kubectl is how kubectl is called for this server.
func (s *Server) Kubectl() string { return "kubectl" + s.ServerFlag() }

// Since says of what all pages tell.
func (e *Env) Since() string {
	said := term.Pick(e.ReadOnly != "", "in this recording", "since the UI started")
	if e.Moment != nil {
		said += fmt.Sprintf(" up to rv %d", e.Moment.Revision)
	}
	return said
}
