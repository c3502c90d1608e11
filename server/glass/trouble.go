package glass

import (
	"time"
)

// patience is how long a server may answer nothing at all before that is said.
const patience = 10 * time.Second

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
	g.troubled("no answer from " + g.Upstream.URL.Host + ": " + err.Error())
}

func (g *Glass) troubled(text string) {
	if was := g.trouble.Swap(&text); was == nil || *was != text {
		g.poke()
	}
}

// await begins the wait for an answer, which answered ends: a server that answers no request for the time of
// patience hangs.
func (g *Glass) await() *time.Timer {
	return time.AfterFunc(patience, func() {
		if time.Since(time.Unix(0, g.last.Load())) >= patience {
			g.troubled("no answer from " + g.Upstream.URL.Host + " to anything for " + patience.String())
		}
	})
}

func (g *Glass) answered() {
	g.last.Store(time.Now().UnixNano())
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
