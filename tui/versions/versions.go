// Package versions is the page of the axis of resourceVersions: a lane for each object, what each version means, and
// snapshots.
package versions

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// Page is the screen of the version axis: all commits on the lane above, then one lane for each object that has
// changed, those that changed last first. Only the server may order versions as the axis does.
type Page struct {
	env       *page.Env
	Lanes     []versionLane        // the first is of all objects
	byObject  map[page.Subject]int // indexes in lanes
	cursor    term.List[page.Subject]
	at        int64         // the chosen revision; 0 follows the newest of the lane
	axis      timeline.Axis // as drawn last
	whole     bool          // all versions that are held on the axis, several in one cell; else one a cell, those around the chosen one
	About     versionDetail
	rate      term.Rate
	snapshots []snapshot // as they were last asked for
}

// A versionLane is the commits of one object, oldest first.
type versionLane struct {
	Of      page.Subject // zero for all objects
	commits []flow.Commit
}

// New makes the page.
func New(u *page.Env) *Page {
	v := &Page{env: u}
	v.About.v = v
	return v
}

// In is the page at another moment. Where the chosen version was not there yet, the newest is chosen.
func (v *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor, p.whole, p.snapshots = v.cursor.Emptied(), v.whole, v.snapshots
	if v.at < u.Moment.Revision {
		p.at = v.at
	}
	p.About.read, p.About.asked = v.About.read, v.About.asked
	return p
}

// Steps says which versions { and } go through: those of the selected object, or all, from the selected one on
// where that is older than at.
func (v *Page) Steps(at int64) (from int64, wanted func(*flow.Commit) bool) {
	if v.at > 0 {
		at = min(at, v.at)
	}
	of := v.lane().Of
	return at, func(c *flow.Commit) bool {
		return of.Name == "" || c.Resource == of.Resource && c.Namespace == of.Namespace && c.Name == of.Name
	}
}

func (v *Page) Name() string       { return "versions" }
func (v *Page) Height() int        { return v.cursor.Height() }
func (v *Page) Panes() []page.Pane { return []page.Pane{v, &v.About} }
func (v *Page) Form() page.Form    { return page.Form{Stacked: true} }

func (v *Page) Fold([]*flow.Flow) {
	for _, c := range v.env.Time.Fresh {
		v.rate.Count(v.env.Clock(), c.At)
	}
	if v.env.Shows(page.Versions) && len(v.env.Time.Fresh) > 0 {
		v.Refilter()
	}
}

// Opened makes the lanes again, and goes to the object and the version that were chosen on another screen.
func (v *Page) Opened() {
	v.env.Followed()
	v.Refilter()
	for i, l := range v.Lanes {
		if i > 0 && l.Of == v.env.Subject {
			v.cursor.Point(i)
			v.at = v.env.Version
		}
	}
	v.About.recall()
	if v.env.Moment == nil {
		v.readSnapshots()
	}
}

// Arrived makes the lanes of what came while a moment of the past was looked at.
func (v *Page) Arrived() {
	if v.env.Moment == nil {
		v.Refilter()
	}
	v.About.recall()
}

// Refilter makes the lanes again, of the commits that the filter lets through, and keeps the cursor on its object.
func (v *Page) Refilter() {
	byObject := map[page.Subject]int{} // index in lanes
	v.Lanes = []versionLane{{}}
	for _, c := range v.env.Time.Commits {
		if v.env.Feed.Match != nil && !v.env.Feed.Match.Match(v.asFlow(c)) {
			continue
		}
		s := page.Subject{Resource: c.Resource, Key: client.Key{Namespace: c.Namespace, Name: c.Name}}
		if !v.env.InScope(s) {
			continue
		}
		v.Lanes[0].commits = append(v.Lanes[0].commits, c)
		i, ok := byObject[s]
		if !ok {
			i = len(v.Lanes)
			byObject[s] = i
			v.Lanes = append(v.Lanes, versionLane{Of: s})
		}
		v.Lanes[i].commits = append(v.Lanes[i].commits, c)
	}
	v.byObject = byObject
	if _, ok := byObject[v.cursor.Key]; !ok {
		v.cursor.Key = page.Subject{} // all objects
	}
	v.order()
}

// order puts the lanes with versions on the visible part of the axis first, and of these the one that changed last.
func (v *Page) order() {
	seen := v.axis
	if v.axis.Width == 0 || v.at == 0 {
		seen = timeline.Axis{To: v.env.Time.Head}
	}
	slices.SortStableFunc(v.Lanes[1:], func(a, b versionLane) int {
		return cmp.Or(cmp.Compare(b.newestOn(seen), a.newestOn(seen)), cmp.Compare(b.newest(), a.newest()))
	})
	for i, l := range v.Lanes {
		v.byObject[l.Of] = i
	}
	v.cursor.Keep(len(v.Lanes), func(i int) page.Subject { return v.Lanes[i].Of })
}

// newestOn is the newest version on an axis, 0 if there is none.
func (l *versionLane) newestOn(a timeline.Axis) int64 {
	if i := l.upTo(a.To); i >= 0 && l.commits[i].Revision >= a.From {
		return l.commits[i].Revision
	}
	return 0
}

// upTo is the index of the newest version up to a revision, -1 if there is none.
func (l *versionLane) upTo(rv int64) int {
	after, _ := slices.BinarySearchFunc(l.commits, rv+1,
		func(c flow.Commit, rv int64) int { return cmp.Compare(c.Revision, rv) })
	return after - 1
}

