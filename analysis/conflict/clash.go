// Package conflict says what happened where one write met another: each 409 by its kind, and the writes that no check
// stopped although they undid what another client had written (a lost update) or took it over.
//
// Judge looks at each request in the order of their numbers, with the writes before it:
//
//	before := lineage.New(log.Get)
//	for _, f := range flows {
//		if c, ok := conflict.Judge(f, before); ok {
//			… // c.Kind, c.Undone
//		}
//		before.Note(f)
//	}
//
// Compare then compares the three versions of a stale write, Differences the object that a create met with what it
// sent. Package ownership has the owners that an apply met.
//
// It knows no schemas: it guesses which field identifies the items of a list (package object), and it does not know
// which fields of a body written by hand would get defaults.
package conflict

import (
	"cmp"
	"slices"

	"kubarium/analysis/lineage"
	"kubarium/analysis/ownership"
	"kubarium/flow"
	"kubarium/flow/object"
)

// A Clash is one request that met the write of another client.
type Clash struct {
	Flow   *flow.Flow
	Kind   string   // a flow.ConflictKind, or one of those below
	Met    string   // the name of the object that a create met: its path does not say it; "" for other requests
	Undone []Undone // of a SilentOverwrite, in the order of their paths
}

// Kinds of clashes beyond those of flow.ConflictKind.
const (
	SilentOverwrite = "silent overwrite" // a lost update: without a resourceVersion it undid a change of another client
	ForcedOver      = "forced over"      // an apply with force took fields from another manager
	Other           = "other 409"        // refused for what the flow does not record: its message says it
)

// Judge says what kind of clash a request was, if it was one; before are the writes before it.
func Judge(f *flow.Flow, before *lineage.Log) (Clash, bool) {
	switch {
	case f.Status == 409 && f.Conflict != nil:
		c := Clash{Flow: f, Kind: string(f.Conflict.Kind)}
		if f.Target.Verb == "create" {
			c.Met = object.TextIn(object.Parse(f.Conflict.Object), "metadata", "name")
		}
		return c, true
	case f.Status == 409:
		return Clash{Flow: f, Kind: Other}, true
	case len(f.Effects) != 1 || f.Status >= 400:
		return Clash{}, false
	}
	if f.Target.Verb == "update" && f.SentRevision == 0 {
		if lost := findUndone(f, before); len(lost) > 0 {
			return Clash{Flow: f, Kind: SilentOverwrite, Undone: lost}, true
		}
	}
	if f.Target.Verb == "apply" && takenOver(f) {
		return Clash{Flow: f, Kind: ForcedOver}, true
	}
	return Clash{}, false
}

// An Undone is a field that one client had changed and another put back without looking.
type Undone struct {
	Path     string
	Was, Now any            // before and after it was put back; nil for absent
	By       lineage.Writer // whose change is lost
}

// findUndone finds the fields that a write without a resourceVersion put back to what they were before another client
// changed them. Only a value that is put back counts: a new value may well be meant.
func findUndone(f *flow.Flow, known *lineage.Log) []Undone {
	e := f.Effects[0]
	var others []lineage.Writing
	for _, w := range known.Between(object.RefOf(e.Commit), 0, e.Commit.Revision-1) {
		if w.Flow.Client.Tag == f.Client.Tag {
			break // it knew what there was when it wrote last
		}
		if w.Effect.Commit.Type != flow.Updated {
			break // what was before is another object of that name
		}
		others = append(others, w)
	}
	if len(others) == 0 {
		return nil
	}
	writers := lineage.WritersOf(others)
	before, after := object.Leaves(object.Parse(e.Before)), object.Leaves(object.Parse(e.After))
	var out []Undone
	for path, by := range writers {
		if object.Ignored(path) || object.Same(before[path], after[path]) || !object.Same(after[path], by.Was) {
			continue
		}
		out = append(out, Undone{path, before[path], after[path], by})
	}
	slices.SortFunc(out, func(a, b Undone) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// takenOver reports whether a forced apply took fields from another manager.
func takenOver(f *flow.Flow) bool {
	if len(f.Effects[0].Before) == 0 || !ownership.Forced(f.Query) {
		return false
	}
	return ownership.MakeMatrix(f, object.Parse(f.Effects[0].Before)).Counts[ownership.Clashes] > 0
}

// HasOwners reports whether the clash is about field owners.
func (c *Clash) HasOwners() bool {
	return c.Kind == ForcedOver || c.Flow.Conflict != nil && c.Flow.Conflict.Kind == flow.FieldOwnership
}
