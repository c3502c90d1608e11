// Package listing puts the requests of each list together: the chunks of a walk over a collection, and how far it has
// come on its snapshot ("Retrieving large results sets in chunks" in Kubernetes API Concepts).
//
//	log := listing.NewLog()
//	log.Fold(flows) // in the order in which they were published; as often as there are more
//	for _, w := range log.All {
//		… // w.Standing(compacted), w.Items()
//	}
//
// A chunk belongs to the walk that was given its continue token: that of the same client and the same selectors, if
// there are several. One whose beginning was not seen begins a walk of its own.
package listing

import (
	"net/url"
	"slices"
	"strings"

	"kubarium/flow"
)

// A Log is what was listed: the newest MaxWalks lists, each with all its requests. It is not safe for concurrent use.
type Log struct {
	All  []*Walk          // in the order of their first requests; to be read alone
	Gone bool             // some were let go of
	next map[string]*Walk // by the token that goes on with it
}

// NewLog returns an empty Log.
func NewLog() *Log { return &Log{next: map[string]*Walk{}} }

// Fold adds each list among the flows to the walk that it goes on with. Other requests are left aside.
func (l *Log) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if f.Page != nil && f.Target.Verb == "list" {
			l.add(f)
		}
	}
	if over := len(l.All) - MaxWalks; over > 0 {
		for _, w := range l.All[:over] {
			l.unlink(w)
		}
		l.All, l.Gone = slices.Clone(l.All[over:]), true
	}
}

// MaxWalks is how many walks a Log holds.
const MaxWalks = 1000

// links are the keys under which the walk that goes on with a token is found: that of the same client and the same
// selectors first, since walks with other selectors may have come to the same name of the same snapshot.
func links(f *flow.Flow, token string) [3]string {
	q, _ := url.ParseQuery(f.Query) // what cannot be read selects nothing
	selectors := strings.Join([]string{q.Get("labelSelector"), q.Get("fieldSelector")}, "\n")
	of := f.Path + " " + token
	return [3]string{f.Client.Tag + " " + of + " " + selectors, f.Client.Tag + " " + of, of}
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
