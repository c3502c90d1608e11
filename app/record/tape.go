package record

import (
	"context"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/server/storage"
)

// A Run is what is recorded: a server's log, the changes of its store, and the store, which is asked for the state.
type Run struct {
	Log   *flow.Log
	Why   *chain.Follower // adds to writes what led to them; nil adds nothing
	Feed  *Feed
	Store storage.Engine  // nil where there is none to ask: the recording has no state
	Begin recording.Begin // what segments say of themselves; what changes from one to the next is filled in
}

// Options say what of a Run is wanted.
type Options struct {
	Flows  bool             // begin with the flows that the log has; otherwise with those that come
	State  bool             // the state, and the changes
	At     storage.Revision // of the state: 0 for the newest, -1 for the oldest that can be read, with all changes since
	Quiet  bool             // without Kubarium's own requests
	After  uint64           // begin after this flow
	Wanted func(*flow.Flow) bool
}

// A tape writes a Run to an Encoder.
type tape struct {
	run     Run
	o       Options
	to      *recording.Encoder
	changes *queue           // nil where none are wanted
	known   storage.Revision // changes up to this one are written, or are in the state
	commits uint64           // place on the timeline, where no changes are wanted
	seq     uint64           // the last flow that was looked at
	moments map[string]uint64
	head    [2]int64
	segment int
	look    time.Time // when positions of watches were written last
}

func newTape(run Run, o Options, to *recording.Encoder) *tape {
	o.State = o.State && run.Store != nil
	t := &tape{run: run, o: o, to: to, seq: o.After, moments: map[string]uint64{}}
	if !o.Flows {
		t.seq = max(t.seq, run.Log.Stats().Published)
	}
	if o.State {
		t.changes = run.Feed.open()
	}
	return t
}

func (t *tape) close() {
	if t.changes != nil {
		t.run.Feed.end(t.changes)
	}
}

// begin begins a segment with the state as it is.
func (t *tape) begin(ctx context.Context, at storage.Revision) error {
	t.segment++
	b := t.run.Begin
	b.Segment, b.At, b.Objects, b.Published = t.segment, time.Now(), t.o.State, t.run.Log.Stats().Published
	clear(t.moments)
	t.head = [2]int64{}
	if !t.o.State {
		newest, compacted := t.run.Log.Head()
		b.Revision, b.Compacted = newest, compacted
		if err := t.to.Begin(b); err != nil {
			return err
		}
		return t.watches()
	}
	err := t.run.Store.ReadHistory(ctx, at, func(span storage.Span) error {
		b.Revision, b.Compacted = int64(span.From), int64(span.From)
		t.known = span.Newest
		return t.to.Begin(b)
	}, func(c storage.Change) error { return t.to.State(Recorded(&c)) },
		func(c storage.Change) error { return t.to.Change(Recorded(&c)) })
	if err != nil {
		return err
	}
	return t.watches()
}

// watches writes the watches that are open already.
func (t *tape) watches() error {
	for _, w := range t.run.Log.Watches(0) {
		if t.wants(&flow.Flow{Client: w.Client}) {
			if err := t.to.Frames(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tape) wants(f *flow.Flow) bool {
	return (!t.o.Quiet || !f.Client.Own()) && (t.o.Wanted == nil || t.o.Wanted(f))
}

// round writes all that has come. The flows are taken first: the changes that they have made have come then, and are
// written before them. It says whether there was anything.
func (t *tape) round() (some bool, err error) {
	for {
		flows, missed := t.run.Log.Since(t.seq, 512)
		if err := t.told(flows, missed); err != nil {
			return some, err
		}
		some = some || len(flows) > 0
		if len(flows) < 512 {
			break
		}
	}
	if err := t.frames(); err != nil {
		return some, err
	}
	return some, t.places()
}

// told writes flows, after what they refer to.
func (t *tape) told(flows []*flow.Flow, missed flow.Missed) error {
	if err := t.committed(); err != nil {
		return err
	}
	if len(flows) == 0 {
		return nil
	}
	if t.o.Quiet {
		missed.Own = 0
	}
	if missed.All() > 0 {
		if err := t.to.Missed(recording.Missed{Others: missed.Others, Own: missed.Own, Upto: flows[len(flows)-1].Seq - 1}); err != nil {
			return err
		}
	}
	t.run.Why.CatchUp(flows[len(flows)-1].Seq)
	for _, f := range flows {
		t.seq = f.Seq
		if !t.wants(f) {
			continue
		}
		if err := t.to.Flow(t.run.Why.With(f)); err != nil {
			return err
		}
	}
	return nil
}

// errLost says that changes are lost, so that a segment with a new state has to begin.
type errLost struct{ from, to storage.Revision }

func (errLost) Error() string { return "changes came faster than they were recorded" }

// committed writes the changes that wait; where none are wanted, the commits, without objects.
func (t *tape) committed() error {
	if t.changes == nil {
		commits, n := t.run.Log.Commits(t.commits)
		t.commits = n
		for i := range commits {
			if err := t.to.Change(&recording.Change{Commit: commits[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	changes, from, to := t.changes.take()
	for i := range changes {
		if changes[i].Revision <= t.known {
			continue
		}
		t.known = changes[i].Revision
		if err := t.to.Change(Recorded(&changes[i])); err != nil {
			return err
		}
	}
	if from > 0 && to > t.known {
		return errLost{max(from, t.known+1), to}
	}
	return nil
}

// frames writes what open watches have written, and once a second how far they are.
func (t *tape) frames() error {
	write := t.to.Frames
	if now := time.Now(); now.Sub(t.look) > time.Second {
		t.look, write = now, t.to.Position
	}
	for _, w := range t.run.Log.Watches(0) {
		if !t.wants(&flow.Flow{Client: w.Client}) {
			continue
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

// alive writes where the store is, so that readers see that the recording goes on.
func (t *tape) alive() error {
	newest, compacted := t.run.Log.Head()
	return t.to.Head(recording.Head{Newest: newest, Compacted: compacted, At: time.Now()})
}

// places writes moments and the head, where they are new.
func (t *tape) places() error {
	for name, before := range t.run.Log.Moments() {
		if known, there := t.moments[name]; there && known == before {
			continue
		}
		t.moments[name] = before
		if err := t.to.Moment(recording.Moment{Name: name, Before: before}); err != nil {
			return err
		}
	}
	newest, compacted := t.run.Log.Head()
	if now := [2]int64{newest, compacted}; now != t.head {
		t.head = now
		return t.to.Head(recording.Head{Newest: newest, Compacted: compacted, At: time.Now()})
	}
	return nil
}
