// Package listing puts the requests of each list together: the chunks of a walk over a collection, and how far it has come on its
// snapshot ("Retrieving large results sets in chunks" in Kubernetes API Concepts).
package listing

import (
	"slices"

	"kubarium/server/flow"
)

// Log are what was listed: the requests of each list together, by their first one.
type Log struct {
	All  []*Walk
	next map[string]*Walk // by the token that goes on with it
}

func NewLog() *Log { return &Log{next: map[string]*Walk{}} }

// Fold adds what was listed to the walk that it goes on with.
func (l *Log) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if f.Page != nil && f.Target.Verb == "list" {
			l.add(f)
		}
	}
	if over := len(l.All) - keepWalks; over > 0 {
		for _, w := range l.All[:over] {
			l.unlink(w)
		}
		l.All = slices.Clone(l.All[over:])
	}
}

// keepWalks bounds the list.
const keepWalks = 1000

// links are the keys under which the walk that goes on with a token is found: that of the same client first.
func links(f *flow.Flow, token string) [2]string {
	return [2]string{f.Client.Tag + " " + f.Path + " " + token, f.Path + " " + token}
}

func (l *Log) add(f *flow.Flow) {
	var w *Walk
	if f.Page.Token != "" {
		for _, k := range links(f, f.Page.Token) {
			if w == nil {
				w = l.next[k]
			}
		}
	}
	if w == nil {
		w = &Walk{ID: f.Seq}
		l.All = append(l.All, w)
	} else {
		l.unlink(w)
	}
	w.add(newChunk(f))
	if t := f.Page.Next; t != "" {
		for _, k := range links(f, t) {
			l.next[k] = w
		}
	}
}

// unlink forgets by which token a walk goes on.
func (l *Log) unlink(w *Walk) {
	last := w.Last()
	for _, k := range links(last.Flow, last.Next) {
		if l.next[k] == w {
			delete(l.next, k)
		}
	}
}