var changeVerbs = map[flow.ChangeType]string{flow.Created: "create", flow.Updated: "update", flow.Deleted: "delete"}

// asFlow is a commit as a flow, as far as a filter looks at it.
func (v *Page) asFlow(c flow.Commit) *flow.Flow {
	resource, group, _ := strings.Cut(c.Resource, ".")
	return &flow.Flow{Start: c.At, Client: flow.Client{Tag: v.env.Feed.Writers[c.Revision]}, Method: http.MethodPut, Status: http.StatusOK, Revision: c.Revision,
		Path:   "/" + resource + "/" + c.Name,
		Target: flow.Target{Verb: changeVerbs[c.Type], Group: group, Resource: resource, Namespace: c.Namespace, Name: c.Name}}
}

func (l *versionLane) newest() int64 {
	if len(l.commits) == 0 {
		return 0
	}
	return l.commits[len(l.commits)-1].Revision
}

// lane is the one under the cursor.
func (v *Page) lane() *versionLane {
	i := v.cursor.At()
	if i < 0 {
		return &versionLane{}
	}
	return &v.Lanes[i]
}

// At is the lane under the cursor, -1 for none.
func (v *Page) At() int { return v.cursor.At() }

// index is that of the chosen version in its lane: of the newest one that is not newer than at. -1 if there is none.
func (v *Page) index() int {
	l := v.lane()
	for i := len(l.commits) - 1; i >= 0; i-- {
		if v.at == 0 || l.commits[i].Revision <= v.at {
			return i
		}
	}
	return min(0, len(l.commits)-1)
}

// Chosen is the version under the cursor, nil if there is none.
func (v *Page) Chosen() *flow.Commit {
	i := v.index()
	if i < 0 {
		return nil
	}
	return &v.lane().commits[i]
}

// Move goes to another lane; there the version in force at the same time is chosen.
func (v *Page) Move(n int) {
	v.cursor.Move(n)
	v.choose()
}

// turn goes to a newer version of the lane, or to an older one.
func (v *Page) turn(by int) {
	l, i := v.lane(), v.index()
	if i < 0 {
		return
	}
	i = max(0, min(i+by, len(l.commits)-1))
	v.at = l.commits[i].Revision
	v.choose()
}

// End goes to the oldest version of the lane, or follows its newest.
func (v *Page) End(bottom bool) {
	if bottom {
		v.at = 0
		v.order()
		v.About.recall()
		return
	}
	v.turn(-len(v.lane().commits))
}

// choose shares the choice with the other screens.
func (v *Page) choose() {
	v.About.Top = 0
	v.About.recall()
	c := v.Chosen()
	if c == nil {
		return
	}
	if v.cursor.At() == 0 {
		v.axis = v.scale(v.axis.Width)
		v.order()
	}
	if v.at != 0 && v.cursor.At() > 0 {
		v.at = c.Revision
	}
	v.env.Chose(page.Subject{Resource: c.Resource, Key: client.Key{Namespace: c.Namespace, Name: c.Name}}, c.Revision)
}

// Seek selects the version that a request made, or the lane of an object.
func (v *Page) Seek(s page.Sought) bool {
	f := s.Flow
	if f == nil {
		return false
	}
	v.env.Choose(f)
	v.Opened()
	if i, ok := v.byObject[s.Subject]; ok && i > 0 && len(f.Effects) != 1 {
		v.cursor.Point(i)
		v.choose()
	}
	return true
}

// letter says in one letter how a version came to be.
func (v *Page) letter(c flow.Commit) string {
	return lineage.Letter(c, v.env.Maker(c.Revision))
}

// Tab shows how many changes there were in the last second.
func (v *Page) Tab() page.Tab {
	t := page.Tab{Name: "4 Versions", Short: "4Vers", Help: "Versions: every change on the axis of resourceVersions"}
	if n := v.rate.PerSecond(v.env.Clock()); n > 0 {
		t.Rate = term.Count(n) + "/s"
		t.Means = t.Rate + ": so many changes were committed in the last second."
	}
	return t
}

// Restless reports whether the rate is going to change by itself.
func (v *Page) Restless() bool { return v.rate.Alive(v.env.Clock()) }

func (v *Page) Count() page.Count {
	n := page.Count{What: "version", All: len(v.env.Time.Commits), Last: v.env.Time.Older()}
	if len(v.Lanes) > 0 {
		n.Shown = len(v.Lanes[0].commits)
	}
	return n
}

func (v *Page) Title(i int) (title, note term.Line) {
	if i == 0 {
		return term.Text(v.env.TitleStyle(0), v.env.T("versions")), term.Text(term.Dim, v.env.T("order known to the server; opaque to clients"))
	}
	title = term.Text(v.env.TitleStyle(1), v.env.T("no version"))
	if c := v.Chosen(); c != nil {
		title = term.Line{v.env.TitleStyle(1).Of("rv " + label.Revision(c.Revision) + " "), label.CommitStyle(*c).Of(v.letter(*c)), term.Plain.Of(" " + label.Object(*c))}
	}
	return title, nil
}

// Click chooses the lane that was clicked.
func (v *Page) Click(pane, _, y int) {
	if pane == 0 && v.cursor.Click(y-2) {
		v.choose()
	}
}

// Whose is the client whose request made the chosen version.
func (v *Page) Whose() (tag, why string) {
	c := v.Chosen()
	if c == nil {
		return "", v.env.T("there is no version under the cursor")
	}
	return v.env.Writer(c.Revision)
}
