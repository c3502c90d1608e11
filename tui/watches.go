package tui

import (
	"fmt"
	"slices"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/relist"
	"kubarium/tui/story"
)

// watches is the screen of watch streams: one lane each on the axis of revisions, and the frames of the selected one.
type watches struct {
	u      *env
	cursor int
	top    int
	tall   int
	id     uint64 // of the selected watch
	frames frames
}

func newWatches(u *env) *watches {
	w := &watches{u: u}
	w.frames = frames{u: u, follow: true}
	return w
}

func (w *watches) panes() []pane  { return []pane{w, &w.frames} }
func (w *watches) form() form     { return form{stacked: true} }
func (w *watches) refilter()      { w.fold(nil) }
func (w *watches) restless() bool { return len(w.u.streams.all) > 0 }

func (w *watches) tab() tabLabel {
	t := tabLabel{name: "2 Watches", short: "2Watch", help: "Watches: who watches what, and how far behind"}
	if n := w.u.streams.open(); n > 0 {
		t.badge = fmt.Sprintf("◉%d", n)
	}
	return t
}

func (w *watches) count() rowCount {
	return rowCount{what: "watch", shown: len(w.u.streams.list), all: len(w.u.streams.all), own: w.u.streams.hidden}
}

func (w *watches) title(i int) (title, note line) {
	if i == 1 {
		return w.frames.title(), nil
	}
	return text(w.u.titleStyle(0), "watchers"), text(sDim, "├ start  A M D written  ◇ bookmark  ▶ reached  ┃ head")
}

func (w *watches) keys() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "frames", help: "go to the frames of the selected watcher", off: w.needsWatch, do: func() { w.u.enter(1) }},
		{keys: []string{"v"}, hint: "view", help: "show Kubarium's own requests and watches, or hide them", do: func() { w.u.showOwn(!w.u.feed.own) }},
	}
}

func (w *watches) needsWatch() string {
	return unless(len(w.u.streams.list) > 0, "nobody is watching")
}

func (w *watches) legend() []string { return story.Explain("watches") }

// click puts the cursor on a lane, or on a frame.
func (w *watches) click(pane, _, y int) {
	f := &w.frames
	switch {
	case pane == 0:
		if i := w.top + y - 1; y > 0 && i < len(w.u.streams.list) {
			w.point(i)
			f.fold(w.selected())
		}
	case y >= 2 && f.top+y-2 < len(f.list):
		f.follow, f.cursor = false, f.top+y-2
	}
}

func (w *watches) name() string { return "watches" }
func (w *watches) height() int  { return max(1, w.tall) }

// fold keeps the cursor on its watch.
func (w *watches) fold([]*flow.Flow) {
	all := w.u.streams.all
	if i := slices.IndexFunc(all, func(x *flow.Watch) bool { return x.ID == w.id }); i >= 0 {
		if id, ok := w.u.streams.relists.Joined()[all[i]]; ok {
			w.id = id // both are one lane
		}
	}
	w.cursor = max(0, min(w.cursor, len(w.u.streams.list)-1))
	for i, x := range w.u.streams.list {
		if x.ID == w.id {
			w.cursor = i
		}
	}
	w.point(w.cursor)
	w.frames.fold(w.selected())
}

// point puts the cursor on the i-th watch.
func (w *watches) point(i int) {
	w.cursor = i
	if i < len(w.u.streams.list) {
		w.id = w.u.streams.list[i].ID
	}
}

func (w *watches) move(n int) {
	if len(w.u.streams.list) == 0 {
		return
	}
	w.point(max(0, min(w.cursor+n, len(w.u.streams.list)-1)))
	w.frames.fold(w.selected())
}

func (w *watches) end(bottom bool) {
	if bottom {
		w.move(len(w.u.streams.list))
		return
	}
	w.move(-len(w.u.streams.list))
}

func (w *watches) selected() *flow.Watch {
	if w.cursor >= len(w.u.streams.list) {
		return nil
	}
	return w.u.streams.list[w.cursor]
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
func (w *watches) draw(c *canvas, i int, r rect) {
	if i == 1 {
		w.frames.draw(c, r)
		return
	}
	if len(w.u.streams.all) > w.u.streams.hidden && len(w.u.streams.list) == 0 {
		c.put(r, 3, 1, sBold, fmt.Sprintf("0 of %d watches pass the filter; * clears it", len(w.u.streams.all)-w.u.streams.hidden))
		return
	}
	if len(w.u.streams.list) == 0 {
		c.put(r, 3, 1, sBold, "Nobody is watching.")
		c.put(r, 3, 2, sPlain, "In another window:")
		c.put(r, 3, 3, sAccent, "  kubectl"+w.u.serverFlag()+" get pods -w")
		if w.u.streams.hidden > 0 {
			c.line(r, 3, 5, fitLine(line{{sDim, fmt.Sprintf("%d watches of Kubarium's own controllers are hidden; ", w.u.streams.hidden)}, {sKey, "v"}, {sDim, " shows them"}}, r.w-4))
		}
		return
	}
	p := planLanes(r.w)
	a := w.u.time.lanes(p.lane, w.u.streams.lowest())
	w.heading(c, r, p, a)
	w.tall = r.h - 1
	w.top = max(0, min(w.top, w.cursor), w.cursor-w.tall+1)
	for y := 1; y < r.h && w.top+y-1 < len(w.u.streams.list); y++ {
		i := w.top + y - 1
		row := r.row(y)
		w.drawLane(c, row, w.u.streams.list[i], p, a)
		if i == w.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(rect{row.x, row.y, 2 + p.who + p.what, 1}, w.u.rowStyle(0))
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
	st, lag := w.u.streams.lag(x, s)
	c.put(r, at, 0, st, fit(lag, p.lag-1))
	at += p.lag
	if p.sent > 0 {
		c.right(r, at+p.sent, 0, sPlain, count(s.Sent))
		at += p.sent
	}
	if p.marks > 0 {
		c.right(r, at+p.marks, 0, sDim, count(s.Bookmarks))
		resume := pick(relist.Expired(s), "a new list", revision(max(s.Last, x.Start)))
		c.put(r, at+p.marks+2, 0, sPlain, resume)
	}
}

// lane draws a watch on the axis: its start, the frames written, and how far it has come.
func (w *watches) lane(c *canvas, r rect, x *flow.Watch, s flow.WatchState, a axis) {
	open := s.Ended.IsZero()
	if relist.Expired(s) && a.at(x.Start) < 0 {
		l := line{{sErr, fmt.Sprintf("✗ 410: rv %d < compacted %d", x.Start, w.u.time.compacted)}}
		if relist.ListedAfter(x, w.u.walks, time.Time{}) != nil {
			l = append(l, span{sOpen, "  ↻ list"})
		}
		c.line(r, 0, 0, fitLine(l, r.w-1))
		c.put(r, r.w-1, 0, sBold, "┃")
		return
	}
	st := pick(open, sOpen, sDim)
	reached := max(s.Position, s.Last, x.Start)
	if open && !w.u.streams.behind(x, s) {
		reached = w.u.time.head // nothing newer concerns it
	}
	from, to := max(0, a.at(x.Start)), a.at(reached)
	if old, ok := w.u.streams.relists[x.ID]; ok {
		drawBefore(old, c, r, from)
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
