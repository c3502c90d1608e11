package gate

import (
	"context"
	"sync"
	"time"
)

// A Clock is the context of a request that may take so much time: it ends when the time is up, or with its parent.
// The clock can be stopped.
type Clock struct {
	context.Context
	cancel context.CancelFunc

	mu       sync.Mutex // guards what follows
	deadline time.Time
	left     time.Duration // while it is stopped
	paused   int
	timer    *time.Timer
	late     bool
}

// NewClock begins such a context. end must be called.
func NewClock(parent context.Context, timeout time.Duration) (c *Clock, end func()) {
	c = &Clock{deadline: time.Now().Add(timeout)}
	c.Context, c.cancel = context.WithCancel(parent)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(timeout, c.ring)
	return c, func() {
		c.cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timer.Stop()
	}
}

// ring ends the context, unless its time has been stopped at the last moment.
func (c *Clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused > 0 || time.Now().Before(c.deadline) {
		return
	}
	c.late = c.Context.Err() == nil
	c.cancel()
}

// Deadline is when the time is up, if it goes on from now.
func (c *Clock) Deadline() (time.Time, bool) {
	at := time.Now().Add(c.Left())
	if parent, ok := c.Context.Deadline(); ok && parent.Before(at) {
		return parent, true
	}
	return at, true
}

// Left is how much time there is.
func (c *Clock) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused > 0 {
		return c.left
	}
	return time.Until(c.deadline)
}

// Err says why the context has ended.
func (c *Clock) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// Pause stops the clock until resume is called, once.
func (c *Clock) Pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 {
		c.left = time.Until(c.deadline)
		c.timer.Stop()
	}
	return c.resume
}

func (c *Clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused > 0 || c.late {
		return
	}
	c.deadline = time.Now().Add(c.left)
	c.timer.Reset(c.left)
}
