package versions

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// scale is the axis of the lanes: one version a cell around the chosen one, or all that are held.
func (v *Page) scale(w int) timeline.Axis {
	head := max(v.env.Time.Head, 1)
	oldest := head
	if cs := v.env.Time.Commits; len(cs) > 0 {
		oldest = cs[0].Revision
	}
	if v.whole {
		return timeline.Axis{From: max(0, min(oldest-1, head-int64(w)+1)), To: head, Width: w}
	}
	to := head
	if c := v.Chosen(); c != nil && c.Revision < head-int64(w)+1 {
		to = min(head, c.Revision+int64(w)/2)
	}
	return timeline.Axis{From: to - int64(w) + 1, To: to, Width: w}
}

// Draw shows the lanes on their axis, with what is compacted, the head, and how far each watch has come.
func (v *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	if i == 0 {
		v.drawLanes(c, r)
		return
	}
	v.About.drawIn(c, r)
}

func (v *Page) drawLanes(c *term.Canvas, r term.Rect) {
	if len(v.Lanes) == 0 {
		v.Refilter()
	}
	if v.drawNothing(c, r) {
		return
	}
	names := min(max(34, r.W/4), max(16, r.W*28/100))
	w := r.W - names - 9
	a := v.scale(w)
	v.axis = a
	c.Put(r, names, 0, term.Head, v.labels(a))
	c.Put(r, 2, 0, term.Head, term.Fit(term.Pick(v.whole, "all held", "one cell a version"), names-3))
	v.drawSnapshots(c, term.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: 1}, names, a)
	v.drawWatchers(c, term.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: 1}, names, a)
	lanes := r.From(2)
	if r.H >= legendFrom {
		lanes.H--
		c.Line(r, 2, r.H-1, term.FitLine(legend(v.env.Store()), r.W-3))
	}
	v.cursor.Width, v.cursor.First = names, true
	v.cursor.Draw(c, lanes, v.env.RowStyle(0), func(row term.Rect, i int) { v.drawLane(c, row, names, i, a) })
}

// legendFrom is the height from which on a legend is drawn below the lanes.
const legendFrom = 8

// legend says what the signs on the axis mean, the usual ones first.
func legend(s *label.Store) term.Line {
	return term.Line{
		term.Add.Of("C"), term.Dim.Of(" created "), term.Bold.Of("U"), term.Dim.Of(" updated "), term.Del.Of("D"), term.Dim.Of(" deleted "),
		term.Bold.Of("A"), term.Dim.Of(" applied "), term.Bold.Of("S"), term.Dim.Of(" status "), term.Del.Of("T"), term.Dim.Of(" deletion began "),
		term.Warn.Of("X"), term.Dim.Of(" " + s.X + " "), term.Open.Of("▃"), term.Dim.Of(" several "), term.Dim.Of("─ exists ▒ compacted "), term.Open.Of("▲"), term.Dim.Of(" a watch"),
	}
}

// labels are revisions over the axis, without those below 0, which do not exist.
func (v *Page) labels(a timeline.Axis) string {
	if a.From >= 0 {
		return a.Labels()
	}
	skip := int(-a.From)
	return strings.Repeat(" ", skip) + timeline.Axis{From: 0, To: a.To, Width: a.Width - skip}.Labels()
}

// mostTags is how many watches at one revision are named; more are counted.
const mostTags = 6

// drawWatchers marks how far each open watch has come: one that lags is left of the head.
func (v *Page) drawWatchers(c *term.Canvas, r term.Rect, names int, a timeline.Axis) {
	c.Put(r, 2, 0, term.Dim, "watches at")
	at := map[int][]string{}
	for _, w := range v.env.Streams.List {
		s := w.State()
		if !s.Ended.IsZero() {
			continue
		}
		reached := max(s.Position, s.Last, w.Start)
		if !v.env.Streams.Behind(w, s) {
			reached = v.env.Time.Head // nothing newer concerns it
		}
		x := max(0, a.At(min(reached, a.To)))
		at[x] = append(at[x], w.Client.Tag)
	}
	for x := range a.Width {
		tags := at[x]
		if len(tags) == 0 {
			continue
		}
		s := term.Fit(strings.Join(tags, ","), max(4, a.Width/3))
		if len(tags) > mostTags {
			s = term.Count(len(tags)) + " watches"
		}
		if n := cells.Width(s); x+1+n <= a.Width+8 {
			c.Put(r, names+x, 0, term.Open, "▲"+s)
		} else {
			c.Put(r, names+x-n, 0, term.Open, s+"▲")
		}
	}
}

func (v *Page) drawLane(c *term.Canvas, r term.Rect, names, i int, a timeline.Axis) {
	l := &v.Lanes[i]
	name := "all objects"
	if i > 0 {
		name = label.ObjectIn(l.commits[0], names-3)
	}
	c.Put(r, 2, 0, term.Pick(i == 0, term.Bold, term.Plain), name)
	box := term.Rect{X: r.X + names, Y: r.Y, W: a.Width, H: 1}
	v.drawGround(c, box, l, i == 0, a)
	if i == 0 {
		v.drawOlder(c, box, a)
	}
	v.drawMarks(c, box, l, i == 0, a)
	end := term.Pick(a.To < v.env.Time.Head, "…", "┃") // newer ones are further right, or there are none
	switch {
	case i == 0 && end == "┃":
		c.Put(r, names+a.Width, 0, term.Bold, term.Pick(v.env.Moment == nil, "┃head", "┃then"))
	case i == 0:
		c.Put(r, names+a.Width, 0, term.Dim, end)
	default:
		c.Put(r, names+a.Width, 0, term.Bold, end)
		c.Put(r, names+a.Width+1, 0, term.Num|term.Version, label.Revision(l.newest()))
	}
}

