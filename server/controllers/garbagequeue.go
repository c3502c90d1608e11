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

// retryAfter is how long an object waits after work on it went wrong.
const retryAfter = 200 * time.Millisecond

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
			if err := c.collect(ctx, uid); err != nil && ctx.Err() == nil {
				c.log.Debug("garbage is not collected yet", "uid", uid, "error", err)
				time.AfterFunc(retryAfter, func() { c.enqueue(ctx, uid) })
			}
		}
	}
}
