// Package lineage remembers which requests wrote an object, so that the last writer of each of its fields can be told.
package lineage

import (
	"cmp"
	"slices"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

// Log remember which requests wrote an object, so that a field's last writer can be told. They hold numbers, not
// records: what the log has let go of is forgotten here as well.
type Log struct {
	Log *flow.Log
	of  map[object.Ref][]ancestor
}

// An ancestor is one write of an object.
type ancestor struct {
	revision int64
	seq      uint64
}

const (
	keepAncestors = 24
	keepLineages  = 8192
)

func (l *Log) Note(f *flow.Flow) {
	for _, e := range f.Effects {
		if l.of == nil || len(l.of) > keepLineages {
			l.of = map[object.Ref][]ancestor{}
		}
		k := object.RefOf(e.Commit)
		as := append(l.of[k], ancestor{e.Commit.Revision, f.Seq})
		slices.SortFunc(as, func(a, b ancestor) int { return cmp.Compare(a.revision, b.revision) })
		l.of[k] = as[max(0, len(as)-keepAncestors):]
	}
}

// A Writing is one write of an object with what it changed.
type Writing struct {
	Flow   *flow.Flow
	Effect flow.Effect
}

// Between are the writes of an object after one revision and up to another, newest first, as far as they are held.
func (l *Log) Between(k object.Ref, after, upTo int64) []Writing {
	var out []Writing
	as := l.of[k]
	for i := len(as) - 1; i >= 0; i-- {
		a := as[i]
		if a.revision <= after || a.revision > upTo {
			continue
		}
		f := l.Log.Get(a.seq)
		if f == nil {
			break
		}
		for _, e := range f.Effects {
			if e.Commit.Revision == a.revision {
				out = append(out, Writing{f, e})
			}
		}
	}
	return out
}

// A Writer is who last changed a field, and at which revision.
type Writer struct {
	Who      string
	Revision int64
	Was      any // the value before
}

// WritersOf tells for each field that writings changed who changed it last.
func WritersOf(ws []Writing) map[string]Writer {
	out := map[string]Writer{}
	for _, w := range ws {
		before, after := object.Leaves(object.Parse(w.Effect.Before)), object.Leaves(object.Parse(w.Effect.After))
		for path := range AllKeys(before, after) {
			if _, known := out[path]; known || object.Same(before[path], after[path]) {
				continue
			}
			out[path] = Writer{w.Flow.Client.Tag, w.Effect.Commit.Revision, before[path]}
		}
	}
	return out
}

func AllKeys(ms ...map[string]any) map[string]bool {
	out := map[string]bool{}
	for _, m := range ms {
		for k := range m {
			out[k] = true
		}
	}
	return out
}
