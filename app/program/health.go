package program

// healthChanged wakes the UI, if there is one, to show whether the store can write.
func (p *Program) healthChanged() {
	select {
	case p.health <- struct{}{}:
	default: // it is to look already
	}
}

// Trouble is why nothing can be stored, in one line; "" if it can.
func (p *Program) Trouble() string {
	if err := p.store.Healthy(); err != nil {
		return err.Error()
	}
	return ""
}

// Health has a value when Trouble may say something else than before.
func (p *Program) Health() <-chan struct{} { return p.health }
