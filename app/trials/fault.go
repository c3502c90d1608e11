package trials

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kubarium/analysis/explore"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/rule"
)

// A tormentor does what a fault needs in addition to its rules: it kills the controller, and starts it on a server
// that lags.
type tormentor struct {
	fault      *explore.Fault
	log        *flow.Log
	gate       gatekeeper
	controller *kept // nil for none

	ended   chan struct{} // closed when the command has ended and everything rests
	done    sync.WaitGroup
	mu      sync.Mutex // guards what follows
	added   []string   // rules that came later
	bare    bool       // whether the client has started again without a rule
	failure error
}

// begin adds the fault's rules and begins to wait for its moment.
func (t *tormentor) begin(ctx context.Context) error {
	if err := t.gate.add(ctx, t.fault.Rules...); err != nil {
		return err
	}
	switch {
	case t.fault.Away:
		t.done.Go(func() {
			t.fail(t.kill(ctx, explore.Leaving, func(id uint64) {
				t.gate.decide(ctx, id, "go")
				pause(ctx, awayAfter)
			}))
		})
	case t.fault.Kill:
		t.done.Go(func() { t.fail(t.kill(ctx, explore.Holding, func(id uint64) { t.gate.decide(ctx, id, "drop") })) })
	case t.fault.Restart != nil:
		t.done.Go(func() { t.fail(t.restart(ctx)) })
	}
	return nil
}

func (t *tormentor) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil {
		t.failure = err
	}
}

// awayAfter is how long a controller that is away stays down after the change: others may follow it.
const awayAfter = 1500 * time.Millisecond

// kill kills the controller where a rule of a name holds a request, lets then decide about that, and starts it again.
func (t *tormentor) kill(ctx context.Context, name string, then func(id uint64)) error {
	id, ok := t.gate.held(ctx, name)
	if !ok {
		return nil
	}
	t.controller.kill()
	then(id)
	return t.controller.start()
}

// restart lets the client start again on a server that does not know of a change.
func (t *tormentor) restart(ctx context.Context) error {
	r := t.fault.Restart
	revision, ok := t.committed(ctx, r)
	if !ok {
		return nil
	}
	switch r.Moment {
	case explore.ByItself:
		if !t.unwatched(ctx) {
			return nil
		}
		return t.lag(ctx, revision-1)
	case explore.AtEnd:
		select {
		case <-t.ended:
		case <-ctx.Done():
			return nil
		}
	}
	t.controller.kill()
	if r.Bare {
		t.mu.Lock()
		t.bare = true
		t.mu.Unlock()
	} else if err := t.lag(ctx, revision-1); err != nil {
		return err
	}
	return t.controller.start()
}

// committed waits for the change.
func (t *tormentor) committed(ctx context.Context, r *explore.Restart) (revision int64, ok bool) {
	var seen uint64
	n := 0
	return revision, t.until(ctx, func() bool {
		flows, _ := t.log.Since(seen, 0)
		for _, f := range flows {
			seen = f.Seq
			for _, e := range f.Effects {
				c := &e.Commit
				if c.Resource != r.Resource || c.Namespace != r.Namespace || c.Name != r.Name || explore.OnlyStatus(e.Before, e.After) {
					continue
				}
				if n++; n == r.Change {
					revision, ok = c.Revision, true
				}
			}
		}
		return ok
	})
}

// unwatched waits until the client has no open watch.
func (t *tormentor) unwatched(ctx context.Context) bool {
	return t.until(ctx, func() bool {
		return !watching(t.log, func(c flow.Client) bool { return c.UserAgent == t.fault.Client })
	})
}

// until waits until a condition of the run holds; it returns false when ctx ends first.
func (t *tormentor) until(ctx context.Context, so func() bool) bool {
	wake, end := t.log.Subscribe()
	defer end()
	for !so() {
		select {
		case <-wake:
		case <-time.After(gateEvery):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// lag lets the client see nothing newer than a revision.
func (t *tormentor) lag(ctx context.Context, revision int64) error {
	r := rule.Rule{Action: rule.Lag, Before: "cache", Revision: revision, Most: t.fault.Restart.For, Name: explore.Lagging,
		On: filter.And(nil, "ua", t.fault.Client, false)}
	if t.controller != nil {
		r.On = filter.And(r.On, "who", flow.ViaRun, false)
	}
	t.mu.Lock()
	t.added = append(t.added, r.String())
	t.mu.Unlock()
	return t.gate.add(ctx, r.String())
}

// lagged waits until the lag is over, if there is one.
func (t *tormentor) lagged(ctx context.Context) {
	t.mu.Lock()
	lags := len(t.added) > 0
	t.mu.Unlock()
	if !lags {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, longestStart)
	defer cancel()
	if t.gate.acted(ctx, explore.Lagging) {
		pause(ctx, t.fault.Restart.For)
	}
}

// rules are all of the fault's rules in this run.
func (t *tormentor) rules() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(append([]string{}, t.fault.Rules...), t.added...)
}

// watching reports whether a client that is meant has an open watch.
func watching(log *flow.Log, meant func(flow.Client) bool) bool {
	for _, w := range log.Watches(0) {
		if w.State().Ended.IsZero() && meant(w.Client) {
			return true
		}
	}
	return false
}

// waitsBehind is how much longer than others a run with the fault must rest: events that a watch delays come late.
func waitsBehind(f *explore.Fault) (d time.Duration) {
	if f == nil {
		return 0
	}
	for _, text := range f.Rules {
		if r, err := rule.Parse(text); err == nil && (r.Action == rule.Coalesce || r.Action == rule.Lag || r.Action == rule.Delay) {
			d = max(d, r.Most)
		}
	}
	return d
}

// why is the error that kept the fault from the run, nil for none.
func (t *tormentor) why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.fault.What, t.failure)
}
