package who

import (
	"strings"

	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// writes is the pane of the client's writes, the newest first. Below the chosen one are the parts of what led to it.
type writes struct {
	x      *Page
	all    []uint64 // numbers of the writes, oldest first
	older  bool     // there were more, which were let go of
	rows   []row
	open   uint64    // the write that is shown with its parts
	kept   [2]uint64 // the newest write and the open one when requests were kept last
	cursor term.List[place]
}

// A place is a write, or one of its parts, from 1.
type place struct {
	write uint64
	part  int
}

// A row is a write, whose line is made when it is drawn, or one of its parts.
type row struct {
	place
	line
}

// keepWrites is how many writes are listed at most.
const keepWrites = 1000

func (w *writes) Name() string { return "writes" }
func (w *writes) Height() int  { return w.cursor.Height() }

// rest follows the newest write.
func (w *writes) rest() {
	w.cursor.Newest = func() int { return 0 }
	w.cursor.Follow = w.cursor.Key.write == 0
}

// begin lists the writes of another client.
func (w *writes) begin() {
	w.all, w.older, w.rows, w.open, w.cursor = nil, false, nil, 0, term.List[place]{}
	w.rest()
	flows, _ := w.x.env.Log.Since(0, 0)
	for _, f := range flows {
		if f.Seq <= w.x.env.Seq {
			w.note(f)
		}
	}
}

// take takes what came.
func (w *writes) take(flows []*flow.Flow) {
	for _, f := range flows {
		w.note(f)
	}
}

// note keeps a write of the client that is shown.
func (w *writes) note(f *flow.Flow) {
	n := len(w.all)
	if f.Client.Tag != w.x.tag || !feed.Writes(f.Target.Verb) || n > 0 && f.Seq <= w.all[n-1] || asks(f) {
		return
	}
	w.all = append(w.all, f.Seq)
	if n >= 2*keepWrites {
		w.all, w.older = append([]uint64(nil), w.all[n+1-keepWrites:]...), true
	}
}

// asks reports whether what looks like a write only asked: what would happen, or what a user may do.
func asks(f *flow.Flow) bool {
	return strings.Contains(f.Query, "dryRun=") || strings.HasPrefix(f.Target.Group, "authorization.") ||
		strings.HasPrefix(f.Target.Group, "authentication.")
}

// arrange makes the rows again, and keeps the cursor on its place.
func (w *writes) arrange() {
	w.rows = w.rows[:0]
	newest := len(w.all) - 1
	if newest >= 0 && (w.cursor.Follow || w.cursor.Key.write == 0) {
		w.cursor.Key = place{write: w.all[newest]}
	}
	w.open = w.cursor.Key.write
	for i := newest; i >= max(0, len(w.all)-keepWrites); i-- {
		seq := w.all[i]
		w.rows = append(w.rows, row{place: place{write: seq}, line: line{link: link{seq: seq}}})
		if seq != w.open {
			continue
		}
		for j, l := range w.x.parts(seq, w.x.made.wide) {
			w.rows = append(w.rows, row{place{seq, j + 1}, l})
		}
	}
	w.cursor.Keep(len(w.rows), func(i int) place { return w.rows[i].place })
	w.keep()
}

// moved shows the parts of the write that the cursor has come to.
func (w *writes) moved(chosen bool) {
	w.x.follows = false
	if chosen && w.cursor.Key.write != w.open {
		w.arrange()
	}
}

func (w *writes) Move(n int) { w.moved(w.cursor.Move(n)) }

// End goes to the newest write, which is followed from then on, or to the oldest.
func (w *writes) End(bottom bool) {
	w.moved(w.cursor.End(bottom))
	w.cursor.Follow = !bottom
}

func (w *writes) link() link {
	if i := w.cursor.At(); i >= 0 && i < len(w.rows) {
		return w.rows[i].link
	}
	return link{}
}

func (w *writes) Keys() []page.Binding {
	x := w.x
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "open", Off: w.needsLink, Do: func() { x.follow(w.link()) },
			Help: "show what this line is about: the request, the watch that was sent the event, or the version that " +
				"was written"},
		{Keys: []string{"v"}, Hint: "version", Off: w.needsVersion, Do: func() { x.version(w.link()) },
			Help: "show the version that this line is about on Versions"},
		{Keys: []string{"w"}, Hint: "watch", Off: w.needsWatch,
			Do:   func() { x.env.ShowWatch(w.link().watch, w.link().revision) },
			Help: "show the watch that was sent this event, at its frame"},
	}, x.clientKeys()...)
}

func (w *writes) needsLink() string {
	return page.Unless(w.link().leads(), "this line is about no request")
}

func (w *writes) needsVersion() string {
	to := w.link()
	return page.Unless(to.revision > 0 && to.object.Resource != "", "this line is about no version")
}

func (w *writes) needsWatch() string {
	return page.Unless(w.link().watch > 0, "this line is about no event of a watch")
}

func (w *writes) Legend() []string {
	return []string{
		"Each line is a write of the client, the newest first. After ◀─ is what led to it: the event that one of its " +
			"watches was sent, and how long before the write began. A write that was refused has its code.",
		"Below the chosen write is each part: the events that its watches were sent, what it read, and what it " +
			"wrote. Where several events can be the reason, all of them are there, joined by or.",
		"A record does not say why a client acted. ─▶ links what belongs together by an object, an owner, a " +
			"name or a resourceVersion, which is said at the end of the line. ┄▶ is an event that only came shortly " +
			"before: by time.",
		"enter shows the request of a line, v its version, and w the watch that was sent the event; i shows the " +
			"client whose request made it.",
	}
}

func (w *writes) draw(c *term.Canvas, r term.Rect) {
	x := w.x
	if x.client == nil || x.made.tag != x.tag {
		x.renew(max(20, r.W-3))
	}
	if wide := max(20, r.W-3); wide != x.made.wide {
		x.made.wide = wide
		w.arrange()
	}
	if len(w.rows) == 0 {
		if x.client != nil {
			c.Notice(r, term.Text(term.Bold, x.env.T("It has written nothing.")))
		}
		return
	}
	st := term.Pick(x.env.HasKeys(1), x.env.RowStyle(1), term.Shadowed)
	width := func(i int) int { return r.W } // a line takes all of its row
	w.cursor.DrawMore(c, r, st, width, func(at term.Rect, i int) {
		l := w.rows[i].Line
		if w.rows[i].part == 0 {
			l = x.head(w.rows[i].write, r.W)
		}
		c.Line(at, 2, 0, term.FitLine(l, r.W-3))
	})
}
