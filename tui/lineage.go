package tui

import (
	"cmp"
	"slices"

	"kubarium/server/flow"
)

// An objectRef names an object of the store.
type objectRef struct{ resource, namespace, name string }

func refOf(c flow.Commit) objectRef { return objectRef{c.Resource, c.Namespace, c.Name} }

// targetKey is the object that a request names.
func targetRef(t flow.Target) objectRef {
	resource := t.Resource
	if t.Group != "" {
		resource += "." + t.Group
	}
	if t.Resource == "namespaces" {
		t.Namespace = ""
	}
	return objectRef{resource, t.Namespace, t.Name}
}

// lineages remember which requests wrote an object, so that a field's last writer can be told. They hold numbers, not
// records: what the log has let go of is forgotten here as well.
type lineages struct {
	log *flow.Log
	of  map[objectRef][]ancestor
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

func (l *lineages) note(f *flow.Flow) {
	for _, e := range f.Effects {
		if l.of == nil || len(l.of) > keepLineages {
			l.of = map[objectRef][]ancestor{}
		}
		k := refOf(e.Commit)
		as := append(l.of[k], ancestor{e.Commit.Revision, f.Seq})
		slices.SortFunc(as, func(a, b ancestor) int { return cmp.Compare(a.revision, b.revision) })
		l.of[k] = as[max(0, len(as)-keepAncestors):]
	}
}

// A writing is one write of an object with what it changed.
type writing struct {
	flow   *flow.Flow
	effect flow.Effect
}

// between are the writes of an object after one revision and up to another, newest first, as far as they are held.
func (l *lineages) between(k objectRef, after, upTo int64) []writing {
	var out []writing
	as := l.of[k]
	for i := len(as) - 1; i >= 0; i-- {
		a := as[i]
		if a.revision <= after || a.revision > upTo {
			continue
		}
		f := l.log.Get(a.seq)
		if f == nil {
			break
		}
		for _, e := range f.Effects {
			if e.Commit.Revision == a.revision {
				out = append(out, writing{f, e})
			}
		}
	}
	return out
}

// A writer is who last changed a field, and at which revision.
type writer struct {
	who      string
	revision int64
	was      any // the value before
}

// writersOf tells for each field that writings changed who changed it last.
func writersOf(ws []writing) map[string]writer {
	out := map[string]writer{}
	for _, w := range ws {
		before, after := leaves(parsed(w.effect.Before)), leaves(parsed(w.effect.After))
		for path := range allKeys(before, after) {
			if _, known := out[path]; known || same(before[path], after[path]) {
				continue
			}
			out[path] = writer{w.flow.Client.Tag, w.effect.Commit.Revision, before[path]}
		}
	}
	return out
}

func allKeys(ms ...map[string]any) map[string]bool {
	out := map[string]bool{}
	for _, m := range ms {
		for k := range m {
			out[k] = true
		}
	}
	return out
}
