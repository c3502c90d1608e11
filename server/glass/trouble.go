package glass

// Trouble is why the server did not answer, in one line; "" if it did when it was asked last.
func (g *Glass) Trouble() string {
	if t := g.trouble.Load(); t != nil {
		return *t
	}
	return ""
}

// Changed receives when Trouble has changed.
func (g *Glass) Changed() <-chan struct{} { return g.changed }

func (g *Glass) failed(err error) {
	text := "no answer from " + g.Upstream.URL.Host + ": " + err.Error()
	if was := g.trouble.Swap(&text); was == nil || *was != text {
		g.poke()
	}
}

func (g *Glass) answered() {
	if g.trouble.Load() != nil && g.trouble.Swap(nil) != nil {
		g.poke()
	}
}

func (g *Glass) poke() {
	select {
	case g.changed <- struct{}{}:
	default: // a value waits already
	}
}
