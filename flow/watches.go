package flow

import (
	"cmp"
	"slices"
	"time"
)

// Watches returns the open watches and those that ended less than keep ago, ordered by ID.
func (l *Log) Watches(keep time.Duration) []*Watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetEnded()
	now := l.limits.Now()
	out := make([]*Watch, 0, len(l.watches))
	for _, w := range l.watches {
		if at := w.ended(); at.IsZero() || now.Sub(at) <= keep {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b *Watch) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// forgetEnded drops the watches that ended more than Limits.KeepEnded ago. It also runs whenever there are twice as
// many as were left the last time.
func (l *Log) forgetEnded() {
	now := l.limits.Now()
	for id, w := range l.watches {
		if at := w.ended(); !at.IsZero() && now.Sub(at) > l.limits.KeepEnded {
			delete(l.watches, id)
		}
	}
	l.sweepAt = max(fewWatches, 2*len(l.watches))
}

// fewWatches is a number of watches that is always kept.
const fewWatches = 64
