package watches

import (
	"fmt"

	"kubarium/analysis/relist"
	"kubarium/flow"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// frames lists what was written to one watch stream, oldest first.
type frames struct {
	env    *page.Env
	of     *flow.Watch
	all    []flow.Frame
	cursor term.List[uint64] // by their numbers
	head   int               // rows above them
}

func (f *frames) Name() string { return "frames" }
func (f *frames) Height() int  { return f.cursor.Height() }

// fold takes the last frames of a watch, and keeps the cursor on its frame.
func (f *frames) fold(w *flow.Watch) {
	if w == nil || f.of == nil || w.ID != f.of.ID {
		f.cursor = term.Tailing[uint64]()
	}
	f.of = w
	f.all = nil
	if w != nil {
		f.all = w.Frames()
	}
	f.cursor.Keep(len(f.all), func(i int) uint64 { return f.all[i].Number })
}

func (f *frames) current() flow.Frame {
	i := f.cursor.At()
	if i < 0 {
		return flow.Frame{}
	}
	return f.all[i]
}

func (f *frames) Move(n int)      { f.cursor.Move(n) }
func (f *frames) End(bottom bool) { f.cursor.End(bottom) }

// click puts the cursor on the frame in a row of the pane.
func (f *frames) click(y int) { f.cursor.Click(y - f.head) }

// title says whose frames these are.
func (f *frames) title() term.Line {
	if f.of == nil {
		return term.Text(term.Dim, "frames")
	}
	s := f.of.State()
	l := term.Line{term.Plain.Of("frames of "), term.Accent.Of(f.of.Client.Tag + " "), term.Bold.Of(label.Watch(f.of))}
	if s.Ended.IsZero() {
		return append(l, term.Open.Of(term.Pick(f.env.Past(), "  ◉ open "+f.env.Then(), "  ◉ open")))
	}
	if relist.Expired(s) {
		return append(l, term.Err.Of("  ✗ 410 Gone: "), term.Plain.Of("what comes next is compacted; the client lists again"))
	}
	return append(l, term.Dim.Of("  ○ ended"))
}

// summary describes the stream as a whole.
func (f *frames) summary() term.Line {
	s := f.of.State()
	start := "with what there is"
	if f.of.Start > 0 {
		start = fmt.Sprintf("after rv %d", f.of.Start)
	}
	l := term.Line{term.Dim.Of("began " + start), term.Dim.Of(fmt.Sprintf(" · %s · %s", f.of.Media, term.BytesText(int64(s.Bytes))))}
	if relist.Expired(s) {
		return l
	}
	l = append(l, term.Dim.Of(" · resumes at "), (term.Bold | term.Version).Of(label.Revision(max(s.Last, f.of.Start))))
	if s.LastEvent != s.Last {
		l = append(l, term.Dim.Of(fmt.Sprintf(", without bookmarks at %s", label.Revision(max(s.LastEvent, f.of.Start)))))
	}
	return l
}

func (f *frames) draw(c *term.Canvas, r term.Rect) {
	if r.Empty() || f.of == nil {
		return
	}
	c.Line(r, 2, 0, term.FitLine(f.summary(), r.W-3))
	head := 1
	if old, ok := f.env.Streams.Relists[f.of.ID]; ok {
		c.Line(r, 2, 1, term.FitLine(relistStory(old, f.of), r.W-3))
		head = 2
	}
	s := f.of.State()
	if !s.Ended.IsZero() && !relist.Expired(s) {
		c.Line(r, 2, head, term.FitLine(term.Line{term.Dim.Of("ended: "), term.Plain.Of(s.Cause)}, r.W-3))
		head++
	}
	if s.Touched > 0 {
		c.Line(r, 2, head, term.FitLine(touchedStory(s), r.W-3))
		head++
	}
	if held := f.heldLine(); held != nil {
		c.Line(r, 2, head, term.FitLine(held, r.W-3))
		head++
	}
	c.Put(r, 2, head, term.Head, label.FrameHead)
	f.head = head + 1
	body := r.From(f.head)
	if len(f.all) == 0 {
		c.Put(body, 2, 0, term.Dim, term.Pick(f.env.Past() || !s.Ended.IsZero(), "Nothing was written to this stream.", "Nothing was written to this stream yet."))
		return
	}
	f.cursor.Draw(c, body, f.env.RowStyle(1), func(row term.Rect, i int) {
		l := label.Frame(f.all[i])
		if m := markOf(s, &f.all[i]); m != nil {
			c.Put(row, 1, 0, term.Warn, "ϟ")
			l = append(l, term.Warn.Of("  "+gates.Done(m)))
		}
		c.Line(row, 2, 0, term.FitLine(l, r.W-3))
	})
}

// cause is the request that made the change of the selected frame, nil if it is not held.
func (f *frames) cause() *flow.Flow {
	rv := f.current().Revision
	if rv == 0 {
		return nil
	}
	return f.env.Maker(rv)
}

func (f *frames) Keys() []page.Binding {
	return []page.Binding{{Keys: []string{"enter"}, Hint: "request", Help: "show the request that caused the selected frame", Off: f.needsCause, Do: func() { f.env.Jump(f.cause()) }}}
}

func (f *frames) needsCause() string {
	return page.Unless(f.cause() != nil, "the request that made this frame's change is no longer kept")
}

func (f *frames) Legend() []string {
	return []string{"Each line is an event that was written to the selected watch, with its revision and size.",
		"ϟ is an event that a fault rule held, delayed or edited; a line above says which versions the watcher never " +
			"got.",
		"after is the time from the commit of the change to the socket; bookmarks and the first objects have none.",
		"enter goes to the request that made the change."}
}
