package controllers

import (
	"context"
	"sync"
)

// A gate is open unless somebody holds it. The zero gate is open. It is safe for concurrent use.
type gate struct {
	mu      sync.Mutex // guards what follows
	holders int
	opened  chan struct{} // closed when the last holder lets go
}

// hold closes the gate until the returned function is called, once or more often.
func (g *gate) hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holders++; g.holders == 1 {
		g.opened = make(chan struct{})
	}
	return sync.OnceFunc(g.release)
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holders--; g.holders == 0 {
		close(g.opened)
	}
}

// wait waits until the gate is open, and reports false if ctx ends first.
func (g *gate) wait(ctx context.Context) bool {
	g.mu.Lock()
	opened, open := g.opened, g.holders == 0
	g.mu.Unlock()
	if open {
		return ctx.Err() == nil
	}
	select {
	case <-opened:
		return true
	case <-ctx.Done():
		return false
	}
}
