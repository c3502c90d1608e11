// Package lag says which changes a watch has not been sent.
//
// It knows a watch's target and no labels or fields of objects: where a watch selects by these (Selects), its numbers
// are upper bounds.
package lag

import (
	"slices"
	"strings"

	"kubarium/flow"
)

// A Scope is what a watch is about, in the words of commits; "" means all namespaces, or all names.
type Scope struct{ Resource, Namespace, Name string }

// ScopeOf returns the scope of a target.
func ScopeOf(t flow.Target) Scope {
	if t.Group != "" {
		t.Resource += "." + t.Group
	}
	return Scope{t.Resource, t.Namespace, t.Name}
}

// Has reports whether a commit is in the scope.
func (s *Scope) Has(c *flow.Commit) bool {
	return c.Resource == s.Resource && (s.Namespace == "" || s.Namespace == c.Namespace) &&
		(s.Name == "" || s.Name == c.Name)
}

// Covers reports whether the scope has everything that another has.
func (s *Scope) Covers(other Scope) bool {
	return s.Has(&flow.Commit{Resource: other.Resource, Namespace: other.Namespace, Name: other.Name})
}

// Reached is the revision up to which a watch has been sent every change; 0 if that is not known.
func Reached(x *flow.Watch, s flow.WatchState) int64 { return max(s.Position, s.Last, x.Start) }

// Owed calls yield with the commits that a watch has not been sent, newest first, until it returns false. commits are
// in the order of their revisions.
func Owed(x *flow.Watch, s flow.WatchState, commits []flow.Commit, yield func(flow.Commit) bool) {
	reached, of := Reached(x, s), ScopeOf(x.Target)
	if reached == 0 {
		return
	}
	for _, c := range slices.Backward(commits) {
		if c.Revision <= reached || of.Has(&c) && !yield(c) {
			return
		}
	}
}

// Selects reports whether a watch selects by labels or fields.
func Selects(x *flow.Watch) bool { return strings.Contains(x.Query, "Selector=") }
