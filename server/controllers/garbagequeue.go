package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// enqueue asks for work on objects; those that wait already are not asked for twice.
func (c *collector) enqueue(ctx context.Context, uids ...types.UID) {
	for _, uid := range uids {
		c.mu.Lock()
		waits := c.pending[uid]
		c.pending[uid] = true
		c.mu.Unlock()
		if waits {
			continue
		}
		select {
		case c.queue <- uid:
		case <-ctx.Done():
			return
		default: // a full queue must not stop a watch
			go func() {
				select {
				case c.queue <- uid:
				case <-ctx.Done():
				}
			}()
		}
	}
}

// An object waits after work on it went wrong, twice as long each time: its server, or that of its owner, may be away.
const (
	retryAfter  = 200 * time.Millisecond
	retryAtMost = 30 * time.Second
)

// settle notes how work on an object ended, and returns how long it waits for the next time if that was with an error.
func (c *collector) settle(uid types.UID, err error) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.failures, uid)
		return 0
	}
	c.failures[uid]++
	return min(retryAfter<<min(c.failures[uid]-1, 10), retryAtMost)
}

// work takes objects from the queue until ctx ends.
func (c *collector) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case uid := <-c.queue:
			c.mu.Lock()
			delete(c.pending, uid)
			c.mu.Unlock()
			if !c.unseen.wait(ctx) {
				return
			}
			err := c.collect(ctx, uid)
			pause := c.settle(uid, err)
			if err != nil && ctx.Err() == nil {
				c.log.Debug("garbage is not collected yet", "uid", uid, "error", err)
				time.AfterFunc(pause, func() { c.enqueue(ctx, uid) })
			}
		}
	}
}
