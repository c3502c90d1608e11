package who

import (
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// output is the pane of what the command has printed. It shows the end of the file, and reads no more than that.
type output struct {
	env     *page.Env
	of      *Command
	shown   tail
	trouble string
	end     int64 // the offset up to which the file is shown; -1 follows its end
	back    int   // lines of it below the pane
	tall    int   // lines of the pane, as drawn last
	asked   want  // what was read last, or is being read
	reading bool
	read    time.Time
}

// A want is what to read of the file.
type want struct {
	end   int64
	lines int
}

func newOutput(e *page.Env, of *Command) *output { return &output{env: e, of: of, end: -1, tall: 1} }

// every is how often the file is looked at while it may grow.
const every = 200 * time.Millisecond

func (o *output) ended() bool {
	ended, _ := o.of.Done()
	return ended
}

// grows reports whether the command may still print, or the last of that has not been read.
func (o *output) grows() bool { return !o.ended() || o.reading }

// look reads the file again, off the loop, if what is shown may be another part of it now.
func (o *output) look() {
	now := want{o.end, o.tall + o.back}
	same := now == o.asked && (o.end >= 0 || o.env.Clock().Sub(o.read) < every)
	if o.of.Output == "" || o.reading || same {
		return
	}
	o.asked, o.reading, o.read = now, true, o.env.Clock()
	path := o.of.Output
	o.env.Do(page.Work{Run: func() func() {
		t, err := readTail(path, now.end, now.lines)
		return func() { o.take(t, err) }
	}})
}

func (o *output) take(t tail, err error) {
	o.reading, o.trouble = false, ""
	if err != nil {
		o.trouble = err.Error()
		return
	}
	o.shown = t
	if o.asked == (want{o.end, o.tall + o.back}) { // else it has been scrolled since
		o.back = min(o.back, max(0, len(t.lines)-o.tall))
		o.asked.lines = o.tall + o.back
	}
	o.look()
}

func (o *output) Name() string { return "output" }
func (o *output) Height() int  { return max(1, o.tall) }

func (o *output) Keys() []page.Binding { return nil }

func (o *output) Legend() []string {
	return []string{
		"The end of what the command has printed, to its standard output and its standard error, in the order in " +
			"which it came. Colours and other escape sequences are left out.",
		"It follows the end; k and pgup go back, where nothing moves, and G follows again. The whole is in the " +
			"file that the title names.",
	}
}

// Move scrolls. Away from the end, what is shown stays whatever is printed.
func (o *output) Move(n int) {
	o.back = max(0, min(o.back-n, o.most()))
	if o.end < 0 && o.back > 0 {
		o.end = o.shown.size
	}
	if o.back == 0 && n > 0 {
		o.end = -1
	}
	o.look()
}

// most is how far back it may be scrolled: by one height more than what has been read, which is then read too.
func (o *output) most() int {
	if o.shown.whole {
		return max(0, len(o.shown.lines)-o.tall)
	}
	return len(o.shown.lines)
}

// End goes as far back as is known, or follows the end.
func (o *output) End(bottom bool) {
	if bottom {
		o.back, o.end = 0, -1
		o.look()
		return
	}
	o.Move(-len(o.shown.lines))
}

func (o *output) title(st term.Style) (title, note term.Line) {
	said := o.env.F("`%s` runs", o.of.Line)
	if ended, code := o.of.Done(); ended {
		said = o.env.F("`%s` ended with code %d", o.of.Line, code)
	}
	return term.Text(st, said), term.Text(term.Dim, o.of.Output)
}

func (o *output) draw(c *term.Canvas, r term.Rect) {
	o.tall = r.H
	o.look()
	switch {
	case o.trouble != "":
		c.Line(r, 2, 0, term.Text(term.Warn, term.Fit(o.trouble, r.W-3)))
		return
	case len(o.shown.lines) == 0:
		c.Put(r, 2, 0, term.Dim, o.env.T("It has printed nothing."))
		return
	}
	lines := o.shown.lines[:max(0, len(o.shown.lines)-o.back)]
	for y := r.H - 1; y >= 0 && len(lines) > 0; {
		wrapped := term.Wrap(lines[len(lines)-1], r.W-3)
		lines = lines[:len(lines)-1]
		for i := len(wrapped) - 1; i >= 0 && y >= 0; i-- {
			c.Put(r, 2, y, term.Plain, wrapped[i])
			y--
		}
	}
	c.More(r, o.back)
}
