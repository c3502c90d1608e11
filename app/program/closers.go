package program

import (
	"errors"
	"sync"
)

// closers end the parts of a Program that have begun.
type closers struct {
	mu  sync.Mutex // guards all
	all []func() error
}

// push adds the end of a part that has begun.
func (c *closers) push(end func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, end)
}

// close ends each part once, the last one first, and returns all errors.
func (c *closers) close() error {
	c.mu.Lock()
	all := c.all
	c.all = nil
	c.mu.Unlock()
	var errs []error
	for i := len(all) - 1; i >= 0; i-- {
		errs = append(errs, all[i]())
	}
	return errors.Join(errs...)
}
