package objects

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// resources is the list of what the server serves, by group.
type resources struct {
	o          *Page
	all        []client.Resource
	rows       []resourceRow // what the words let through, with a heading for each group
	cursor     int           // index into rows, of one that is no heading
	Id         string        // of the resource under the cursor
	top, tall  int
	words      string // only resources that have all of these are listed
	err        error
	asked      bool // discovery is under way, or has answered
	stale      bool // a definition has changed since
	recount    bool // commits were missed: the counts are no longer right
	generation int
}

// A resourceRow is a line of the list: a resource, or with nil the heading of a group.
type resourceRow struct {
	r       *client.Resource
	heading string
	custom  bool // of a heading: what it heads is defined by CustomResourceDefinitions
}

func (l *resources) Name() string { return "resources" }
func (l *resources) Height() int  { return max(1, l.tall) }

// load asks what is served, and then how much of it there is.
func (l *resources) load() {
	l.asked, l.stale = true, false
	l.generation++
	generation, a := l.generation, l.o.Api
	l.o.env.Do(page.Work{Run: func() func() {
		all, err := a.Resources()
		return func() { l.take(generation, all, err) }
	}})
}

// take is the answer of load.
func (l *resources) take(generation int, all []client.Resource, err error) {
	if generation != l.generation {
		return
	}
	if l.err = err; err != nil {
		return
	}
	known := map[string]client.Resource{}
	for _, r := range l.all {
		known[r.ID()] = r
	}
	for i := range all {
		if k, ok := known[all[i].ID()]; ok {
			all[i].Counted, all[i].N, all[i].CountedAt = k.Counted, k.N, k.CountedAt
		}
	}
	first := l.all == nil
	l.all = all
	l.arrange()
	if first && l.o.shown() {
		l.o.Arrive() // at what was chosen before anything was known of its resource
	}
	l.o.resourceMoved()
	l.tally()
}

// tally counts the objects of those resources that are not counted yet; the others' counts follow the commits.
func (l *resources) tally() {
	var unknown []client.Resource
	for _, r := range l.all {
		if !r.Counted {
			unknown = append(unknown, r)
		}
	}
	generation, a, asked := l.generation, l.o.Api, l.o.env.Time.Head
	l.o.env.Do(page.Work{Run: func() func() {
		counts := a.Tallies(unknown)
		return func() {
			if generation == l.generation {
				l.takeCounts(asked, counts)
			}
		}
	}})
}

// takeCounts takes counts that were asked for at a revision, and adds to each what was committed since it was made. Where the timeline no longer holds all of that,
// objects are counted again.
func (l *resources) takeCounts(asked int64, counts map[string]client.Tally) {
	for i := range l.all {
		r := &l.all[i]
		if t, ok := counts[r.ID()]; ok {
			r.Counted, r.N, r.CountedAt = true, t.N, t.At
		}
	}
	if !l.o.env.Time.Holds(asked) {
		l.missed()
		return
	}
	for _, c := range l.o.env.Time.Commits {
		l.count(c)
	}
}

// missed is told that some commits were not: the counts are made anew, at once or when the page is shown.
func (l *resources) missed() {
	l.stale = l.stale || l.asked // a definition may have been among them
	l.recount = true
	if l.o.shown() {
		l.countAnew()
	}
}

func (l *resources) forgetCounts() {
	l.recount = false
	for i := range l.all {
		l.all[i].Counted = false
	}
}

// countAnew asks what is served and counts all objects again.
func (l *resources) countAnew() {
	l.forgetCounts()
	l.load()
}

// definitionRest is between a change of a definition and the question what is served now: definitions change several
// times while they are established, and many of them come together.
const definitionRest = time.Second

// committed keeps the counts right, and asks anew what is served after a definition has changed.
func (l *resources) committed(c flow.Commit) {
	l.count(c)
	if c.Resource != object.Definitions || l.stale {
		return
	}
	l.stale = true
	l.o.env.Do(page.Later{After: definitionRest, Do: func() {
		if l.stale && l.o.shown() {
			l.load()
		}
	}})
}

