// Package planted is a small controller in seventeen forms, each with one mistake that controllers really make, and the
// same without it. It is what `kubarium doctor` is tested with, and shows people what its findings are about.
//
//	err := planted.Run(ctx, config, planted.Options{Mistake: "conflicts"})
//
// Four more forms hang, each for another reason (Hangs): they are what the page of a client is tested with.
//
// Each mistake is an exercise: what is wrong, how it is mended, and a short course of events that shows it. The mended
// twin meets the same events. The controller keeps for each Site, a custom resource, a Deployment and a Service; only
// its steps differ.
//
// The package speaks HTTP alone and knows no server. Two mistakes need a compaction, which only Kubarium's
// /debug/compact does on demand, and one that hangs a fault rule; those about leftovers need a garbage collector.
package planted

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
)

// Options say what Run does.
type Options struct {
	Mistake   string // one of Names or Hangs
	Mended    bool   // without the mistake
	Namespace string // made by Run, and must not be there; "" is planted-MISTAKE, with -mended for the twin
	// Rests is called after the last event, while the controller goes on; nil for nothing.
	Rests    func(ctx context.Context) error
	Prepared func() // called when the stage is set and before the controller starts; nil for nothing
	Quick    bool   // leave out waits of 10 to 35 seconds, without which a report cannot find leftovers and bursts
}

// A Mistake describes a mistake to people.
type Mistake struct {
	Name   string // the rule of the doctor that must speak of it; of one that hangs, why
	Wrong  string // what the controller does
	Mended string // what its twin does instead
}

// An exercise is a mistake and what happens to a controller that makes it.
type exercise struct {
	wrong, mended string
	plant         func(*plan)                         // puts the mistake into the plan
	mend          func(*plan)                         // where the right way is not that of all other exercises; may be nil
	prepare       func(context.Context, *stage) error // what is there before the controller starts; may be nil
	play          func(context.Context, *stage) error // what happens then
	after         func(context.Context, *stage) error // what happens when the controller has stopped; may be nil
}

// A plan is what a controller is made of.
type plan struct {
	steps
	config *rest.Config // of the controller
}

// exercises are all of them, by the name of their rule.
var exercises = map[string]exercise{
	"conflicts":                    conflicts,
	"writes-that-change-nothing":   emptyWrites,
	"write-circles":                writeCircles,
	"updates-without-version":      blindUpdates,
	"repeated-lists":               repeatedLists,
	"lists-without-limit":          wholeLists,
	"polling":                      polling,
	"watches-without-bookmarks":    noBookmarks,
	"expired-versions":             expiredVersions,
	"status-through-main-resource": mainStatus,
	"recreated-objects":            recreated,
	"forced-applies":               forcedApplies,
	"fought-fields":                foughtFields,
	"finalizers-left":              finalizersLeft,
	"owners-left":                  ownersLeft,
	"bursts":                       bursts,
	"throttled-waits":              throttledWaits,
}

// Names are those of all mistakes, sorted.
func Names() []string { return slices.Sorted(maps.Keys(exercises)) }

// Mistakes describes all mistakes, sorted by their names, then those that hang.
func Mistakes() []Mistake {
	var all []Mistake
	for _, name := range append(Names(), Hangs()...) {
		e, _ := find(name)
		all = append(all, Mistake{name, e.wrong, e.mended})
	}
	return all
}

// find returns the exercise of a name.
func find(name string) (exercise, bool) {
	if e, ok := exercises[name]; ok {
		return e, true
	}
	e, ok := hangs[name]
	return e, ok
}

// ErrUnknown is the error of Run for a mistake that is none of Names and Hangs.
var ErrUnknown = errors.New("no such mistake")

// Run sets the stage, runs the controller through the events of its exercise and stops it. It leaves the namespace and
// its objects.
func Run(ctx context.Context, config *rest.Config, o Options) error {
	e, ok := find(o.Mistake)
	if !ok {
		all := strings.Join(append(Names(), Hangs()...), ", ")
		return fmt.Errorf("%w: %q; there are %s", ErrUnknown, o.Mistake, all)
	}
	if o.Namespace == "" {
		o.Namespace = "planted-" + o.Mistake
		if o.Mended {
			o.Namespace += "-mended"
		}
	}
	st, err := e.stage(config, o)
	if err != nil {
		return err
	}
	if err := st.prepare(ctx); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	if e.prepare != nil {
		if err := e.prepare(ctx, st); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	if o.Prepared != nil {
		o.Prepared()
	}
	err = st.run(ctx, func(ctx context.Context, st *stage) error {
		if err := e.play(ctx, st); err != nil || o.Rests == nil {
			return err
		}
		return o.Rests(ctx)
	})
	if err != nil || e.after == nil {
		return err
	}
	return e.after(ctx, st)
}

// stage makes the clients and the controller.
func (e *exercise) stage(config *rest.Config, o Options) (*stage, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 50, 100 // well above what a small controller needs
	p := plan{steps: right(), config: rest.CopyConfig(config)}
	switch {
	case !o.Mended:
		e.plant(&p)
	case e.mend != nil:
		e.mend(&p)
	}
	c, err := newClient(p.config, Controller, o.Namespace)
	if err != nil {
		return nil, err
	}
	control, err := newController(c, p.steps)
	if err != nil {
		return nil, err
	}
	fast := rest.CopyConfig(config)
	fast.QPS = -1
	person, err := newClient(fast, Person, o.Namespace)
	if err != nil {
		return nil, err
	}
	scaler, err := newClient(config, Autoscaler, o.Namespace)
	return &stage{person: person, scaler: scaler, control: control, mended: o.Mended, quick: o.Quick}, err
}

// run runs the controller while play goes on.
func (st *stage) run(ctx context.Context, play func(context.Context, *stage) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer st.control.stop()
	defer st.others.Wait()
	defer cancel()
	if err := st.control.start(ctx); err != nil {
		return err
	}
	return play(ctx, st)
}
