package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
)

// watches is the screen of watch streams: one lane each on the axis of revisions, and the frames of the selected one.
type watches struct {
	u      *ui
	all    []*flow.Watch // open ones and those that ended lately, by ID
	list   []*flow.Watch // those of them that the filter lets through
	hidden int           // those of them that are Kubarium's own and not shown
	cursor int
	top    int
	tall   int
	id     uint64 // of the selected watch
	frames frames

	relists map[uint64]relist // by the watch with which a client went on
}

// How long a watch stays on the screen after its end. One that met a 410 stays until its client has gone on, if it does
// so in that time.
const (
	keepEndedWatches   = 30 * time.Second
	keepExpiredWatches = 2 * time.Minute
)

func (w *watches) init(u *ui) {
	*w = watches{u: u, relists: map[uint64]relist{}}
	w.frames = frames{u: u, follow: true}
}

func (w *watches) context() place { return inWatches }
func (w *watches) name() string   { return "watches" }
func (w *watches) height() int    { return max(1, w.tall) }

// fold takes the list anew and keeps the cursor on its watch.
func (w *watches) fold() {
	now := w.u.o.Now()
	w.all = slices.DeleteFunc(w.u.o.Log.Watches(keepExpiredWatches), func(x *flow.Watch) bool {
		s := x.State()
		return !s.Ended.IsZero() && now.Sub(s.Ended) > keepEndedWatches && !expiredWatch(s)
	})
	w.hidden = 0
	w.rejoin()
	joined := w.joined()
	w.list = slices.DeleteFunc(slices.Clone(w.all), func(x *flow.Watch) bool {
		if id, ok := joined[x]; ok {
			if w.id == x.ID {
				w.id = id // both are one lane
			}
			return true
		}
		v := w.u.traffic.verdict(asFlow(x))
		if v == hides {
			w.hidden++
		}
		return v != shows
	})
	w.cursor = max(0, min(w.cursor, len(w.list)-1))
	for i, x := range w.list {
		if x.ID == w.id {
			w.cursor = i
		}
	}
	w.point(w.cursor)
	w.frames.fold(w.selected())
}

// asFlow is the flow that opened a watch, as far as a filter asks for it.
func asFlow(x *flow.Watch) *flow.Flow {
	return &flow.Flow{Phase: flow.WatchOpened, Start: x.Opened, Client: x.Client, Method: "GET", Target: x.Target, Query: x.Query, Status: 200, Watch: x}
}

// point puts the cursor on the i-th watch.
func (w *watches) point(i int) {
	w.cursor = i
	if i < len(w.list) {
		w.id = w.list[i].ID
	}
}

func (w *watches) move(n int) {
	if len(w.list) == 0 {
		return
	}
	w.point(max(0, min(w.cursor+n, len(w.list)-1)))
	w.frames.fold(w.selected())
}

func (w *watches) end(bottom bool) {
	if bottom {
		w.move(len(w.list))
		return
	}
	w.move(-len(w.list))
}

func (w *watches) selected() *flow.Watch {
	if w.cursor >= len(w.list) {
		return nil
	}
	return w.list[w.cursor]
}

// open counts the watches that have not ended, whatever the filter says; Kubarium's own only where they are shown.
func (w *watches) open() int {
	n := 0
	for _, x := range w.all {
		if x.State().Ended.IsZero() && (w.u.traffic.own || !x.Client.Own()) {
			n++
		}
	}
	return n
}

// laneColumns are the widths beside a lane, by the width of the screen.
type laneColumns struct{ who, what, lane, lag, sent, marks, resume int }

func planLanes(w int) laneColumns {
	p := laneColumns{who: 6, what: 22, lag: 18, sent: 7, marks: 5, resume: 14}
	switch {
	case w < 60:
		p = laneColumns{who: 5, what: 16, lag: 8}
	case w < 100:
		p = laneColumns{who: 5, what: 18, lag: 11, sent: 6}
	}
	p.lane = w - 2 - p.who - p.what - p.lag - p.sent - p.marks - p.resume - 4
	return p
}