// count takes a commit that is newer than a count into it.
func (l *resources) count(c flow.Commit) {
	for i := range l.all {
		r := &l.all[i]
		if r.ID() != c.Resource || !r.Counted || c.Revision <= r.CountedAt {
			continue
		}
		r.CountedAt = c.Revision
		switch c.Type {
		case flow.Created:
			r.N++
		case flow.Deleted:
			r.N--
		}
	}
}

// arrange makes the rows anew and keeps the cursor on its resource.
func (l *resources) arrange() {
	l.rows = l.rows[:0]
	heading := ""
	for i := range l.all {
		r := &l.all[i]
		if !label.HasWords(l.words, r.Name, r.Kind, r.Group, strings.Join(r.Short, " "), strings.Join(r.Categories, " "), term.Pick(r.Custom, "custom", "")) {
			continue
		}
		if h := r.GroupVersion(); h != heading {
			heading = h
			l.rows = append(l.rows, resourceRow{heading: h, custom: r.Custom})
		}
		l.rows = append(l.rows, resourceRow{r: r})
	}
	l.cursor = max(0, slices.IndexFunc(l.rows, func(row resourceRow) bool { return row.r != nil && row.r.Can("watch") }))
	if i := slices.IndexFunc(l.rows, func(row resourceRow) bool { return row.r != nil && row.r.ID() == l.Id }); i >= 0 {
		l.cursor = i
	}
	if l.cursor == 0 && len(l.rows) > 1 {
		l.cursor = 1 // behind the heading
	}
	if r := l.selected(); r != nil {
		l.Id = r.ID()
	}
}

// seek puts the cursor on the first resource that is called by the words, or begins with them.
func (l *resources) seek() {
	for _, fits := range []func(r *client.Resource) bool{
		func(r *client.Resource) bool { return r.Answers(l.words) },
		func(r *client.Resource) bool { return strings.HasPrefix(r.Name, strings.ToLower(l.words)) },
	} {
		if i := slices.IndexFunc(l.rows, func(row resourceRow) bool { return row.r != nil && fits(row.r) }); i >= 0 {
			l.point(i, 1)
			return
		}
	}
}

func (l *resources) selected() *client.Resource {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return nil
	}
	return l.rows[l.cursor].r
}

// Find is the resource of this id, nil if the server has none.
func (l *resources) Find(id string) *client.Resource {
	for i := range l.all {
		if l.all[i].ID() == id {
			return &l.all[i]
		}
	}
	return nil
}

// named finds a resource by any of its names.
func (l *resources) named(name string) *client.Resource {
	for i := range l.all {
		if l.all[i].Answers(name) {
			return &l.all[i]
		}
	}
	return nil
}

// point puts the cursor on a row; a heading hands it to the next resource in the direction of by.
func (l *resources) point(i, by int) {
	if len(l.rows) == 0 {
		return
	}
	i = max(0, min(i, len(l.rows)-1))
	for l.rows[i].r == nil && i+by >= 0 && i+by < len(l.rows) {
		i += by
	}
	if l.rows[i].r == nil {
		return
	}
	l.cursor, l.Id = i, l.rows[i].r.ID()
	l.o.resourceMoved()
}

func (l *resources) Move(n int) {
	at := l.cursor + n
	by := 1
	if n < 0 {
		by = -1
	}
	if at <= 0 {
		by = 1
	}
	l.point(at, by)
}

func (l *resources) End(bottom bool) {
	if bottom {
		l.point(len(l.rows)-1, -1)
		return
	}
	l.point(0, 1)
}

// title names the pane, and how much there is.
func (l *resources) title() string {
	if len(l.all) == 0 {
		return "resources"
	}
	return fmt.Sprintf("%d resources", len(l.all))
}
