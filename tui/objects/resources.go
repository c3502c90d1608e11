package objects

import (
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// resources is the list of the server's resources, by group.
type resources struct {
	o          *Page
	all        []client.Resource
	rows       []resourceRow     // those that match the words, with a heading for each group
	cursor     term.List[string] // by the ids of the resources
	words      string            // only resources that have all of these are listed
	err        error
	asked      bool // discovery is in progress, or has answered
	stale      bool // a definition has changed since
	recount    bool // commits were missed: the counts may be wrong
	uncounted  bool // to be counted when the page is shown
	due        bool // resources of other servers are about to be counted
	generation int
}

// A resourceRow is a line of the list: a resource, or with nil the heading of a group.
type resourceRow struct {
	r       *client.Resource
	heading string
	origin  string // of a heading: the origin of its resources
}

// Name returns the name of the pane.
func (l *resources) Name() string { return "resources" }

// Height returns the number of visible rows.
func (l *resources) Height() int { return l.cursor.Height() }

// load reads the resources, and then counts their objects.
func (l *resources) load() {
	l.asked, l.stale = true, false
	l.generation++
	generation, a := l.generation, l.o.env.API
	l.o.env.Do(page.Work{Run: func() func() {
		all, err := a.Resources()
		return func() { l.take(generation, all, err) }
	}})
}

// take handles the answer of load.
func (l *resources) take(generation int, all []client.Resource, err error) {
	if generation != l.generation {
		return
	}
	if l.err = err; err != nil {
		l.o.arrived()
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
	l.o.arrived()
	l.arrange()
	if first && l.o.shown() {
		l.o.arrive() // at the object chosen before its resource was known
	}
	l.o.resourceMoved()
	l.tally()
}

// tally counts the objects of resources that are not counted yet, and of other servers; the other counts follow
// commits.
func (l *resources) tally() {
	var unknown []client.Resource
	for _, r := range l.all {
		if !r.Counted || r.Elsewhere {
			unknown = append(unknown, r)
		}
	}
	generation, a, asked, namespace := l.generation, l.o.env.API, l.o.env.Time.Head, l.o.env.Namespace
	l.o.env.Do(page.Work{Run: func() func() {
		counts := a.Tallies(unknown, namespace)
		return func() {
			if generation == l.generation && namespace == l.o.env.Namespace {
				l.takeCounts(asked, counts)
			}
		}
	}})
}

// takeCounts takes counts that were read at a revision, and applies later commits. If the timeline no longer holds all
// of these, objects are counted again.
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

// missed is called when commits were missed: objects are counted again, at once or when the page is shown.
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

// countAnew reads the resources and counts all objects again.
func (l *resources) countAnew() {
	l.forgetCounts()
	l.load()
}

// definitionRest is the time between a change of a definition and the next discovery: definitions change several times
// while they are established, and often several come together.
const definitionRest = time.Second

// apiServices are the objects that assign group versions to other servers.
const apiServices = "apiservices.apiregistration.k8s.io"

// written is called when a client wrote to another server, which makes no commit here.
func (l *resources) written(of flow.Target) {
	if l.due || !slices.ContainsFunc(l.all, func(r client.Resource) bool { return r.IsElsewhere(of) }) {
		return
	}
	if !l.o.shown() {
		l.uncounted = true
		return
	}
	l.due = true
	l.o.env.Do(page.Later{After: client.TableRest, Do: func() {
		l.due = false
		l.tally()
	}})
}

// committed updates the counts, and reads the resources again after a definition or an APIService has changed.
func (l *resources) committed(c flow.Commit) {
	l.count(c)
	if c.Resource != object.Definitions && c.Resource != apiServices || l.stale {
		return
	}
	l.stale = true
	l.o.env.Do(page.Later{After: definitionRest, Do: func() {
		if l.stale && l.o.shown() {
			l.load()
		}
	}})
}

// count applies a commit to a count if it is newer.
func (l *resources) count(c flow.Commit) {
	for i := range l.all {
		r := &l.all[i]
		if r.ID() != c.Resource || !r.Counted || c.Revision <= r.CountedAt || !l.o.lists(r, c.Namespace) {
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

// arrange rebuilds the rows and keeps the cursor on its resource.
func (l *resources) arrange() {
	l.rows = l.rows[:0]
	heading := ""
	for i := range l.all {
		r := &l.all[i]
		if !label.HasWords(l.words, r.Name, r.Kind, r.Group, strings.Join(r.Short, " "),
			strings.Join(r.Categories, " "), r.Origin()) {
			continue
		}
		if h := r.GroupVersion(); h != heading {
			heading = h
			l.rows = append(l.rows, resourceRow{heading: h, origin: r.Origin()})
		}
		l.rows = append(l.rows, resourceRow{r: r})
	}
	if !slices.ContainsFunc(l.rows, func(row resourceRow) bool { return row.r != nil && row.id() == l.cursor.Key }) {
		l.cursor.Key = l.first()
	}
	l.cursor.Skip = func(i int) bool { return l.rows[i].r == nil }
	l.cursor.Keep(len(l.rows), func(i int) string { return l.rows[i].id() })
}

// first returns the id of the first resource with stored objects, unlike reviews and the like; "" if there is none.
func (l *resources) first() string {
	i := slices.IndexFunc(l.rows, func(row resourceRow) bool { return row.r != nil && row.r.Can("watch") })
	if i < 0 {
		return ""
	}
	return l.rows[i].id()
}

// id returns the id of the row's resource, "" for a heading.
func (row resourceRow) id() string {
	if row.r == nil {
		return ""
	}
	return row.r.ID()
}

// seek moves the cursor to the first resource whose name is the words, or begins with them.
func (l *resources) seek() {
	for _, fits := range []func(r *client.Resource) bool{
		func(r *client.Resource) bool { return r.Answers(l.words) },
		func(r *client.Resource) bool { return strings.HasPrefix(r.Name, strings.ToLower(l.words)) },
	} {
		if i := slices.IndexFunc(l.rows, func(row resourceRow) bool { return row.r != nil && fits(row.r) }); i >= 0 {
			l.moved(l.cursor.Point(i))
			return
		}
	}
}

func (l *resources) selected() *client.Resource {
	i := l.cursor.At()
	if i < 0 {
		return nil
	}
	return l.rows[i].r
}

// find returns the resource with this id, nil if there is none.
func (l *resources) find(id string) *client.Resource {
	for i := range l.all {
		if l.all[i].ID() == id {
			return &l.all[i]
		}
	}
	return nil
}

// named finds a resource by any of its names; plural names take precedence over short ones.
func (l *resources) named(name string) *client.Resource {
	for _, fits := range []func(r *client.Resource) bool{
		func(r *client.Resource) bool { return r.Name == strings.ToLower(name) },
		func(r *client.Resource) bool { return r.Answers(name) },
	} {
		if i := slices.IndexFunc(l.all, func(r client.Resource) bool { return fits(&r) }); i >= 0 {
			return &l.all[i]
		}
	}
	return nil
}

// moved is called after a move.
func (l *resources) moved(chosen bool) {
	if chosen {
		l.o.resourceMoved()
	}
}

// Move moves the cursor by n resources, skipping headings.
func (l *resources) Move(n int) { l.moved(l.cursor.Move(n)) }

// End goes to the first resource, or to the last.
func (l *resources) End(bottom bool) { l.moved(l.cursor.End(bottom)) }

// title returns the title of the pane.
func (l *resources) title() string {
	if len(l.all) == 0 {
		return l.o.env.T("resources")
	}
	return l.o.env.F("%d resources", len(l.all))
}
