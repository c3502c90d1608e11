package gate

import (
	"context"
	"time"
)

// caughtUp reports whether a rule that lets clients see one version has done so for as long as it says.
func (g *Gate) caughtUp(a *active) bool {
	if a.Revision == 0 || a.Most == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return !a.since.IsZero() && g.o.Now().Sub(a.since) >= a.Most
}

// lag is the newest revision that a rule lets see, of those that can be read; 0 for all.
func (g *Gate) lag(ctx context.Context, a *active) int64 {
	if a.Revision == 0 {
		seen, oldest := g.o.At(ctx, g.o.Now().Add(-a.Most))
		return max(seen, oldest, 1)
	}
	newest, oldest := g.o.At(ctx, g.o.Now())
	if a.Revision >= newest {
		return 0
	}
	return max(a.Revision, oldest)
}

// due waits until a rule lets a watch see a change.
func (g *Gate) due(ctx context.Context, a *active, revision int64, committed time.Time) error {
	if a.Revision != 0 && revision <= a.Revision {
		return nil
	}
	var up <-chan time.Time
	at := committed.Add(a.Most)
	if a.Revision != 0 {
		g.mu.Lock()
		at = a.since.Add(a.Most)
		g.mu.Unlock()
	}
	if a.Most > 0 {
		t := time.NewTimer(min(at.Sub(g.o.Now()), a.Most)) // no longer, if the clock was set back
		defer t.Stop()
		up = t.C
	}
	select {
	case <-up:
	case <-a.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
