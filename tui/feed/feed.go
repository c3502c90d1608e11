// Package feed decides which requests the pages show, and keeps facts about requests that later ones refer to.
package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
)

// A Feed decides which requests the pages show, and keeps facts about requests that later ones refer to.
type Feed struct {
	Match *filter.Filter // nil shows everything
	Own   bool           // whether Kubarium's own requests and watches are shown

	First   time.Time          // Start of the first flow, the zero of the relative clock
	LastRun string             // the Kubectl-Session of the newest kubectl run
	refused map[string]uint64  // seq of the last refused write, by client, verb and target
	Retries map[uint64]uint64  // seq of a retried write → seq of the refused one
	Writers map[int64]string   // the client of the newest revisions
	Makers  map[int64]uint64   // seq of the request of the newest revisions
	readers map[int64][]reader // of the versions that were read one by one, the first of each client
}

// New returns a feed that shows everything.
func New() *Feed {
	return &Feed{
		refused: map[string]uint64{}, Retries: map[uint64]uint64{},
		Writers: map[int64]string{}, Makers: map[int64]uint64{}, readers: map[int64][]reader{},
	}
}

// Then returns a feed for a moment in the past, with the same facts, since these do not change.
func (d *Feed) Then() *Feed {
	past := *d
	return &past
}

// Fold keeps the facts about new flows.
func (d *Feed) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if d.First.IsZero() {
			d.First = f.Start
		}
		d.noteRetry(f)
		d.noteWriter(f)
		d.noteReader(f)
		if f.Client.Session != "" {
			d.LastRun = f.Client.Session
		}
	}
}

// A Verdict says how the lists treat a flow.
type Verdict int

// The verdicts.
const (
	Refuses Verdict = iota // the filter does not match it
	Hides                  // it matches, but is one of Kubarium's own that is no step of a workload
	Shows
)

// Verdict decides about f. Kubarium's own requests, except for the steps of workloads, are shown only if the user chose that, or if the filter names their
// client: the first screen should show the user's own kubectl.
func (d *Feed) Verdict(f *flow.Flow) Verdict {
	switch {
	case !d.Match.Match(f):
		return Refuses
	case f.Client.Own() && !d.Own && !f.Works() && !d.Match.Seeks(f):
		return Hides
	}
	return Shows
}

// keepMakers is how many revisions are kept; with more, all are dropped.
const keepMakers = 16384

// noteRetry keeps refused writes, to recognize the client's next try.
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

// noteWriter keeps the client of each revision, to name the one that caused a conflict.
func (d *Feed) noteWriter(f *flow.Flow) {
	if len(d.Writers) > keepMakers {
		clear(d.Writers)
		clear(d.Makers)
	}
	for _, e := range f.Effects {
		if e.Commit.Revision == 0 { // a deletion, seen through the glass
			continue
		}
		d.Writers[e.Commit.Revision] = f.Client.Tag
		d.Makers[e.Commit.Revision] = f.Seq
	}
}

// A reader is the request by which a client read a version.
type reader struct {
	tag string
	seq uint64
}

// keepReaders is how many clients are kept of one version.
const keepReaders = 8

// noteReader keeps who read a version of an object, to name that client when the version is written back.
func (d *Feed) noteReader(f *flow.Flow) {
	if f.Client.Own() || f.Target.Verb != "get" || f.Target.Name == "" || f.Status != 200 || f.Revision == 0 {
		return
	}
	if len(d.readers) > keepMakers {
		clear(d.readers)
	}
	rs := d.readers[f.Revision]
	if len(rs) < keepReaders && !slices.ContainsFunc(rs, func(r reader) bool { return r.tag == f.Client.Tag }) {
		d.readers[f.Revision] = append(rs, reader{f.Client.Tag, f.Seq})
	}
}

// Reader returns the request by which a version had been read before f: by f's client, else the last one by another;
// 0 if none is known.
func (d *Feed) Reader(revision int64, f *flow.Flow) (seq uint64, tag string) {
	for _, r := range d.readers[revision] {
		if r.seq < f.Seq && (tag != f.Client.Tag || seq == 0) {
			seq, tag = r.seq, r.tag
		}
	}
	return seq, tag
}

// Writes reports whether a verb changes something.
func Writes(verb string) bool {
	switch verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return true
	}
	return false
}

// ReplayOf returns the number of the request that f repeats, if f is a replay.
func ReplayOf(f *flow.Flow) (seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(f.Client.UserAgent, flow.ReplayAgent+" (#")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseUint(strings.TrimSuffix(rest, ")"), 10, 64)
	return seq, err == nil
}