// drawGround shows between the marks of a lane which revisions are compacted, and at which the object existed. Commits
// from before the UI looked are blank: they are not known.
func (v *Page) drawGround(c *term.Canvas, r term.Rect, l *versionLane, all bool, a timeline.Axis) {
	known := v.env.Time.Commits[0].Revision
	for x := range r.W {
		st, glyph := term.Dim, "·"
		rv := a.From + (a.To-a.From)*int64(x)/int64(max(1, a.Width-1))
		switch {
		case rv < v.env.Time.Compacted:
			glyph = term.Pick(rv <= 0 || !all, " ", "▒")
		case rv < known && (all || !l.alive(rv)):
			glyph = " "
		case !all && l.alive(rv):
			glyph = "─"
		}
		c.Put(r, x, 0, st, glyph)
	}
}

// alive reports whether the object existed at a revision, as far as the commits show: before the first that is known it
// did, unless that one created it.
func (l *versionLane) alive(rv int64) bool {
	i := l.upTo(rv)
	if i < 0 {
		return l.commits[0].Type != flow.Created
	}
	return l.commits[i].Type != flow.Deleted
}

// drawOlder says in the first lane what is before the versions that the UI has.
func (v *Page) drawOlder(c *term.Canvas, r term.Rect, a timeline.Axis) {
	from, to := max(0, a.At(v.env.Time.Compacted)), a.At(v.env.Time.Commits[0].Revision)
	if says := "older ones are readable, not shown … "; v.env.Time.Older() && to > from {
		says = cells.FitLeft(says, to-from)
		c.Put(r, to-cells.Width(says), 0, term.Dim, says)
	}
}

// drawMarks puts a letter for each version, or a bar where several share a cell, and sets off the chosen one. The lane
// of all objects leaves compacted cells shaded.
func (v *Page) drawMarks(c *term.Canvas, r term.Rect, l *versionLane, all bool, a timeline.Axis) {
	commits := l.commits
	if all {
		commits = commits[l.upTo(v.env.Time.Compacted-1)+1:]
	}
	counts := make([]uint64, a.Width)
	var most uint64
	for _, cm := range commits {
		if x := a.At(cm.Revision); x >= 0 && cm.Revision <= a.To {
			counts[x]++
			most = max(most, counts[x])
		}
	}
	chosen, drawn := v.Chosen(), make([]bool, a.Width)
	for _, cm := range slices.Backward(commits) {
		x := a.At(cm.Revision)
		if x < 0 || cm.Revision > a.To {
			continue
		}
		if counts[x] > 1 && drawn[x] && !cm.Outside {
			continue // the bar is there
		}
		drawn[x] = true
		st, glyph := label.CommitStyle(cm), term.Bars[min(7, counts[x]*7/most)]
		if counts[x] == 1 {
			glyph = v.letter(cm)
		}
		if cm.Revision < v.env.Time.Compacted && cm.Revision != v.kept(cm) {
			st = term.Dim
		}
		if counts[x] > 1 {
			st = term.Open
		}
		if cm.Outside && st != term.Dim {
			st = term.Warn
		}
		c.Put(r, x, 0, st, glyph)
	}
	if chosen != nil && l.holds(chosen.Revision) {
		// It stays visible among those that share its cell.
		c.Put(r, a.At(chosen.Revision), 0, label.CommitStyle(*chosen)|term.Selected, v.letter(*chosen))
	}
}

// kept is the newest version of a commit's object, which compaction keeps; 0 if the object is deleted.
func (v *Page) kept(c flow.Commit) int64 {
	i, ok := v.byObject[page.Subject{Resource: c.Resource, Key: client.Key{Namespace: c.Namespace, Name: c.Name}}]
	if !ok {
		return 0
	}
	l := &v.Lanes[i]
	if newest := l.commits[len(l.commits)-1]; newest.Type != flow.Deleted {
		return newest.Revision
	}
	return 0
}

// holds reports whether a revision is one of the lane's.
func (l *versionLane) holds(rv int64) bool {
	return slices.ContainsFunc(l.commits, func(c flow.Commit) bool { return c.Revision == rv })
}

// drawNothing says why there are no versions, and reports whether that is so.
func (v *Page) drawNothing(c *term.Canvas, r term.Rect) bool {
	if len(v.Lanes[0].commits) > 0 {
		return false
	}
	say := []term.Line{term.Text(term.Bold, "Nothing was committed "+v.env.Since()+".")}
	if v.env.Acts() {
		say = append(say, term.Text(term.Plain, "Each change of an object will be a mark here. In another window:"),
			term.Text(term.Accent, "  "+v.env.Kubectl()+" create configmap first --from-literal=a=b"))
	}
	if err := v.env.Time.Unread; err != nil {
		say = append(say, nil, term.Text(term.Warn, "Earlier commits could not be read back: "+err.Error()))
	}
	if n := len(v.env.Time.Commits); n > 0 {
		say = []term.Line{term.Text(term.Bold, fmt.Sprintf("0 of %s versions pass the filter.", term.Count(n))), {term.Key.Of("*"), term.Plain.Of(" clears it, "), term.Key.Of("/"), term.Plain.Of(" changes it")}}
	}
	c.Notice(r, say...)
	return true
}
