package tui

import (
	"fmt"
	"slices"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/relist"
	"kubarium/tui/label"
	"kubarium/tui/story"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
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
func (w *watches) restless() bool { return len(w.u.streams.All) > 0 }

func (w *watches) tab() tabLabel {
	t := tabLabel{name: "2 Watches", short: "2Watch", help: "Watches: who watches what, and how far behind"}
	if n := w.u.streams.Open(); n > 0 {
		t.badge = fmt.Sprintf("◉%d", n)
	}
	return t
}

func (w *watches) count() rowCount {
	return rowCount{what: "watch", shown: len(w.u.streams.List), all: len(w.u.streams.All), own: w.u.streams.Hidden}
}

func (w *watches) title(i int) (title, note term.Line) {
	if i == 1 {
		return w.frames.title(), nil
	}
	return term.Text(w.u.titleStyle(0), "watchers"), term.Text(term.Dim, "├ start  A M D written  ◇ bookmark  ▶ reached  ┃ head")
}

func (w *watches) keys() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "frames", help: "go to the frames of the selected watcher", off: w.needsWatch, do: func() { w.u.enter(1) }},
		{keys: []string{"v"}, hint: "view", help: "show Kubarium's own requests and watches, or hide them", do: func() { w.u.showOwn(!w.u.feed.Own) }},
	}
}

func (w *watches) needsWatch() string {
	return unless(len(w.u.streams.List) > 0, "nobody is watching")
}

func (w *watches) legend() []string { return story.Explain("watches") }

// click puts the cursor on a lane, or on a frame.
func (w *watches) click(pane, _, y int) {
	f := &w.frames
	switch {
	case pane == 0:
		if i := w.top + y - 1; y > 0 && i < len(w.u.streams.List) {
			w.point(i)
			f.fold(w.selected())
		}
	case y >= 2 && f.top+y-2 < len(f.list):
		f.follow, f.cursor = false, f.top+y-2
	}
}

func (w *watches) name() string { return "watches" }
func (w *watches) Height() int  { return max(1, w.tall) }

