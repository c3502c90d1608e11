package chain

import (
	"context"
	"math"
	"sync"
	"time"

	"kubarium/flow"
)

// A Follower reads a log while it grows, so that what watches have been sent is read before they forget it. It is safe
// for concurrent use; nil follows nothing.
type Follower struct {
	log   *flow.Log
	first sync.Once
	asked chan struct{} // closed by the first question

	mu     sync.Mutex // guards what follows
	reader *Reader
	seq    uint64 // the last flow that was read
}

// Follow returns a Follower of a log. It reads when it is asked, and from then on while Run runs.
func Follow(log *flow.Log) *Follower {
	return &Follower{log: log, asked: make(chan struct{}), reader: NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })}
}

const (
	// pause is the time between two looks at the log: a thousand writes a second cost some milliseconds each time.
	pause = 200 * time.Millisecond
	// atOnce is how many flows are read while others wait.
	atOnce = 256
)

// Run reads what comes until ctx ends, after the first question: until then it costs nothing. The server never waits for
// it.
func (f *Follower) Run(ctx context.Context) {
	select {
	case <-f.asked:
	case <-ctx.Done():
		return
	}
	wake, end := f.log.Subscribe()
	defer end()
	for {
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
		f.read(math.MaxUint64)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// CatchUp reads what the log has, up to the flow with a number.
func (f *Follower) CatchUp(upto uint64) {
	if f != nil {
		f.first.Do(func() { close(f.asked) })
		f.read(upto)
	}
}

func (f *Follower) read(upto uint64) {
	for f.some(upto) {
	}
}

// some reads some flows, and reports whether there may be more.
func (f *Follower) some(upto uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seq >= upto {
		return false
	}
	flows, _ := f.log.Since(f.seq, atOnce)
	for _, x := range flows {
		f.reader.Add(x)
		f.seq = x.Seq
	}
	return len(flows) == atOnce
}

// Of returns what led to a write that was read, as Reader.Of does; nil if nothing is known.
func (f *Follower) Of(write uint64) *Chain {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader.Of(write)
}

// All returns the chains that are kept, by their writes.
func (f *Follower) All() map[uint64]*Chain {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader.All()
}

// With returns a flow with what led to it: a copy where that is known, else the flow itself. It first reads what the
// log has up to there.
func (f *Follower) With(x *flow.Flow) *flow.Flow {
	if f == nil || x.Chain != nil || !isWrite(x) {
		return x
	}
	f.CatchUp(x.Seq)
	return With(x, f.Of(x.Seq))
}

// With returns a flow with its chain: a copy, or the flow itself for nil.
func With(f *flow.Flow, c *Chain) *flow.Flow {
	if c == nil || f.Chain != nil {
		return f
	}
	g := *f
	g.Chain = c
	return &g
}
