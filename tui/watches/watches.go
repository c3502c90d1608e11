// Package watches is the page of watch streams: a lane each against the head, and the frames of one.
package watches

import (
	"fmt"
	"slices"
	"time"

	"kubarium/analysis/relist"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// Page is the screen of watch streams: one lane each on the axis of revisions, and the frames of the selected one.
type Page struct {
	env    *page.Env
	cursor term.List[uint64] // by the ids of the watches
	frames frames
}

// New makes the page.
func New(u *page.Env) *Page {
	w := &Page{env: u}
	w.frames = frames{env: u, cursor: term.Tailing[uint64]()}
	return w
}

// In is the page at another moment.
func (w *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor, p.frames.cursor, p.frames.of = w.cursor.Emptied(), w.frames.cursor.Emptied(), w.frames.of
	return p
}

func (w *Page) Panes() []page.Pane { return []page.Pane{w, &w.frames} }
func (w *Page) Form() page.Form    { return page.Form{Stacked: true} }
func (w *Page) Refilter()          { w.Fold(nil) }
func (w *Page) Restless() bool     { return len(w.env.Streams.All) > 0 }

func (w *Page) Tab() page.Tab {
	t := page.Tab{Name: "2 Watches", Short: "2Watch", Help: "Watches: who watches what, and how far each lags"}
	if n := w.env.Streams.Open(); n > 0 {
		t.Badge = fmt.Sprintf("◉%d", n)
		t.Means = t.Badge + ": so many watches are open."
	}
	return t
}

func (w *Page) Count() page.Count {
	return page.Count{What: "watch", Shown: len(w.env.Streams.List), All: len(w.env.Streams.All), Own: w.env.Streams.Hidden}
}

func (w *Page) Title(i int) (title, note term.Line) {
	if i == 1 {
		return w.frames.title(), nil
	}
	return term.Text(w.env.TitleStyle(0), w.env.T("watchers")), term.Text(term.Dim, "‹ began earlier  ├ start  A M D written  ◇ bookmark  ▶ reached  ┃ head")
}

func (w *Page) Keys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"enter"}, Hint: "frames", Help: "go to the frames of the selected watcher", Off: w.needsWatch, Do: func() { w.env.Enter(1) }},
		{Keys: []string{"v"}, Hint: "view", Help: "show Kubarium's own requests and watches, or hide them", Do: func() { w.env.ShowOwn(!w.env.Feed.Own) }},
	}
}

// axis is that of the lanes in n columns, whose last two are for what is after the newest version: how far the watch
// has come, and the head. The text on a client that went on after a 410 needs room before its lane.
func (w *Page) axis(n int) timeline.Axis {
	n -= 2
	few := n / 4
	if len(w.env.Streams.Relists) > 0 {
		few = n
	}
	return w.env.Time.Lanes(n, few, w.env.Streams.First())
}

func (w *Page) needsWatch() string {
	return page.Unless(len(w.env.Streams.List) > 0, "no client is watching")
}

func (w *Page) Legend() []string { return story.Explain("watches") }

// Click puts the cursor on a lane, or on a frame.
func (w *Page) Click(pane, _, y int) {
	if pane == 1 {
		w.frames.click(y)
		return
	}
	w.cursor.Click(y - 1)
	w.frames.fold(w.Selected())
}

func (w *Page) Name() string { return "watches" }
func (w *Page) Height() int  { return w.cursor.Height() }

// Fold keeps the cursor on its watch.
func (w *Page) Fold([]*flow.Flow) {
	all := w.env.Streams.All
	if i := slices.IndexFunc(all, func(x *flow.Watch) bool { return x.ID == w.cursor.Key }); i >= 0 {
		if id, ok := w.env.Streams.Relists.Joined()[all[i]]; ok {
			w.cursor.Key = id // both are one lane
		}
	}
	w.cursor.Keep(len(w.env.Streams.List), func(i int) uint64 { return w.env.Streams.List[i].ID })
	w.frames.fold(w.Selected())
}

// Move goes to another watch, and lists its frames.
func (w *Page) Move(n int) {
	w.cursor.Move(n)
	w.frames.fold(w.Selected())
}

// End goes to the first watch, or to the last.
func (w *Page) End(bottom bool) {
	w.cursor.End(bottom)
	w.frames.fold(w.Selected())
}

// Seek selects the watch that a request opens or waits for, else the newest one of an object or a collection.
func (w *Page) Seek(s page.Sought) bool {
	list, joined := w.env.Streams.List, w.env.Streams.Relists.Joined()
	if f := s.Flow; f != nil && f.Watch != nil {
		return w.point(slices.IndexFunc(list, func(x *flow.Watch) bool { return x == f.Watch || joined[f.Watch] == x.ID && x.ID != 0 }))
	}
	for i := range slices.Backward(list) {
		if s.Resource == "" || s.Names(list[i].Target) {
			return w.point(i)
		}
	}
	return s.Flow != nil
}

// Find selects a watch by its ID, and the frame of a revision; it reports whether the watch is listed.
func (w *Page) Find(id uint64, revision int64) bool {
	joined := w.env.Streams.Relists.Joined()
	if !w.point(slices.IndexFunc(w.env.Streams.List, func(x *flow.Watch) bool { return x.ID == id })) {
		for old, by := range joined {
			if old.ID == id {
				return w.Find(by, revision)
			}
		}
		return false
	}
	if i := slices.IndexFunc(w.frames.all, func(f flow.Frame) bool { return f.Revision == revision }); i >= 0 {
		w.frames.cursor.Point(i)
		w.env.Enter(1)
	}
	return true
}

