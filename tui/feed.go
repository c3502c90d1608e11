package tui

import (
	"strconv"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/filter"
)

// A feed says which requests the screens show, and remembers of all of them what later ones are told by.
type feed struct {
	match *filter.Filter // nil lets everything through
	own   bool           // Kubarium's own requests and watches are shown as well

	first   time.Time         // Start of the first flow seen, zero of the relative clock
	lastRun string            // the Kubectl-Session of the newest kubectl run
	refused map[string]uint64 // seq of the last refused write, by who, verb and target
	retries map[uint64]uint64 // seq of a write that was tried again → seq of the refused one
	writers map[int64]string  // who wrote a revision, for the newest ones
	makers  map[int64]uint64  // seq of the request that committed a revision, of the newest ones
}

func newFeed() *feed {
	return &feed{refused: map[string]uint64{}, retries: map[uint64]uint64{}, writers: map[int64]string{}, makers: map[int64]uint64{}}
}

// fold remembers what is needed of new records.
func (d *feed) fold(flows []*flow.Flow) {
	for _, f := range flows {
		if d.first.IsZero() {
			d.first = f.Start
		}
		d.noteRetry(f)
		d.noteWriter(f)
		if f.Client.Session != "" {
			d.lastRun = f.Client.Session
		}
	}
}

// A verdict says what becomes of a record in the lists.
type verdict int

const (
	refuses verdict = iota // the filter does not let it through
	hides                  // it would pass, but is one of Kubarium's own
	shows
)

// verdict decides about f. Kubarium's own requests are shown only where that was chosen, or to a filter that asks for
// their sender: a reader's first screen is to show the reader's own kubectl.
func (d *feed) verdict(f *flow.Flow) verdict {
	switch {
	case !d.match.Match(f):
		return refuses
	case f.Client.Own() && !d.own && !d.match.Seeks(f):
		return hides
	}
	return shows
}

// keepMakers is how many revisions know their request; beyond it all are forgotten.
const keepMakers = 16384

// noteRetry remembers refused writes, so that the same client's next try at the same thing can say so.
func (d *feed) noteRetry(f *flow.Flow) {
	if seq, ok := replayOf(f); ok {
		d.retries[f.Seq] = seq
		return
	}
	if !writes(f.Target.Verb) {
		return
	}
	if len(d.refused) > 1024 {
		clear(d.refused)
	}
	if len(d.retries) > 4096 {
		clear(d.retries)
	}
	key := f.Client.Tag + " " + f.Target.Verb + " " + f.Path
	if seq, ok := d.refused[key]; ok {
		d.retries[f.Seq] = seq
		delete(d.refused, key)
	}
	if f.Status == 409 {
		d.refused[key] = f.Seq
	}
}

// noteWriter remembers who wrote which revision, so that a refused write can be told whom it met.
func (d *feed) noteWriter(f *flow.Flow) {
	if len(d.writers) > keepMakers {
		clear(d.writers)
		clear(d.makers)
	}
	for _, e := range f.Effects {
		d.writers[e.Commit.Revision] = f.Client.Tag
		d.makers[e.Commit.Revision] = f.Seq
	}
}

// writes reports whether a verb changes something.
func writes(verb string) bool {
	switch verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return true
	}
	return false
}

// replayOf is the number of the request that f repeats, if f is a replay.
func replayOf(f *flow.Flow) (seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(f.Client.UserAgent, flow.ReplayAgent+" (#")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseUint(strings.TrimSuffix(rest, ")"), 10, 64)
	return seq, err == nil
}
