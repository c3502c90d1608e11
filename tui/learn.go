package tui

import (
	"fmt"
	"strings"
)

// learn is the list of lessons, and the strip of the one that is loaded.
type learn struct {
	u      *ui
	cursor int
	top    int
	tall   int
	loaded *Lesson
	hidden bool
	busy   bool // a call of the player is under way
}

func (l *learn) init(u *ui)     { *l = learn{u: u} }
func (l *learn) context() place { return inLearn }
func (l *learn) name() string   { return "lessons" }
func (l *learn) height() int    { return max(1, l.tall) }
func (l *learn) shown() bool    { return l.loaded != nil && !l.hidden }

func (l *learn) move(n int) { l.cursor = max(0, min(l.cursor+n, len(l.u.o.Lessons)-1)) }

func (l *learn) end(bottom bool) {
	l.cursor = 0
	if bottom {
		l.cursor = max(0, len(l.u.o.Lessons)-1)
	}
}

// active reports whether the lesson's state may change by itself.
func (l *learn) active() bool {
	if l.loaded == nil {
		return false
	}
	p := l.loaded.Player.State().Phase
	return l.busy || p == LessonRunning || p == LessonWaiting
}

// open loads a lesson by its name.
func (l *learn) open(name string) bool {
	for i := range l.u.o.Lessons {
		if l.u.o.Lessons[i].Name == name {
			l.cursor, l.loaded, l.hidden = i, &l.u.o.Lessons[i], false
			return true
		}
	}
	return false
}

// openLesson loads the lesson under the cursor and shows the requests that it is going to make.
func (u *ui) openLesson() {
	if u.learn.busy {
		u.say("the loaded lesson is in the middle of a step")
		return
	}
	u.learn.open(u.o.Lessons[u.learn.cursor].Name)
	u.show(pageTraffic)
	u.say("space runs the lesson, . plays one step")
}

// toggle runs the lesson, or pauses it.
func (l *learn) toggle() {
	p := l.loaded.Player
	if s := p.State().Phase; s == LessonRunning || s == LessonWaiting {
		l.u.do(workEffect{func() func() { return l.answer(p.Pause(), false) }})
		return
	}
	l.call(p.Run)
}

func (l *learn) step() { l.call(l.loaded.Player.Step) }

// call runs a method of the player off the loop, one at a time.
func (l *learn) call(f func() error) {
	if l.busy {
		l.u.say("the lesson is in the middle of a step")
		return
	}
	l.busy = true
	l.u.do(workEffect{func() func() { return l.answer(f(), true) }})
}

// answer is what happens on the loop when a call has returned; last says that it was the one that kept others out.
func (l *learn) answer(err error, last bool) func() {
	return func() {
		if last {
			l.busy = false
		}
		if err != nil {
			l.u.say("lesson: %s", err)
		}
		l.u.dirty = true
	}
}

func (u *ui) askReset() {
	u.over = &menu{
		title: "Reset the lesson?",
		text:  []string{"What it created is deleted; nothing else is touched."},
		items: []item{{key: "R", label: "reset " + u.learn.loaded.Title, do: func(u *ui) { u.learn.call(u.learn.loaded.Player.Reset) }}},
	}
}

// phaseSign is a glyph for a phase; its word always stands beside it.
func phaseSign(p LessonPhase) (style, string) {
	switch p {
	case LessonRunning:
		return sOpen, "▶"
	case LessonDone:
		return sOpen, "✓"
	case LessonFailed:
		return sErr, "✗"
	case LessonWaiting, LessonPaused:
		return sWarn, "▸"
	}
	return sDim, "○"
}

// draw lists the lessons.
func (l *learn) draw(c *canvas, r rect) {
	l.tall = r.h - 1
	c.put(r, 2, 0, sHead, "lesson")
	l.top = max(0, min(l.top, l.cursor), l.cursor-l.tall+1)
	for y := 1; y < r.h && l.top+y-1 < len(l.u.o.Lessons); y++ {
		i := l.top + y - 1
		le := &l.u.o.Lessons[i]
		s := le.Player.State()
		st, sign := phaseSign(s.Phase)
		row := r.row(y)
		c.put(row, 2, 0, st, sign)
		c.put(row, 4, 0, sPlain, fit(le.Title, r.w-24))
		c.right(row, r.w-1, 0, sDim, fmt.Sprintf("%d/%d %s", s.Done, len(le.Steps), s.Phase))
		if i == l.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, pick(l.u.over == nil, selected, shadowed))
		}
	}
}