// fold keeps the cursor on its watch.
func (w *watches) fold([]*flow.Flow) {
	all := w.u.streams.All
	if i := slices.IndexFunc(all, func(x *flow.Watch) bool { return x.ID == w.id }); i >= 0 {
		if id, ok := w.u.streams.Relists.Joined()[all[i]]; ok {
			w.id = id // both are one lane
		}
	}
	w.cursor = max(0, min(w.cursor, len(w.u.streams.List)-1))
	for i, x := range w.u.streams.List {
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
	if i < len(w.u.streams.List) {
		w.id = w.u.streams.List[i].ID
	}
}

func (w *watches) Move(n int) {
	if len(w.u.streams.List) == 0 {
		return
	}
	w.point(max(0, min(w.cursor+n, len(w.u.streams.List)-1)))
	w.frames.fold(w.selected())
}

func (w *watches) End(bottom bool) {
	if bottom {
		w.Move(len(w.u.streams.List))
		return
	}
	w.Move(-len(w.u.streams.List))
}

func (w *watches) selected() *flow.Watch {
	if w.cursor >= len(w.u.streams.List) {
		return nil
	}
	return w.u.streams.List[w.cursor]
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
func (w *watches) draw(c *term.Canvas, i int, r term.Rect) {
	if i == 1 {
		w.frames.draw(c, r)
		return
	}
	if len(w.u.streams.All) > w.u.streams.Hidden && len(w.u.streams.List) == 0 {
		c.Put(r, 3, 1, term.Bold, fmt.Sprintf("0 of %d watches pass the filter; * clears it", len(w.u.streams.All)-w.u.streams.Hidden))
		return
	}
	if len(w.u.streams.List) == 0 {
		c.Put(r, 3, 1, term.Bold, "Nobody is watching.")
		c.Put(r, 3, 2, term.Plain, "In another window:")
		c.Put(r, 3, 3, term.Accent, "  kubectl"+w.u.serverFlag()+" get pods -w")
		if w.u.streams.Hidden > 0 {
			c.Line(r, 3, 5, term.FitLine(term.Line{term.Dim.Of(fmt.Sprintf("%d watches of Kubarium's own controllers are hidden; ", w.u.streams.Hidden)), term.Key.Of("v"), term.Dim.Of(" shows them")}, r.W-4))
		}
		return
	}
	p := planLanes(r.W)
	a := w.u.time.Lanes(p.lane, w.u.streams.Lowest())
	w.heading(c, r, p, a)
	w.tall = r.H - 1
	w.top = max(0, min(w.top, w.cursor), w.cursor-w.tall+1)
	for y := 1; y < r.H && w.top+y-1 < len(w.u.streams.List); y++ {
		i := w.top + y - 1
		row := r.Row(y)
		w.drawLane(c, row, w.u.streams.List[i], p, a)
		if i == w.cursor {
			c.Put(row, 0, 0, term.Bold, "▸")
			c.Restyle(term.Rect{X: row.X, Y: row.Y, W: 2 + p.who + p.what, H: 1}, w.u.rowStyle(0))
		}
	}
}

func (w *watches) heading(c *term.Canvas, r term.Rect, p laneColumns, a timeline.Axis) {
	x := 2
	c.Put(r, x, 0, term.Head, "who")
	x += p.who
	c.Put(r, x, 0, term.Head, "what")
	x += p.what
	c.Put(r, x, 0, term.Head, a.Labels())
	x += p.lane + 2
	c.Put(r, x, 0, term.Head, "behind")
	x += p.lag
	if p.sent > 0 {
		c.Right(r, x+p.sent, 0, term.Head, "events")
		x += p.sent
	}
	if p.marks > 0 {
		c.Right(r, x+p.marks, 0, term.Head, "◇")
		c.Put(r, x+p.marks+2, 0, term.Head, "resumes at")
	}
}

func (w *watches) drawLane(c *term.Canvas, r term.Rect, x *flow.Watch, p laneColumns, a timeline.Axis) {
	s := x.State()
	open := s.Ended.IsZero()
	at := 2
	c.Put(r, at, 0, term.Accent, term.Fit(x.Client.Tag, p.who-1))
	at += p.who
	c.Put(r, at, 0, term.Pick(open, term.Plain, term.Dim), term.Fit(label.Shorter.Replace(label.Watch(x)), p.what-1))
	at += p.what
	w.lane(c, term.Rect{X: r.X + at, Y: r.Y, W: p.lane, H: 1}, x, s, a)
	at += p.lane + 2
	st, lag := w.u.streams.Lag(x, s)
	c.Put(r, at, 0, st, term.Fit(lag, p.lag-1))
	at += p.lag
	if p.sent > 0 {
		c.Right(r, at+p.sent, 0, term.Plain, term.Count(s.Sent))
		at += p.sent
	}
	if p.marks > 0 {
		c.Right(r, at+p.marks, 0, term.Dim, term.Count(s.Bookmarks))
		resume := term.Pick(relist.Expired(s), "a new list", label.Revision(max(s.Last, x.Start)))
		c.Put(r, at+p.marks+2, 0, term.Plain, resume)
	}
}

// lane draws a watch on the axis: its start, the frames written, and how far it has come.
func (w *watches) lane(c *term.Canvas, r term.Rect, x *flow.Watch, s flow.WatchState, a timeline.Axis) {
	open := s.Ended.IsZero()
	if relist.Expired(s) && a.At(x.Start) < 0 {
		l := term.Line{term.Err.Of(fmt.Sprintf("✗ 410: rv %d < compacted %d", x.Start, w.u.time.Compacted))}
		if relist.ListedAfter(x, w.u.walks, time.Time{}) != nil {
			l = append(l, term.Open.Of("  ↻ list"))
		}
		c.Line(r, 0, 0, term.FitLine(l, r.W-1))
		c.Put(r, r.W-1, 0, term.Bold, "┃")
		return
	}
	st := term.Pick(open, term.Open, term.Dim)
	reached := max(s.Position, s.Last, x.Start)
	if open && !w.u.streams.Behind(x, s) {
		reached = w.u.time.Head // nothing newer concerns it
	}
	from, to := max(0, a.At(x.Start)), a.At(reached)
	if old, ok := w.u.streams.Relists[x.ID]; ok {
		drawBefore(old, c, r, from)
	}
	for i := from; i <= to; i++ {
		c.Put(r, i, 0, st, "─")
	}
	for i := max(0, to+1); i < r.W-1; i++ {
		c.Put(r, i, 0, term.Dim, term.Pick(open, "┄", " "))
	}
	if a.At(x.Start) >= 0 {
		c.Put(r, from, 0, st, "├")
	}
	for _, fr := range x.Frames() {
		if i := a.At(fr.Revision); i >= 0 {
			fst, glyph := frameGlyph(fr.Type)
			c.Put(r, i, 0, fst, glyph)
		}
	}
	c.Put(r, r.W-1, 0, term.Bold, "┃")
	if open && to >= 0 {
		c.Put(r, min(to, r.W-2), 0, term.Open, "▶")
	} else if !open {
		c.Put(r, min(max(0, to), r.W-2), 0, term.Warn, "✗")
	}
}
