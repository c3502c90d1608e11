package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
)

// strip is the axis of versions at the bottom of every screen: how many changes were committed when. Its order is what
// the server knows; for clients a resourceVersion is opaque.
type strip struct {
	u       *ui
	commits []flow.Commit    // the newest, at most keepCommits
	read    uint64           // the log's number of the last commit read
	fresh   []flow.Commit    // those that came with the last fold
	newest  map[string]int64 // by resource, the newest commit of it
	before  int64            // commits up to this one are from before the UI, read back from the store; 0 for none
	unread  error            // why those could not be read back
}

// keepCommits is how many commits the axis and the lanes reach back.
const keepCommits = 4096

func (s *strip) init(u *ui) { *s = strip{u: u, newest: map[string]int64{}} }

func (s *strip) fold() {
	cs, read := s.u.o.Log.Commits(s.read)
	if n := len(s.commits); n > 0 {
		newest := s.commits[n-1].Revision
		cs = slices.DeleteFunc(cs, func(c flow.Commit) bool { return c.Revision <= newest }) // read back already
	}
	s.read, s.fresh = read, cs
	s.commits = append(s.commits, cs...)
	for _, c := range cs {
		s.newest[c.Resource] = c.Revision
	}
	if n := len(s.commits) - keepCommits; n > keepCommits {
		s.commits = append([]flow.Commit(nil), s.commits[n:]...)
	}
}

// steps are the times that one cell of the axis may stand for.
var steps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// live are the commits that the axis shows: all since the UI looks, or while there are none those from before.
func (s *strip) live() []flow.Commit {
	i := slices.IndexFunc(s.commits, func(c flow.Commit) bool { return c.Revision > s.before })
	return s.commits[max(0, i):]
}

// cells counts the commits per cell, newest last, and says how long a cell is. The axis ends with the newest commit's
// cell: while nothing is committed it stands still.
func (s *strip) cells(n int) ([]uint64, time.Duration) {
	out := make([]uint64, n)
	commits := s.live()
	if len(commits) == 0 || n == 0 {
		return out, steps[0]
	}
	first, last := commits[0].At, commits[len(commits)-1].At
	step := steps[0]
	for _, step = range steps {
		if last.Sub(first) < step*time.Duration(n) {
			break
		}
	}
	edge := last.Truncate(step).Add(step)
	for i := len(commits) - 1; i >= 0; i-- {
		at := n - 1 - int(edge.Sub(commits[i].At)/step)
		if at < 0 {
			break
		}
		out[min(at, n-1)]++
	}
	return out, step
}

// draw shows the axis; with three rows it has a title and names the newest commits.
func (s *strip) draw(c *canvas, r rect) {
	if r.empty() {
		return
	}
	y := 0
	from := "0"
	if cs := s.live(); len(cs) > 0 {
		from = fmt.Sprint(cs[0].Revision)
	}
	if s.u.compacted > 0 {
		from = fmt.Sprintf("%d▒▒", s.u.compacted)
	}
	head := fmt.Sprintf("▏%d head", s.u.head)
	n := max(8, r.w-len([]rune(from))-len([]rune(head))-2)
	if r.h >= 3 {
		n = min(n, r.w-len([]rune(from))-len([]rune(head))-30)
	}
	cells, step := s.cells(n)
	note := fmt.Sprintf("   one cell = %s", stepText(step))
	if r.h >= 3 {
		c.rule(r, 0, sBorder, text(sPlain, "versions, all objects"), text(sDim, "order known to the server; opaque to clients"))
		y = 1
	}
	x := c.put(r, 1, y, sDim, from)
	x = c.put(r, x, y, sOpen, spark(cells))
	x = c.put(r, x, y, sBold, head)
	if r.h >= 3 {
		c.put(r, x, y, sDim, note)
		s.drawNewest(c, r)
	}
}

func stepText(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return plural(int(d.Hours())/24, "day")
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// drawNewest names the newest commits, newest last, and sets off that of the selected request.
func (s *strip) drawNewest(c *canvas, r rect) {
	if len(s.commits) == 0 {
		c.put(r, 1, 2, sDim, "nothing was committed since the UI started")
		return
	}
	var parts []line
	used := 2
	for i := len(s.commits) - 1; i >= 0; i-- {
		cm := s.commits[i]
		l := line{{sDim, fmt.Sprintf("%d ", cm.Revision)}, {commitStyle(cm), string(cm.Type)}, {sPlain, " " + objectName(cm)}}
		if cm.Outside {
			l[1] = span{sWarn, "X"}
		}
		if s.u.sel != nil && s.u.sel.Revision == cm.Revision && len(s.u.sel.Effects) > 0 {
			l = append(line{{sBold, "▲ "}}, l...)
		}
		if used+l.width()+3 > r.w {
			break
		}
		used += l.width() + 3
		parts = append(parts, l)
	}
	x := 1
	for i := len(parts) - 1; i >= 0; i-- {
		x = c.line(r, x, 2, parts[i]) + 3
	}
}

func commitStyle(cm flow.Commit) style {
	switch cm.Type {
	case flow.Created:
		return sAdd
	case flow.Deleted:
		return sDel
	}
	return sBold
}

// An axis maps revisions to columns: the newest commits, so that each has a place, or all since a revision if fewer.
type axis struct {
	from, to int64
	width    int
}

// lanes is the axis for the lanes of watches in w columns.
func (s *strip) lanes(w int) axis {
	a := axis{to: max(s.u.head, 1), width: w}
	span := int64(w)
	if span < 100 {
		span = 100
	}
	a.from = max(0, a.to-span, s.floor())
	if a.to-a.from < int64(min(w, 20)) {
		a.from = max(0, a.to-int64(min(w, 20)))
	}
	return a
}

// floor is the oldest revision that is worth a place on the axis.
func (s *strip) floor() int64 {
	lowest := s.u.head
	if len(s.commits) > 0 {
		lowest = s.commits[0].Revision - 1
	}
	for _, w := range s.u.watches.all {
		if w.Start > 0 {
			lowest = min(lowest, w.Start)
		}
		if st := w.State(); st.Position > 0 {
			lowest = min(lowest, st.Position)
		}
	}
	return lowest
}

// at is the column of a revision; those before the axis are -1.
func (a axis) at(rv int64) int {
	if rv < a.from {
		return -1
	}
	if a.to <= a.from {
		return a.width - 1
	}
	return min(a.width-1, int((rv-a.from)*int64(a.width-1)/(a.to-a.from)))
}

// labels writes revisions over the axis, about every 20 columns.
func (a axis) labels() string {
	out := []byte(strings.Repeat(" ", a.width))
	next := 0
	for x := 0; x < a.width; x++ {
		rv := a.from + (a.to-a.from)*int64(x)/int64(max(1, a.width-1))
		label := fmt.Sprint(rv)
		if x < next || x+len(label) > a.width-1-len(fmt.Sprint(a.to)) {
			continue
		}
		copy(out[x:], label)
		next = x + max(14, len(label)+6)
	}
	label := fmt.Sprint(a.to)
	if len(label) <= a.width {
		copy(out[a.width-len(label):], label)
	}
	return string(out)
}
