package page

import "kubarium/tui/term"

// Past reports whether the run that is shown is over: nothing more comes.
func (u *Env) Past() bool { return u.Ended != nil && u.Ended() }

// Try offers commands for another window, by what they do. Of a recording there is no server that would answer them.
func (u *Env) Try(what string, commands ...string) []term.Line {
	if u.ReadOnly != "" {
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
	return term.Pick(u.ReadOnly != "", "in this recording", "since the UI started")
}
