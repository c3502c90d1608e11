package objects

import (
	"slices"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/timeline"
)

// stand copies the resources of another page, with the number of objects at this page's moment. The list of resources
// itself is the present one.
func (l *resources) stand(o *resources) {
	l.all, l.words, l.err, l.asked, l.stale = slices.Clone(o.all), o.words, o.err, o.asked && o.all != nil, o.stale
	l.cursor = o.cursor.Emptied()
	m := l.o.env.Moment
	l.countAt(m.Revision, m.Run)
	before := 0
	for i := range o.all {
		if o.all[i].Counted {
			before++
			l.uncounted = l.uncounted || !l.all[i].Counted
		}
	}
	l.uncounted = l.uncounted || o.uncounted || before == 0
	l.arrange()
}

// countAt converts counts to a revision, by the commits in between. Counts for which the run no longer holds all of
// these are dropped, and must be read.
func (l *resources) countAt(revision int64, run *timeline.Timeline) {
	index := map[string]int{}
	for i := range l.all {
		r := &l.all[i]
		if r.Counted = r.Counted && run.Holds(min(revision, r.CountedAt)); r.Counted {
			index[r.ID()] = i
		}
	}
	for i := range run.Commits {
		c := &run.Commits[i]
		at, ok := index[c.Resource]
		if !ok {
			continue
		}
		r := &l.all[at]
		switch {
		case c.Revision > revision && c.Revision <= r.CountedAt:
			r.N -= more(c.Type)
		case c.Revision > r.CountedAt && c.Revision <= revision:
			r.N += more(c.Type)
		}
	}
	for _, i := range index {
		l.all[i].CountedAt = revision
	}
}

// more is the change of the number of objects by a commit.
func more(t flow.ChangeType) int64 {
	switch t {
	case flow.Created:
		return 1
	case flow.Deleted:
		return -1
	}
	return 0
}

// stand shows the rows of another table until those of this page's moment are read.
func (t *objectTable) stand(o *objectTable) {
	page := t.o
	*t = *o
	t.o, t.rows, t.changed, t.cursor = page, nil, nil, o.cursor.Emptied()
	t.loading, t.updating, t.behind, t.generation, t.search = false, false, t.of != nil, 0, tableSearch{}
	if m := page.env.Moment; t.of != nil && o.isOfPast() {
		var many bool
		t.changed, many = changedBetween(m.Run, t.of.ID(), o.revision, m.Revision)
		t.revision = m.Revision
		t.behind = many || t.more // a token leads to the objects of its own revision
	}
	t.arrange()
}

// isOfPast reports whether the rows are completely those of the page's moment.
func (t *objectTable) isOfPast() bool {
	m := t.o.env.Moment
	return m != nil && t.revision == m.Revision && t.loaded && t.err == nil && !t.loading && !t.updating && !t.owes()
}

// changedBetween returns the objects of a resource that changed between two revisions, in any order of the two. many
// reports that they are too many to read one by one, or that the run no longer holds all of them.
func changedBetween(run *timeline.Timeline, resource string, a, b int64) (keys map[client.Key]int64, many bool) {
	if !run.Holds(min(a, b)) {
		return nil, true
	}
	keys = map[client.Key]int64{}
	for i := range run.Commits {
		c := &run.Commits[i]
		if c.Resource == resource && c.Revision > min(a, b) && c.Revision <= max(a, b) {
			keys[client.Key{Namespace: c.Namespace, Name: c.Name}] = c.Revision
		}
	}
	if len(keys) > client.EachByOne {
		return nil, true
	}
	return keys, false
}

// stand shows the object of another page until it is read at this page's moment.
func (p *Object) stand(o *Object) {
	page := p.o
	*p = *o
	p.o, p.generation, p.loading, p.updating, p.behind, p.gone = page, 0, false, false, true, false
	p.history.p = p
	p.history.past.versions = slices.Clone(o.history.past.versions)
	p.history.cursor.Newest = func() int { return 0 }
	p.rows.asked, p.owns.asked, p.owns.known = p.rows.asked+1, p.owns.asked+1, false
	p.newest, p.asOf = 0, 0
}
