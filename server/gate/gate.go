package gate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// Options are what a Gate needs.
type Options struct {
	Now func() time.Time // nil is time.Now
	// Stored is the revision of a target's object, 0 if there is none; nil says that of all.
	Stored func(ctx context.Context, t flow.Target) int64
	// At is the newest revision at a time, and the oldest one that can be read; nil says that no read can lag.
	At func(ctx context.Context, t time.Time) (seen, oldest int64)
	// Takes says why a rule cannot act here; nil takes all.
	Takes func(rule.Rule) error
}

// A Gate holds the rules of one server. All methods are safe for concurrent use; those of a nil Gate say that there
// are no rules.
type Gate struct {
	o     Options
	rules atomic.Pointer[[]*active] // nil if there are none: it is all that most requests look at

	mu      sync.Mutex // guards what follows, and what changes of an active
	seed    uint64
	chance  *rand.Rand
	last    int // the ID of the newest rule
	held    []*held
	kept    int64  // bytes that they keep
	number  uint64 // of those held so far
	version uint64 // counts the changes of the state
	touched uint64
	watches map[*Stream]struct{}
	closed  bool
	changed map[chan struct{}]struct{}
}

// An active is a rule in its present state.
type active struct {
	rule.Rule
	id   int
	line string
	body bool // whether its filter looks at bodies
	sent bool // whether it looks at what a request's body says
	seen int
	hits int
	gone chan struct{} // closed when the rule is removed

	since time.Time // when it first acted
}

// New is a Gate without rules.
func New(o Options) *Gate {
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Gate{o: o, watches: map[*Stream]struct{}{}, changed: map[chan struct{}]struct{}{}}
	g.setSeed(1)
	return g
}

func (g *Gate) setSeed(seed uint64) {
	g.seed, g.chance = seed, rand.New(rand.NewPCG(seed, 0))
}

// Errors of a Gate.
var (
	ErrUnknown = errors.New("there is none of that number")
	ErrTooMany = fmt.Errorf("there are %d rules at most", rule.MaxRules)
	// ErrClosed is said of a gate that has ended.
	ErrClosed = errors.New("the server is stopping")
)

// Add adds rules after the present ones, and returns their IDs. A seed starts chance again. If
// one rule cannot act here, none is added.
func (g *Gate) Add(s rule.Set) (ids []int, err error) { return g.put(s, true) }

// Replace replaces all rules. Requests and events that are held by earlier ones stay held.
func (g *Gate) Replace(s rule.Set) (ids []int, err error) { return g.put(s, false) }

func (g *Gate) put(s rule.Set, keep bool) (ids []int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	var all []*active
	if keep {
		all = slices.Clone(g.list())
	}
	if len(all)+len(s.Rules) > rule.MaxRules {
		return nil, ErrTooMany
	}
	for _, r := range s.Rules {
		if g.o.Takes == nil {
			break
		}
		if err := g.o.Takes(r); err != nil {
			return nil, err
		}
	}
	if !keep {
		for _, a := range g.list() {
			close(a.gone)
		}
	}
	if s.Seed != 0 {
		g.setSeed(s.Seed)
	}
	for _, r := range s.Rules {
		g.last++
		ids = append(ids, g.last)
		all = append(all, &active{Rule: r, id: g.last, line: r.String(), body: slices.Contains(r.On.Fields(), "body"), sent: r.Before == "negotiate" && slices.ContainsFunc(r.On.Fields(), ofBody), gone: make(chan struct{})})
	}
	g.set(all)
	return ids, nil
}

// Remove takes a rule away, or all with 0. Those that it holds stay held.
func (g *Gate) Remove(id int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var left []*active
	for _, a := range g.list() {
		if id == 0 || a.id == id {
			close(a.gone)
		} else {
			left = append(left, a)
		}
	}
	if id != 0 && len(left) == len(g.list()) {
		return fmt.Errorf("rule %d: %w", id, ErrUnknown)
	}
	g.set(left)
	return nil
}

