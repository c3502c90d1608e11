package page

import (
	"fmt"

	"kubarium/tui/term"
)

// Past reports whether the run or the moment that is shown is over: no more flows come.
func (r *Run) Past() bool { return r.Ended != nil && r.Ended() }

// Try offers commands for another window; what says what they do. It is nil where there is no server to answer them.
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

// Since says which time the pages cover.
func (e *Env) Since() string {
	said := term.Pick(e.ReadOnly != "" && e.Foreign == "", "in this recording", "since the UI started")
	if e.Moment != nil {
		said += fmt.Sprintf(" up to rv %d", e.Moment.Revision)
	}
	return said
}
