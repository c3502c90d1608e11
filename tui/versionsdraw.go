package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
)

// scale is the axis of the lanes: one version a cell around the chosen one, or all that are held.
func (v *versions) scale(w int) axis {
	head := max(v.u.time.head, 1)
	oldest := head
	if cs := v.u.time.commits; len(cs) > 0 {
		oldest = cs[0].Revision
	}
	if v.whole {
		return axis{from: max(0, min(oldest-1, head-int64(w)+1)), to: head, width: w}
	}
	to := head
	if c := v.chosen(); c != nil && c.Revision < head-int64(w)+1 {
		to = min(head, c.Revision+int64(w)/2)
	}
	return axis{from: to - int64(w) + 1, to: to, width: w}
}

// draw shows the lanes on their axis, with what is compacted, the head, and how far each watch has come.
func (v *versions) draw(c *canvas, i int, r rect) {
	if i == 0 {
		v.drawLanes(c, r)
		return
	}
	v.about.drawIn(c, r)
}

func (v *versions) drawLanes(c *canvas, r rect) {
	if len(v.lanes) == 0 {
		v.refilter()
	}
	if v.drawNothing(c, r) {
		return
	}
	names := min(34, max(16, r.w*28/100))
	w := r.w - names - 9
	a := v.scale(w)
	c.put(r, names, 0, sHead, v.labels(a))
	c.put(r, 2, 0, sHead, fit(pick(v.whole, "all held", "one cell a version"), names-3))
	v.drawSnapshots(c, rect{r.x, r.y + 1, r.w, 1}, names, a)
	v.drawWatchers(c, rect{r.x, r.y + 1, r.w, 1}, names, a)
	v.tall = r.h - 2
	v.top = max(0, min(v.top, v.cursor, len(v.lanes)-v.tall), v.cursor-v.tall+1)
	for y := 0; y < v.tall && v.top+y < len(v.lanes); y++ {
		i := v.top + y
		row := r.row(y + 2)
		v.drawLane(c, row, names, i, a)
		if i == v.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(rect{row.x, row.y, names, 1}, v.u.rowStyle(0))
		}
	}
}

// labels are revisions over the axis; those before 0, which there never were, are left out.
func (v *versions) labels(a axis) string {
	if a.from >= 0 {
		return a.labels()
	}
	skip := int(-a.from)
	return strings.Repeat(" ", skip) + axis{from: 0, to: a.to, width: a.width - skip}.labels()
}

// mostTags is how many watches at one revision are named; more are counted.
const mostTags = 6

// drawWatchers marks how far each open watch has come, so that one that is behind stands left of the head.
func (v *versions) drawWatchers(c *canvas, r rect, names int, a axis) {
	c.put(r, 2, 0, sDim, "watches at")
	at := map[int][]string{}
	for _, w := range v.u.streams.list {
		s := w.State()
		if !s.Ended.IsZero() {
			continue
		}
		reached := max(s.Position, s.Last, w.Start)
		if !v.u.streams.behind(w, s) {
			reached = v.u.time.head // nothing newer concerns it
		}
		x := max(0, a.at(min(reached, a.to)))
		at[x] = append(at[x], w.Client.Tag)
	}
	for x := range a.width {
		tags := at[x]
		if len(tags) == 0 {
			continue
		}
		s := fit(strings.Join(tags, ","), max(4, a.width/3))
		if len(tags) > mostTags {
			s = count(len(tags)) + " watches"
		}
		if n := ansi.StringWidth(s); x+1+n <= a.width+8 {
			c.put(r, names+x, 0, sOpen, "▲"+s)
		} else {
			c.put(r, names+x-n, 0, sOpen, s+"▲")
		}
	}
}

func (v *versions) drawLane(c *canvas, r rect, names, i int, a axis) {
	l := &v.lanes[i]
	name := "all objects"
	if i > 0 {
		name = objectNameIn(l.commits[0], names-3)
	}
	c.put(r, 2, 0, pick(i == 0, sBold, sPlain), name)
	box := rect{r.x + names, r.y, a.width, 1}
	v.drawGround(c, box, l, i == 0, a)
	v.drawMarks(c, box, l, a)
	if i == 0 {
		c.put(r, names+a.width, 0, sBold, "┃head")
	} else {
		c.put(r, names+a.width, 0, sBold, "┃")
		c.put(r, names+a.width+1, 0, sNum, revision(l.newest()))
	}
}

