// Package lineage remembers which requests wrote an object, so that the last writer of each of its fields is known.
//
//	known := lineage.New(log.Get)
//	for _, f := range flows { // in the order in which they were published
//		…                     // ask what came before f
//		known.Note(f)
//	}
//
// It remembers numbers, not flows: what its source has let go of is forgotten here as well. Writes that were not
// recorded, such as those of another process, are not known.
package lineage

import (
	"cmp"
	"slices"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Log remembers the newest writes of each object. It is not safe for concurrent use.
type Log struct {
	get func(seq uint64) *flow.Flow
	of  map[object.Ref][]ancestor // oldest first
}

// New returns an empty Log. get finds a flow that was noted by its number, and is nil for one that is gone:
// flow.Log.Get, or a look-up in a recording.
func New(get func(seq uint64) *flow.Flow) *Log {
	return &Log{get: get, of: map[object.Ref][]ancestor{}}
}

// An ancestor is one write of an object.
type ancestor struct {
	revision int64
	seq      uint64
}

// The bounds of a Log.
const (
	MaxWrites  = 24   // of one object, the newest
	MaxObjects = 8192 // beyond them it begins again
)

// Note remembers what a request wrote.
func (l *Log) Note(f *flow.Flow) {
	for _, e := range f.Effects {
		if e.Commit.Revision == 0 { // a deletion, seen through the glass
			continue
		}
		k := object.RefOf(e.Commit)
		if _, known := l.of[k]; !known && len(l.of) >= MaxObjects {
			clear(l.of)
		}
		as := append(l.of[k], ancestor{e.Commit.Revision, f.Seq})
		slices.SortFunc(as, func(a, b ancestor) int { return cmp.Compare(a.revision, b.revision) })
		l.of[k] = slices.Delete(as, 0, max(0, len(as)-MaxWrites))
	}
}

// A Writing is one write of an object with what it changed.
type Writing struct {
	Flow   *flow.Flow
	Effect flow.Effect // that of the object
}

// Between are the writes of an object after one revision and up to another, newest first, as far as they are held: it
// ends at the first of them that is not.
func (l *Log) Between(k object.Ref, after, upTo int64) []Writing {
	var out []Writing
	for _, a := range slices.Backward(l.of[k]) {
		if a.revision <= after || a.revision > upTo {
			continue
		}
		f := l.get(a.seq)
		if f == nil {
			break
		}
		for _, e := range f.Effects {
			if e.Commit.Revision == a.revision && object.RefOf(e.Commit) == k {
				out = append(out, Writing{f, e})
			}
		}
	}
	return out
}

// A Writer is who last changed a field.
type Writer struct {
	Who      string // the tag of the client; "" if it is not known
	Revision int64
	Seq      uint64 // of its request
	Was      any    // the value before, nil for none
}

// WritersOf returns the last writer of each field that writings changed, by its path. The newest writing is the first
// of them, as Between has them.
func WritersOf(ws []Writing) map[string]Writer {
	out := map[string]Writer{}
	for _, w := range ws {
		before, after := object.Leaves(object.Parse(w.Effect.Before)), object.Leaves(object.Parse(w.Effect.After))
		note := func(path string) {
			if _, known := out[path]; !known && !object.Same(before[path], after[path]) {
				out[path] = Writer{w.Flow.Client.Tag, w.Effect.Commit.Revision, w.Flow.Seq, before[path]}
			}
		}
		for path := range before {
			note(path)
		}
		for path := range after {
			note(path)
		}
	}
	return out
}