// drawDetail tells what the lesson under the cursor is about.
func (l *learn) drawDetail(c *canvas, r rect) {
	if r.empty() || len(l.u.o.Lessons) == 0 {
		return
	}
	le := &l.u.o.Lessons[l.cursor]
	p := inspectorPage{w: r.w - 2}
	l.describe(&p, le)
	for y, ln := range p.lines {
		c.line(r.inset(1), 0, y, ln)
	}
}

func (l *learn) describe(p *inspectorPage, le *Lesson) {
	s := le.Player.State()
	p.title(le.Title)
	p.say(sPlain, le.Summary)
	p.blank()
	for i, step := range le.Steps {
		p.more(stepLine(i, step, s, p.w))
	}
	if s.Problem != "" {
		p.blank()
		p.say(sErr, "✗ "+s.Problem)
	}
	p.blank()
	p.add(span{sKey, "enter"}, span{sPlain, " loads it; then "}, span{sKey, "space"}, span{sPlain, " runs it"})
}

func stepLine(i int, step string, s LessonState, w int) line {
	sign, st := "  ", sPlain
	switch {
	case i < s.Done:
		sign, st = "✓ ", sDim
	case i == s.Done && s.Phase == LessonFailed:
		sign, st = "✗ ", sErr
	case i == s.Done && s.Phase != LessonIdle:
		sign, st = "▸ ", sBold
	}
	return fitLine(line{{st, fmt.Sprintf("%s%d  %s", sign, i+1, step)}}, w)
}

// drawThird tells the loaded lesson's story in a column of its own.
func (l *learn) drawThird(c *canvas, r rect) {
	s := l.loaded.Player.State()
	p := inspectorPage{w: r.w - 2}
	for i, step := range l.loaded.Steps {
		p.more(stepLine(i, step, s, p.w))
	}
	p.blank()
	p.say(sPlain, s.Narration)
	for _, x := range []struct{ name, text string }{{"Look at: ", s.LookAt}, {"You: ", s.You}, {"✗ ", s.Problem}} {
		if x.text != "" {
			p.blank()
			p.say(sPlain, x.name+x.text)
		}
	}
	for y, ln := range p.lines {
		c.line(r.inset(1), 0, y, ln)
	}
}

// drawStrip shows where the loaded lesson stands: a rule and four lines, or one line where there is no room.
func (l *learn) drawStrip(c *canvas, r rect) {
	if r.empty() || l.loaded == nil {
		return
	}
	s := l.loaded.Player.State()
	st, sign := phaseSign(s.Phase)
	if r.h < 5 {
		x := c.put(r, 1, 0, st, sign+" ")
		x = c.put(r, x, 0, sBold, fmt.Sprintf("%d/%d ", s.Done, len(l.loaded.Steps)))
		keys := "space run/pause  . step  \\ hide"
		c.put(r, x, 0, sPlain, fit(firstOf(s.Problem, s.Narration, l.loaded.Title), r.w-x-len(keys)-3))
		c.right(r, r.w-1, 0, sDim, keys)
		return
	}
	title := line{{sPlain, "learn · "}, {sBold, l.loaded.Title}, {sPlain, fmt.Sprintf(" · step %d/%d", s.Done, len(l.loaded.Steps))}}
	c.rule(r, 0, sBorder, title, line{{st, sign + " "}, {sPlain, string(s.Phase) + " · space run/pause · . step · R reset · \\ hide"}})
	l.drawSteps(c, rect{r.x, r.y + 1, r.w, 1}, s)
	told := wrap(firstOf(s.Problem, s.Narration, l.loaded.Summary), r.w-2)
	for i, t := range told[:min(2, len(told))] {
		if i == 1 && len(told) > 2 {
			t = fit(t+" "+told[2], r.w-2)
		}
		c.put(r, 1, 2+i, sPlain, t)
	}
	x := 1
	if s.LookAt != "" {
		x = c.put(r, x, 4, sPlain, fit("Look at: "+s.LookAt, r.w*6/10)) + 3
	}
	if s.You != "" {
		c.put(r, x, 4, sAccent, fit("You: "+s.You, r.w-x-1))
	}
}

func (l *learn) drawSteps(c *canvas, r rect, s LessonState) {
	x := 1
	from := max(0, s.Done-2)
	for i := from; i < len(l.loaded.Steps) && x < r.w; i++ {
		ln := stepLine(i, fit(l.loaded.Steps[i], 28), s, r.w-x)
		ln[0].s = strings.TrimLeft(strings.Replace(ln[0].s, "  ", " ", 1), " ")
		x = c.line(rect{r.x, r.y, r.w - 1, 1}, x, 0, ln) + 2
	}
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
