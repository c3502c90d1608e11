// Package feed says which requests the screens show, and remembers of all of them what later ones are told by.
package feed

import (
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
)

// A Feed says which requests the screens show, and remembers of all of them what later ones are told by.
type Feed struct {
	Match *filter.Filter // nil lets everything through
	Own   bool           // Kubarium's own requests and watches are shown as well

	First   time.Time         // Start of the first flow seen, zero of the relative clock
	LastRun string            // the Kubectl-Session of the newest kubectl run
	refused map[string]uint64 // seq of the last refused write, by who, verb and target
	Retries map[uint64]uint64 // seq of a write that was tried again → seq of the refused one
	Writers map[int64]string  // who wrote a revision, for the newest ones
	Makers  map[int64]uint64  // seq of the request that committed a revision, of the newest ones
}

// New makes a feed that shows everything.
func New() *Feed {
	return &Feed{refused: map[string]uint64{}, Retries: map[uint64]uint64{}, Writers: map[int64]string{}, Makers: map[int64]uint64{}}
}

// Then is a feed for a moment of the run, which knows all that this one does: what is known of a request does not change.
func (d *Feed) Then() *Feed {
	past := *d
	return &past
}

// Fold remembers what is needed of new records.
func (d *Feed) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if d.First.IsZero() {
			d.First = f.Start
		}
		d.noteRetry(f)
		d.noteWriter(f)
		if f.Client.Session != "" {
			d.LastRun = f.Client.Session
		}
	}
}

// A Verdict says what becomes of a record in the lists.
type Verdict int

const (
	Refuses Verdict = iota // the filter does not let it through
	Hides                  // it would pass, but is one of Kubarium's own
	Shows
)

// Verdict decides about f. Kubarium's own requests are shown only where that was chosen, or to a filter that asks for
// their sender: a reader's first screen is to show the reader's own kubectl.
func (d *Feed) Verdict(f *flow.Flow) Verdict {
	switch {
	case !d.Match.Match(f):
		return Refuses
	case f.Client.Own() && !d.Own && !d.Match.Seeks(f):
		return Hides
	}
	return Shows
}

// keepMakers is how many revisions know their request; beyond it all are forgotten.
const keepMakers = 16384

// noteRetry remembers refused writes, so that the same client's next try at the same thing can say so.
func (d *Feed) noteRetry(f *flow.Flow) {
	if seq, ok := ReplayOf(f); ok {
		d.Retries[f.Seq] = seq
		return
	}
	if !Writes(f.Target.Verb) {
		return
	}
	if len(d.refused) > 1024 {
		clear(d.refused)
	}
	if len(d.Retries) > 4096 {
		clear(d.Retries)
	}
	key := f.Client.Tag + " " + f.Target.Verb + " " + f.Path
	if seq, ok := d.refused[key]; ok {
		d.Retries[f.Seq] = seq
		delete(d.refused, key)
	}
	if f.Status == 409 {
		d.refused[key] = f.Seq
	}
}

// noteWriter remembers who wrote which revision, so that a refused write can be told whom it met.
func (d *Feed) noteWriter(f *flow.Flow) {
	if len(d.Writers) > keepMakers {
		clear(d.Writers)
		clear(d.Makers)
	}
	for _, e := range f.Effects {
		d.Writers[e.Commit.Revision] = f.Client.Tag
		d.Makers[e.Commit.Revision] = f.Seq
	}
}

// Writes reports whether a verb changes something.
func Writes(verb string) bool {
	switch verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return true
	}
	return false
}

// ReplayOf is the number of the request that f repeats, if f is a replay.
func ReplayOf(f *flow.Flow) (seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(f.Client.UserAgent, flow.ReplayAgent+" (#")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseUint(strings.TrimSuffix(rest, ")"), 10, 64)
	return seq, err == nil
}