// draw shows the lanes.
func (w *watches) draw(c *canvas, r rect) {
	if r.empty() {
		return
	}
	if len(w.all) > w.hidden && len(w.list) == 0 {
		c.put(r, 3, 1, sBold, fmt.Sprintf("0 of %d watches pass the filter; * clears it", len(w.all)-w.hidden))
		return
	}
	if len(w.list) == 0 {
		c.put(r, 3, 1, sBold, "Nobody is watching.")
		c.put(r, 3, 2, sPlain, "In another window:")
		c.put(r, 3, 3, sAccent, "  kubectl"+w.u.serverFlag()+" get pods -w")
		if w.hidden > 0 {
			c.line(r, 3, 5, fitLine(line{{sDim, fmt.Sprintf("%d watches of Kubarium's own controllers are hidden; ", w.hidden)}, {sKey, "v"}, {sDim, " shows them"}}, r.w-4))
		}
		return
	}
	p := planLanes(r.w)
	a := w.u.strip.lanes(p.lane)
	w.heading(c, r, p, a)
	w.tall = r.h - 1
	w.top = max(0, min(w.top, w.cursor), w.cursor-w.tall+1)
	for y := 1; y < r.h && w.top+y-1 < len(w.list); y++ {
		i := w.top + y - 1
		row := r.row(y)
		w.drawLane(c, row, w.list[i], p, a)
		if i == w.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(rect{row.x, row.y, 2 + p.who + p.what, 1}, pick(!w.u.side && w.u.over == nil, selected, shadowed))
		}
	}
}

func (w *watches) heading(c *canvas, r rect, p laneColumns, a axis) {
	x := 2
	c.put(r, x, 0, sHead, "who")
	x += p.who
	c.put(r, x, 0, sHead, "what")
	x += p.what
	c.put(r, x, 0, sHead, a.labels())
	x += p.lane + 2
	c.put(r, x, 0, sHead, "behind")
	x += p.lag
	if p.sent > 0 {
		c.right(r, x+p.sent, 0, sHead, "events")
		x += p.sent
	}
	if p.marks > 0 {
		c.right(r, x+p.marks, 0, sHead, "◇")
		c.put(r, x+p.marks+2, 0, sHead, "resumes at")
	}
}

func (w *watches) drawLane(c *canvas, r rect, x *flow.Watch, p laneColumns, a axis) {
	s := x.State()
	open := s.Ended.IsZero()
	at := 2
	c.put(r, at, 0, sAccent, fit(x.Client.Tag, p.who-1))
	at += p.who
	c.put(r, at, 0, pick(open, sPlain, sDim), fit(shorter.Replace(watchName(x)), p.what-1))
	at += p.what
	w.lane(c, rect{r.x + at, r.y, p.lane, 1}, x, s, a)
	at += p.lane + 2
	st, lag := w.lag(x, s)
	c.put(r, at, 0, st, fit(lag, p.lag-1))
	at += p.lag
	if p.sent > 0 {
		c.right(r, at+p.sent, 0, sPlain, count(s.Sent))
		at += p.sent
	}
	if p.marks > 0 {
		c.right(r, at+p.marks, 0, sDim, count(s.Bookmarks))
		resume := pick(expiredWatch(s), "a new list", revision(max(s.Last, x.Start)))
		c.put(r, at+p.marks+2, 0, sPlain, resume)
	}
}

// watchName says what is watched: the resource, a name or selector, the namespace.
func watchName(x *flow.Watch) string {
	f := flow.Flow{Target: x.Target, Query: x.Query}
	f.Target.Verb = "watch"
	return targetText(&f) + targetExtra(&f)
}