// drawGround shows what lies between the marks of a lane: what is compacted, where the object was not there, and where
// it was. What was committed before the UI looked is blank: it is not known.
func (v *versions) drawGround(c *canvas, r rect, l *versionLane, all bool, a axis) {
	known := v.u.time.commits[0].Revision
	for x := range r.w {
		st, glyph := sDim, "·"
		rv := a.from + (a.to-a.from)*int64(x)/int64(max(1, a.width-1))
		switch {
		case rv < v.u.time.compacted:
			glyph = pick(rv <= 0 || !all, " ", "▒")
		case rv < known && (all || !l.alive(rv)):
			glyph = " "
		case !all && l.alive(rv):
			glyph = "─"
		}
		c.put(r, x, 0, st, glyph)
	}
}

// alive reports whether the object existed at a revision, as far as the commits tell: before the first that is known it
// did, unless that one created it.
func (l *versionLane) alive(rv int64) bool {
	after, _ := slices.BinarySearchFunc(l.commits, rv+1, func(c flow.Commit, rv int64) int { return cmp.Compare(c.Revision, rv) })
	if after == 0 {
		return l.commits[0].Type != flow.Created
	}
	return l.commits[after-1].Type != flow.Deleted
}

// drawMarks puts a letter for each version, or a bar where several share a cell, and sets off the chosen one.
func (v *versions) drawMarks(c *canvas, r rect, l *versionLane, a axis) {
	counts := make([]uint64, a.width)
	var most uint64
	for _, cm := range l.commits {
		if x := a.at(cm.Revision); x >= 0 && cm.Revision <= a.to {
			counts[x]++
			most = max(most, counts[x])
		}
	}
	chosen, drawn := v.chosen(), make([]bool, a.width)
	for _, cm := range slices.Backward(l.commits) {
		x := a.at(cm.Revision)
		if x < 0 || cm.Revision > a.to {
			continue
		}
		if counts[x] > 1 && drawn[x] && !cm.Outside {
			continue // the bar is there
		}
		drawn[x] = true
		st, glyph := commitStyle(cm), bars[min(7, counts[x]*7/most)]
		if counts[x] == 1 {
			glyph = v.letter(cm)
		}
		if cm.Revision < v.u.time.compacted && cm.Revision != v.kept(cm) {
			st = sDim
		}
		if counts[x] > 1 {
			st = sOpen
		}
		if cm.Outside && st != sDim {
			st = sWarn
		}
		c.put(r, x, 0, st, glyph)
	}
	if chosen != nil && l.holds(chosen.Revision) {
		// It stays to be seen among those that share its cell.
		c.put(r, a.at(chosen.Revision), 0, commitStyle(*chosen)|selected, v.letter(*chosen))
	}
}

// kept is the newest version of a commit's object, which compaction keeps; 0 if the object is deleted.
func (v *versions) kept(c flow.Commit) int64 {
	i, ok := v.byObject[subject{c.Resource, objectKey{c.Namespace, c.Name}}]
	if !ok {
		return 0
	}
	l := &v.lanes[i]
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
func (v *versions) drawNothing(c *canvas, r rect) bool {
	if len(v.lanes[0].commits) > 0 {
		return false
	}
	say := []line{
		text(sBold, "Nothing was committed since the UI started."),
		text(sPlain, "Each change of an object will be a mark here. In another window:"),
		text(sAccent, "  kubectl"+v.u.serverFlag()+" create configmap first --from-literal=a=b"),
	}
	if err := v.u.time.unread; err != nil {
		say = append(say, nil, text(sWarn, "What was committed before could not be read back: "+err.Error()))
	}
	if n := len(v.u.time.commits); n > 0 {
		say = []line{text(sBold, fmt.Sprintf("0 of %s versions pass the filter.", count(n))), {{sKey, "*"}, {sPlain, " clears it, "}, {sKey, "/"}, {sPlain, " changes it"}}}
	}
	for y, l := range say {
		c.line(r, 3, 1+y, fitLine(l, r.w-4))
	}
	return true
}