// set publishes the rules; g.mu is held.
func (g *Gate) set(all []*active) {
	if len(all) == 0 {
		g.rules.Store(nil)
	} else {
		g.rules.Store(&all)
	}
	g.wake()
}

// list are the rules as they are.
func (g *Gate) list() []*active {
	if g == nil {
		return nil
	}
	if all := g.rules.Load(); all != nil {
		return *all
	}
	return nil
}

// Idle reports whether there are no rules.
func (g *Gate) Idle() bool { return g == nil || g.rules.Load() == nil }

// ofBody reports whether a field of a filter is read off the body of a request.
func ofBody(field string) bool { return field == "body" || field == "rv" }

// Reads reports whether a rule before negotiate is about what the body of a request says, which is to be read before.
func (g *Gate) Reads() bool {
	return slices.ContainsFunc(g.list(), func(a *active) bool { return a.sent })
}

// meet returns the first matching rule that acts, and counts the match.
func (g *Gate) meet(fits func(*active) bool) *active {
	all := g.list()
	if all == nil {
		return nil
	}
	for _, a := range all {
		if fits(a) && g.acts(a) {
			return a
		}
	}
	return nil
}

// acts counts a request that a rule means, and decides whether it acts.
func (g *Gate) acts(a *active) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	a.seen++
	defer g.wake()
	if a.seen <= a.After || a.spent() || a.Chance > 0 && g.chance.Float64() >= a.Chance {
		return false
	}
	a.hits++
	g.touched++
	if a.since.IsZero() {
		a.since = g.o.Now()
	}
	return true
}

func (a *active) spent() bool { return a.Times > 0 && a.hits >= a.Times }

// between is a delay of the rule, by the seed.
func (g *Gate) between(a *active) time.Duration {
	if a.Least == a.Most {
		return a.Most
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return a.Least + time.Duration(g.chance.Int64N(int64(a.Most-a.Least)+1))
}

// mark is the mark of a rule that acts now.
func (a *active) mark(station, outcome string) flow.FaultMark {
	return flow.FaultMark{Rule: a.line, Name: a.Name, Action: string(a.Action), Station: station, Outcome: outcome}
}

// State returns the rules, and what is held.
func (g *Gate) State(ctx context.Context) rule.State {
	g.mu.Lock()
	s := rule.State{Seed: g.seed, Rules: []rule.Active{}, Held: []rule.Held{}, Touched: g.touched}
	for _, a := range g.list() {
		s.Rules = append(s.Rules, rule.Active{ID: a.id, Line: a.line, Name: a.Name, Seen: a.seen, Hits: a.hits, Spent: a.spent()})
	}
	for _, h := range g.held {
		s.Held = append(s.Held, h.about)
	}
	g.mu.Unlock()
	if g.o.Stored != nil {
		for i := range s.Held {
			if s.Held[i].Target.Name != "" {
				s.Held[i].Stored = g.o.Stored(ctx, s.Held[i].Target)
			}
		}
	}
	return s
}

// Subscribe returns a channel that receives when the state may have changed, until end is called.
func (g *Gate) Subscribe() (changed <-chan struct{}, end func()) {
	ch := make(chan struct{}, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed[ch] = struct{}{}
	return ch, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.changed, ch)
	}
}

// Version is another number whenever the state may have changed.
func (g *Gate) Version() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.version
}

// wake wakes the subscribers; g.mu is held.
func (g *Gate) wake() {
	g.version++
	for ch := range g.changed {
		select {
		case ch <- struct{}{}:
		default: // a wake-up waits already
		}
	}
}

// Close ends all holding: what is held gets an answer that says so.
func (g *Gate) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	for _, a := range g.list() {
		close(a.gone)
	}
	g.rules.Store(nil)
	for _, h := range g.held {
		h.decide(Verdict{Do: Refuse, Code: 503})
	}
}
