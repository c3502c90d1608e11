package planted

import (
	"context"
	"fmt"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// A progress knows how far a controller is: which versions it has written and seen, and what it has still to do. A
// controller learns from it whether its copies are as new as its own writes, since a decision by older ones would be
// wrong; and a run, when the controller rests.
type progress struct {
	mu      sync.Mutex
	changed chan struct{}     // closed and replaced with every change
	written map[string]string // newest version that was written of an object, until it is seen
	seen    map[string]string // newest version of an object that the informers have sent, that of its deletion too
	there   map[string]bool   // whether an object is there, as the informers say
	asked   map[string]int    // how often an object was put into the queue
	done    map[string]int    // of these, how many its last finished round covers
	counts  map[string]int    // what was done how often, for exercises
}

func newProgress() *progress {
	return &progress{
		changed: make(chan struct{}), written: map[string]string{}, seen: map[string]string{}, there: map[string]bool{},
		asked: map[string]int{}, done: map[string]int{}, counts: map[string]int{},
	}
}

// update changes what is known, and wakes the waiting.
func (p *progress) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

// keyOf names an object of any kind.
func keyOf(kind string, o metav1.Object) string {
	return kind + " " + o.GetNamespace() + "/" + o.GetName()
}

// wrote notes a version that a client has just written.
func (p *progress) wrote(kind string, o metav1.Object) {
	p.update(func() {
		if key := keyOf(kind, o); older(p.seen[key], o.GetResourceVersion()) {
			p.written[key] = o.GetResourceVersion()
		}
	})
}

// saw notes a version that an informer has sent, and the round that this asks for: both at once, as a round that began
// between them would wait for a version that is there, or no one would wait for the round.
func (p *progress) saw(kind string, o metav1.Object, deleted bool, round string) {
	p.update(func() {
		p.asked[round]++
		key := keyOf(kind, o)
		p.seen[key], p.there[key] = o.GetResourceVersion(), !deleted
		if !older(p.seen[key], p.written[key]) {
			delete(p.written, key)
		}
	})
}

// older reports whether version a is older than b; "" is older than any.
func older(a, b string) bool {
	if a == "" || b == "" {
		return a == "" && b != ""
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

// lags reports whether a newer version of one of the objects was written than the informers have sent.
func (p *progress) lags(keys ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range keys {
		if p.written[key] != "" {
			return true
		}
	}
	return false
}

// count adds one to a count.
func (p *progress) count(what string) { p.update(func() { p.counts[what]++ }) }

// reached reports whether something was done so often.
func (p *progress) reached(what string, n int) func() bool {
	return func() bool { return p.counts[what] >= n }
}

// rests reports whether everything that was written is seen, and everything that was seen is worked off.
func (p *progress) rests() bool { return len(p.written) == 0 && maps.Equal(p.asked, p.done) }

// gone returns whether an object is not there any more, as the informers say.
func (p *progress) gone(key string) func() bool {
	return func() bool { return !p.there[key] && p.written[key] == "" }
}

// wait waits until one of the conditions holds. They are asked with mu held.
func (p *progress) wait(ctx context.Context, conditions ...func() bool) error {
	for {
		p.mu.Lock()
		changed := p.changed
		for _, holds := range conditions {
			if holds() {
				p.mu.Unlock()
				return nil
			}
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the controller: %w", context.Cause(ctx))
		}
	}
}
