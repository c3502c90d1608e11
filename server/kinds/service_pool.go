package kinds

import (
	"errors"
	"math/rand/v2"
	"time"
)

// errTaken and errFull are a pool's refusals.
var (
	errTaken = errors.New("already allocated")
	errFull  = errors.New("range is full")
)

// leakAfter is how long a value may be taken before the store must show whose it is.
const leakAfter = time.Minute

// A pool hands out the numbers from 0 below size, each once. The first of them, below static, are drawn last, so that
// users can choose there without a conflict. It is not safe for concurrent use.
type pool struct {
	size, static int
	taken        map[int]time.Time // since when; a value with the zero time is free as soon as the store does not show it
}

func newPool(size, static int) *pool {
	return &pool{size: size, static: static, taken: map[int]time.Time{}}
}

func (p *pool) take(n int, now time.Time) error {
	if _, ok := p.taken[n]; ok {
		return errTaken
	}
	p.taken[n] = now
	return nil
}

// draw takes any free number.
func (p *pool) draw(now time.Time) (int, error) {
	for _, band := range [][2]int{{p.static, p.size}, {0, p.static}} {
		low, width := band[0], band[1]-band[0]
		if width <= 0 {
			continue
		}
		start := rand.IntN(width)
		for i := range width {
			n := low + (start+i)%width
			if p.take(n, now) == nil {
				return n, nil
			}
		}
	}
	return 0, errFull
}

func (p *pool) free(n int) {
	delete(p.taken, n)
}

// leave marks a number as one that its owner is giving up: free once the store no longer shows it.
func (p *pool) leave(n int) {
	if _, ok := p.taken[n]; ok {
		p.taken[n] = time.Time{}
	}
}

// reconcile makes the taken values agree with the store, except for values taken a moment ago, whose write may still be
// under way.
func (p *pool) reconcile(stored map[int]bool, now time.Time) {
	for n, since := range p.taken {
		if !stored[n] && now.Sub(since) > leakAfter {
			delete(p.taken, n)
		}
	}
	for n := range stored {
		if _, ok := p.taken[n]; !ok {
			p.taken[n] = now
		}
	}
}