// lane draws a watch on the axis: its start, the frames written, and how far it has come.
func (w *watches) lane(c *canvas, r rect, x *flow.Watch, s flow.WatchState, a axis) {
	open := s.Ended.IsZero()
	if expiredWatch(s) && a.at(x.Start) < 0 {
		l := line{{sErr, fmt.Sprintf("✗ 410: rv %d < compacted %d", x.Start, w.u.compacted)}}
		if w.listed(x, time.Time{}) != nil {
			l = append(l, span{sOpen, "  ↻ list"})
		}
		c.line(r, 0, 0, fitLine(l, r.w-1))
		c.put(r, r.w-1, 0, sBold, "┃")
		return
	}
	st := pick(open, sOpen, sDim)
	reached := max(s.Position, s.Last, x.Start)
	if open && !w.behind(x, s) {
		reached = w.u.head // nothing newer concerns it
	}
	from, to := max(0, a.at(x.Start)), a.at(reached)
	if old, ok := w.relists[x.ID]; ok {
		old.drawBefore(c, r, from)
	}
	for i := from; i <= to; i++ {
		c.put(r, i, 0, st, "─")
	}
	for i := max(0, to+1); i < r.w-1; i++ {
		c.put(r, i, 0, sDim, pick(open, "┄", " "))
	}
	if a.at(x.Start) >= 0 {
		c.put(r, from, 0, st, "├")
	}
	for _, fr := range x.Frames() {
		if i := a.at(fr.Revision); i >= 0 {
			fst, glyph := frameGlyph(fr.Type)
			c.put(r, i, 0, fst, glyph)
		}
	}
	c.put(r, r.w-1, 0, sBold, "┃")
	if open && to >= 0 {
		c.put(r, min(to, r.w-2), 0, sOpen, "▶")
	} else if !open {
		c.put(r, min(max(0, to), r.w-2), 0, sWarn, "✗")
	}
}

// expiredWatch reports whether a watch ended because what it was to be sent next is compacted.
func expiredWatch(s flow.WatchState) bool {
	return !s.Ended.IsZero() && strings.Contains(s.Cause, "expired")
}

// frameGlyph is the letter of a frame on its lane.
func frameGlyph(kind string) (style, string) {
	switch kind {
	case "ADDED":
		return sAdd, "A"
	case "MODIFIED":
		return sBold, "M"
	case "DELETED":
		return sDel, "D"
	case "BOOKMARK":
		return sDim, "◇"
	}
	return sErr, "E"
}

// lag says how far a watch is behind: in changes that concern it and are not yet written, and in the age of the oldest.
func (w *watches) lag(x *flow.Watch, s flow.WatchState) (style, string) {
	if expiredWatch(s) {
		return sErr, "✗ 410 Gone"
	}
	if !s.Ended.IsZero() {
		return sDim, "✗ " + s.Cause
	}
	n, oldest := w.owed(x, s)
	if n == 0 {
		return sPlain, "up to date"
	}
	return sWarn, fmt.Sprintf("%s, %s", atMost(x)+count(n), ago(w.u.o.Now().Sub(oldest)))
}

// owed counts the commits that a watch is still to be sent. What a selector would leave out is counted as well, since
// the timeline knows no labels.
func (w *watches) owed(x *flow.Watch, s flow.WatchState) (n int, oldest time.Time) {
	w.owing(x, s, func(c flow.Commit) bool {
		n++
		oldest = c.At
		return true
	})
	return n, oldest
}

// behind reports whether a watch is still to be sent anything; it is cheaper than to count that.
func (w *watches) behind(x *flow.Watch, s flow.WatchState) bool {
	found := false
	w.owing(x, s, func(flow.Commit) bool {
		found = true
		return false
	})
	return found
}

// owing calls yield with the commits that a watch is still to be sent, newest first, until it returns false.
func (w *watches) owing(x *flow.Watch, s flow.WatchState, yield func(flow.Commit) bool) {
	reached, of := max(s.Position, s.Last, x.Start), concernOf(x)
	if reached == 0 || w.u.strip.newest[of.resource] <= reached {
		return
	}
	for _, c := range slices.Backward(w.u.strip.commits) {
		if c.Revision <= reached || of.has(&c) && !yield(c) {
			return
		}
	}
}

// A concern is what a watch looks at, in the words of commits; "" stands for all namespaces, and for all names.
type concern struct{ resource, namespace, name string }

func concernOf(x *flow.Watch) concern {
	t := x.Target
	if t.Group != "" {
		t.Resource += "." + t.Group
	}
	return concern{t.Resource, t.Namespace, t.Name}
}

// has reports whether a commit is of an object that is looked at.
func (k *concern) has(c *flow.Commit) bool {
	return c.Resource == k.resource && (k.namespace == "" || k.namespace == c.Namespace) && (k.name == "" || k.name == c.Name)
}

// atMost is the sign for a number that a selector may make smaller.
func atMost(x *flow.Watch) string {
	if strings.Contains(x.Query, "Selector=") {
		return "≤"
	}
	return ""
}
