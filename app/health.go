package app

import "kubarium/tui"

// healthChanged wakes the UI, if there is one, to say how the store does.
func (p *Program) healthChanged() {
	select {
	case p.health <- struct{}{}:
	default: // it is to look already
	}
}

// source is the run of a UI's own server. What keeps the store from writing is on the screen until it has gone.
func (p *Program) source() tui.Source {
	var said string // by News
	return tui.Source{Kind: tui.Own, Trouble: p.trouble, Changed: p.health, News: func() []string {
		now, before := p.trouble(), said
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

// trouble is why nothing can be stored, in one line; "" if it can.
func (p *Program) trouble() string {
	if err := p.store.Healthy(); err != nil {
		return err.Error()
	}
	return ""
}
