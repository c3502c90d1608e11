package trials

import (
	"context"
	"fmt"

	"kubarium/analysis/explore"
)

// A judge compares runs with those without a fault.
type judge struct {
	x     *Exploration
	bases []*ran
	base  *explore.Base
	fails bool // whether the command fails without a fault, too
}

// learn takes more runs without a fault.
func (j *judge) learn(runs ...*ran) {
	j.bases = append(j.bases, runs...)
	var states []*explore.State
	for _, r := range j.bases {
		states = append(states, explore.StateOf(r.servers...))
		j.fails = j.fails || r.Exit != 0
	}
	j.base = explore.NewBase(states...)
}

// try runs the command with a fault, and once more if it failed before the fault could come.
func (j *judge) try(ctx context.Context, name string, f explore.Fault) (*trial, error) {
	if t := j.x.knownTrial(name, &f); t != nil {
		return t, nil
	}
	for again := false; ; again = true {
		r, err := j.x.run(ctx, name, &f)
		if err != nil {
			return nil, err
		}
		t := &trial{fault: f, run: r, outcome: j.outcome(r)}
		if again || t.outcome.Missed == "" || j.fails {
			return t, j.x.keepTrial(name, t)
		}
		r.forget() // what failed before the fault could come says nothing of it
	}
}

// outcome is what differs at the end of a run with a fault.
func (j *judge) outcome(r *ran) (o explore.Outcome) {
	if o.Came = r.came(); !o.Came {
		switch {
		case r.Late:
			o.Missed = fmt.Sprintf("the command does not end within %s", j.x.Timeout)
		case r.Exit != 0:
			o.Missed = fmt.Sprintf("the command ends with code %d", r.Exit)
		}
		return o
	}
	switch {
	case j.fails:
	case r.Late:
		o.Failed = fmt.Sprintf("the command does not end within %s, which it does without the fault", j.x.Timeout)
	case r.Exit != 0:
		o.Failed = fmt.Sprintf("the command ends with code %d, and without the fault with 0", r.Exit)
	}
	o.Differences = j.base.Compare(explore.StateOf(r.servers...))
	var others [][]*explore.Server
	for _, b := range j.bases {
		others = append(others, b.servers)
	}
	o.Advice = explore.Advise(r.servers, others...)
	o.Behaviour = j.behaviour(r)
	return o
}
