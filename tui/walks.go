package tui

import (
	"slices"

	"kubarium/server/flow"
)

// walks are what was listed: the requests of each list together, by their first one.
type walks struct {
	all  []*walk
	next map[string]*walk // by the token that goes on with it
}

func newWalks(*env) *walks { return &walks{next: map[string]*walk{}} }

// fold adds what was listed to the walk that it goes on with.
func (l *walks) fold(flows []*flow.Flow) {
	for _, f := range flows {
		if f.Page != nil && f.Target.Verb == "list" {
			l.add(f)
		}
	}
	if over := len(l.all) - keepWalks; over > 0 {
		for _, w := range l.all[:over] {
			l.unlink(w)
		}
		l.all = slices.Clone(l.all[over:])
	}
}

// keepWalks bounds the list.
const keepWalks = 1000

// links are the keys under which the walk that goes on with a token is found: that of the same client first.
func links(f *flow.Flow, token string) [2]string {
	return [2]string{f.Client.Tag + " " + f.Path + " " + token, f.Path + " " + token}
}

func (l *walks) add(f *flow.Flow) {
	var w *walk
	if f.Page.Token != "" {
		for _, k := range links(f, f.Page.Token) {
			if w == nil {
				w = l.next[k]
			}
		}
	}
	if w == nil {
		w = &walk{id: f.Seq}
		l.all = append(l.all, w)
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
func (l *walks) unlink(w *walk) {
	last := w.last()
	for _, k := range links(last.flow, last.Next) {
		if l.next[k] == w {
			delete(l.next, k)
		}
	}
}
