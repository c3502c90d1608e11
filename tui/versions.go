package tui

import (
	"net/http"
	"slices"
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// versions is the screen of the version axis: all commits on the lane above, then one lane for each object that has
// changed, those that changed last first. What the axis orders only the server may order.
type versions struct {
	u         *env
	lanes     []versionLane   // the first is of all objects
	byObject  map[subject]int // indexes in lanes
	cursor    int
	at        int64 // the chosen revision; 0 follows the newest of the lane
	top, tall int
	whole     bool // all versions that are held on the axis, several in one cell; else one a cell, those around the chosen one
	about     versionDetail
	rate      term.Rate
	snapshots []snapshot // as they were last asked for
}

// A versionLane is the commits of one object, oldest first.
type versionLane struct {
	of      subject // zero for all objects
	commits []flow.Commit
}

func newVersions(u *env) *versions {
	v := &versions{u: u}
	v.about.v = v
	return v
}

func (v *versions) name() string  { return "versions" }
func (v *versions) Height() int   { return max(1, v.tall) }
func (v *versions) panes() []pane { return []pane{v, &v.about} }
func (v *versions) form() form    { return form{stacked: true} }

func (v *versions) fold([]*flow.Flow) {
	v.rate.Count(v.u.now(), v.u.time.Read)
	if v.u.screen == pageVersions && len(v.u.time.Fresh) > 0 {
		v.refilter()
	}
}

// opened takes the lanes anew, and goes to the object and the version that were chosen on another screen.
func (v *versions) opened() {
	v.u.followed()
	v.refilter()
	for i, l := range v.lanes {
		if i > 0 && l.of == v.u.subject {
			v.cursor, v.at = i, v.u.version
		}
	}
	v.about.recall()
	v.readSnapshots()
}

// refilter makes the lanes anew, of the commits that the filter lets through, and keeps the cursor on its object.
func (v *versions) refilter() {
	of := v.lane().of
	byObject := map[subject]int{} // index in lanes
	v.lanes = []versionLane{{}}
	for _, c := range v.u.time.Commits {
		if v.u.feed.Match != nil && !v.u.feed.Match.Match(v.asFlow(c)) {
			continue
		}
		v.lanes[0].commits = append(v.lanes[0].commits, c)
		s := subject{c.Resource, client.Key{Namespace: c.Namespace, Name: c.Name}}
		i, ok := byObject[s]
		if !ok {
			i = len(v.lanes)
			byObject[s] = i
			v.lanes = append(v.lanes, versionLane{of: s})
		}
		v.lanes[i].commits = append(v.lanes[i].commits, c)
	}
	slices.SortStableFunc(v.lanes[1:], func(a, b versionLane) int { return int(b.newest() - a.newest()) })
	for i, l := range v.lanes {
		byObject[l.of] = i
	}
	v.byObject = byObject
	v.cursor = max(0, slices.IndexFunc(v.lanes, func(l versionLane) bool { return l.of == of }))
}

var changeVerbs = map[flow.ChangeType]string{flow.Created: "create", flow.Updated: "update", flow.Deleted: "delete"}

// asFlow is a commit as far as a filter asks for it.
func (v *versions) asFlow(c flow.Commit) *flow.Flow {
	resource, group, _ := strings.Cut(c.Resource, ".")
	return &flow.Flow{Start: c.At, Client: flow.Client{Tag: v.u.feed.Writers[c.Revision]}, Method: http.MethodPut, Status: http.StatusOK, Revision: c.Revision,
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
func (v *versions) lane() *versionLane {
	if v.cursor >= len(v.lanes) {
		return &versionLane{}
	}
	return &v.lanes[v.cursor]
}

// index is that of the chosen version in its lane: of the newest one that is not newer than at. -1 if there is none.
func (v *versions) index() int {
	l := v.lane()
	for i := len(l.commits) - 1; i >= 0; i-- {
		if v.at == 0 || l.commits[i].Revision <= v.at {
			return i
		}
	}
	return min(0, len(l.commits)-1)
}

// chosen is the version under the cursor, nil if there is none.
func (v *versions) chosen() *flow.Commit {
	i := v.index()
	if i < 0 {
		return nil
	}
	return &v.lane().commits[i]
}

// move goes to another lane; there the version in force at the same time is chosen.
func (v *versions) Move(n int) {
	v.cursor = max(0, min(v.cursor+n, len(v.lanes)-1))
	v.choose()
}

// turn goes to a newer version of the lane, or to an older one.
func (v *versions) turn(by int) {
	l, i := v.lane(), v.index()
	if i < 0 {
		return
	}
	i = max(0, min(i+by, len(l.commits)-1))
	v.at = l.commits[i].Revision
	v.choose()
}

// end goes to the oldest version of the lane, or follows its newest.
func (v *versions) End(bottom bool) {
	if bottom {
		v.at = 0
		v.about.recall()
		return
	}
	v.turn(-len(v.lane().commits))
}

// choose shares the choice with the other screens.
func (v *versions) choose() {
	v.about.Top = 0
	v.about.recall()
	c := v.chosen()
	if c == nil {
		return
	}
	if v.at != 0 && v.cursor > 0 {
		v.at = c.Revision
	}
	v.u.chose(subject{c.Resource, client.Key{Namespace: c.Namespace, Name: c.Name}}, c.Revision)
}

// letter says in one letter how a version came to be.
func (v *versions) letter(c flow.Commit) string {
	switch f := v.u.maker(c.Revision); {
	case c.Outside:
		return "X"
	case f == nil || c.Type != flow.Updated:
		return string(c.Type)
	case f.Target.Verb == "apply":
		return "A"
	case f.Target.Subresource == "status":
		return "S"
	case strings.HasPrefix(f.Target.Verb, "delete"):
		return "T"
	}
	return "U"
}

// tab tells how many changes there were in the last second.
func (v *versions) tab() tabLabel {
	t := tabLabel{name: "4 Versions", short: "4Vers", help: "Versions: every change on the axis of resourceVersions"}
	if n := v.rate.PerSecond(); n > 0 && v.rate.Alive(v.u.now()) {
		t.badge = term.Count(n) + "/s"
	}
	return t
}

// restless reports that the badge is going to change by itself.
func (v *versions) restless() bool { return v.rate.Alive(v.u.now()) }

func (v *versions) count() rowCount {
	n := rowCount{what: "version", all: len(v.u.time.Commits)}
	if len(v.lanes) > 0 {
		n.shown = len(v.lanes[0].commits)
	}
	return n
}

func (v *versions) title(i int) (title, note term.Line) {
	if i == 0 {
		return term.Text(v.u.titleStyle(0), "versions"), term.Text(term.Dim, "order known to the server; opaque to clients")
	}
	title = term.Text(v.u.titleStyle(1), "no version")
	if c := v.chosen(); c != nil {
		title = term.Line{v.u.titleStyle(1).Of("rv " + label.Revision(c.Revision) + " "), label.CommitStyle(*c).Of(v.letter(*c)), term.Plain.Of(" " + label.Object(*c))}
	}
	return title, nil
}

// click chooses the lane that was clicked.
func (v *versions) click(pane, _, y int) {
	if i := v.top + y - 2; pane == 0 && i >= 0 && i < len(v.lanes) {
		v.cursor = i
		v.choose()
	}
}
