package shown

import (
	"kubarium/app/program"
	"kubarium/tui"
)

// Own is the run of a UI's own server. The screen shows why the store cannot write, until it can again.
func Own(p *program.Program) tui.Source {
	var said string // by News
	return tui.Source{Kind: tui.Own, Trouble: p.Trouble, Changed: p.Health(), News: func() []string {
		now, before := p.Trouble(), said
		said = now
		switch {
		case now == before:
			return nil
		case now == "":
			return []string{"the database can be written again"}
		}
		return []string{now}
	}}
}
