package glass

import (
	"context"

	"kubarium/app/child"
	"kubarium/app/shown"
	"kubarium/tui"
)

// Options are what the screen shows of the glass.
func (g *Glass) Options(command *tui.Command) tui.Options {
	var said string // by News
	return tui.Options{
		Log: g.Log, Why: g.why, URL: g.URL, DB: g.DB, Transport: g.Reach(), Kubeconfig: g.Kubeconfig, Command: command,
		Source: tui.Source{
			Kind: tui.Glass, Name: "to " + g.target.Context, Context: g.target.Context, Writes: g.writes,
			Trouble: g.Handler.Trouble, Changed: g.Handler.Changed(), News: func() []string {
				now, before := g.Handler.Trouble(), said
				said = now
				switch {
				case now == before:
					return nil
				case now == "":
					return []string{"the server answers again"}
				}
				return []string{now}
			},
		},
	}
}

// Command is a command whose requests go through the glass, followed until ctx ends.
func (g *Glass) Command(ctx context.Context, p *child.Process, line, output string) *tui.Command {
	return shown.Command(ctx, p, g.Log, line, output, "")
}