// Whose is the client of the watch.
func (w *Page) Whose() (tag, why string) {
	if x := w.Selected(); x != nil {
		return x.Client.Tag, ""
	}
	return "", w.needsWatch()
}

// point selects the i-th watch, and reports whether there is one.
func (w *Page) point(i int) bool {
	if i < 0 {
		return false
	}
	w.cursor.Point(i)
	w.frames.fold(w.Selected())
	return true
}

// Selected is the watch under the cursor, nil if there is none.
func (w *Page) Selected() *flow.Watch {
	i := w.cursor.At()
	if i < 0 || i >= len(w.env.Streams.List) {
		return nil
	}
	return w.env.Streams.List[i]
}

// laneColumns are the widths of the columns around a lane, by the width of the screen.
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

// Draw shows the lanes.
func (w *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	if i == 1 {
		w.frames.draw(c, r)
		return
	}
	if len(w.env.Streams.List) == 0 {
		w.drawEmpty(c, r)
		return
	}
	p := planLanes(r.W)
	a := w.axis(p.lane)
	w.heading(c, r, p, a)
	w.cursor.Width = 2 + p.who + p.what
	w.cursor.Draw(c, r.From(1), w.env.RowStyle(0), func(row term.Rect, i int) { w.drawLane(c, row, w.env.Streams.List[i], p, a) })
}

func (w *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	hidden := w.env.Streams.Hidden
	if n := len(w.env.Streams.All) - hidden; n > 0 {
		c.Notice(r, term.Text(term.Bold, fmt.Sprintf("0 of %d watches pass the filter; * clears it", n)))
		return
	}
	say := append([]term.Line{term.Text(term.Bold,
		term.Pick(w.env.Past(), "No client was watching "+w.env.Then()+".", "No client is watching."))},
		w.env.Try("", w.env.Kubectl()+" get pods -w")...)
	if hidden > 0 {
		say = append(say, nil, term.Line{term.Dim.Of(fmt.Sprintf("%d watches of Kubarium's own controllers are hidden; ", hidden)), term.Key.Of("v"), term.Dim.Of(" shows them")})
	}
	c.Notice(r, say...)
}

func (w *Page) heading(c *term.Canvas, r term.Rect, p laneColumns, a timeline.Axis) {
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

func (w *Page) drawLane(c *term.Canvas, r term.Rect, x *flow.Watch, p laneColumns, a timeline.Axis) {
	s := x.State()
	open := s.Ended.IsZero()
	at := 2
	c.Put(r, at, 0, term.Accent, term.Fit(x.Client.Tag, p.who-1))
	at += p.who
	c.Put(r, at, 0, term.Pick(open, term.Plain, term.Dim), term.Fit(label.Shorter.Replace(label.Watch(x)), p.what-1))
	at += p.what
	w.lane(c, term.Rect{X: r.X + at, Y: r.Y, W: p.lane, H: 1}, x, s, a)
	at += p.lane + 2
	st, lag := w.env.Streams.Lag(x, s)
	c.Put(r, at, 0, st, term.Fit(lag, p.lag-1))
	at += p.lag
	if p.sent > 0 {
		c.Right(r, at+p.sent, 0, term.Plain, term.Count(s.Sent))
		at += p.sent
	}
	if p.marks > 0 {
		c.Right(r, at+p.marks, 0, term.Dim, term.Count(s.Bookmarks))
		resume := term.Pick(relist.Expired(s), "a new list", label.Revision(max(s.Last, x.Start)))
		c.Put(r, at+p.marks+2, 0, term.Version, resume)
	}
}

// lane draws a watch on the axis: its start, the frames written, and how far it has come.
func (w *Page) lane(c *term.Canvas, r term.Rect, x *flow.Watch, s flow.WatchState, a timeline.Axis) {
	open := s.Ended.IsZero()
	if relist.Expired(s) && a.At(x.Start) < 0 {
		l := term.Line{term.Err.Of(fmt.Sprintf("✗ 410: rv %d < compacted %d", x.Start, w.env.Time.Compacted))}
		if relist.ListedAfter(x, w.env.Walks, time.Time{}) != nil {
			l = append(l, term.Open.Of("  ↻ list"))
		}
		c.Line(r, 0, 0, term.FitLine(l, r.W-1))
		c.Put(r, r.W-1, 0, term.Bold, "┃")
		return
	}
	st := term.Pick(open, term.Open, term.Dim)
	began, reached := w.env.Streams.Began(x), max(s.Position, s.Last, x.Start)
	if open && !w.env.Streams.Behind(x, s) {
		reached = w.env.Time.Head // nothing newer concerns it
	}
	from, to := a.At(began), a.At(reached)
	if old, ok := w.env.Streams.Relists[x.ID]; ok {
		drawBefore(old, c, r, from)
	}
	for i := max(0, from); i <= to; i++ {
		c.Put(r, i, 0, st, "─")
	}
	for i := to + 1; open && i < r.W-1; i++ {
		c.Put(r, i, 0, term.Dim, "┄")
	}
	if from >= 0 {
		c.Put(r, from, 0, st, "├")
	}
	for _, fr := range x.Frames() {
		if i := a.At(fr.Revision); i >= 0 {
			fst, glyph := label.FrameGlyph(fr.Type)
			c.Put(r, i, 0, fst, glyph)
		}
	}
	drawTouched(c, r, s.Faults, a)
	if from < 0 {
		c.Put(r, 0, 0, st, "‹")
	}
	c.Put(r, r.W-1, 0, term.Bold, "┃")
	switch {
	case !open:
		c.Put(r, to+1, 0, term.Warn, "✗")
	case to >= 0:
		c.Put(r, to+1, 0, term.Open, "▶")
	}
}
