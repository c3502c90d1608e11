package tui

import (
	"fmt"
	"strings"
)

// learn is the list of lessons, and the strip of the one that is loaded.
type learn struct {
	u       *env
	lessons []Lesson
	cursor  int
	top     int
	tall    int
	loaded  *Lesson
	hidden  bool
	busy    bool // a call of the player is under way

	running  bool // the lesson runs by itself, so an answer makes it go on
	back     int  // how many steps the strip looks back; 0 shows the present
	speed    int  // index into speeds
	progress progress
	inSight  bool // the strip is on the screen
}

func (l *learn) init(u *env, lessons []Lesson) {
	*l = learn{u: u, lessons: lessons, speed: normalSpeed, progress: readProgress(u.stateDir)}
	u.lessonCommand = l.offered
}

func (l *learn) context() place { return inLearn }
func (l *learn) name() string   { return "lessons" }
func (l *learn) height() int    { return max(1, l.tall) }
func (l *learn) shown() bool    { return l.loaded != nil && !l.hidden }

func (l *learn) move(n int) { l.cursor = max(0, min(l.cursor+n, len(l.lessons)-1)) }

func (l *learn) end(bottom bool) {
	l.cursor = 0
	if bottom {
		l.cursor = max(0, len(l.lessons)-1)
	}
}

// active reports whether the lesson's state may change by itself.
func (l *learn) active() bool {
	if l.loaded == nil {
		return false
	}
	return l.busy || l.loaded.Player.State().Phase == LessonRunning
}

// open loads a lesson by its name.
func (l *learn) open(name string) bool {
	for i := range l.lessons {
		if l.lessons[i].Name == name {
			l.cursor, l.loaded, l.hidden, l.back = i, &l.lessons[i], false, 0
			l.loaded.Player.SetSpeed(speeds[l.speed])
			return true
		}
	}
	return false
}

// openChosen loads the lesson under the cursor and shows the requests that it is going to make.
func (l *learn) openChosen() {
	if l.busy {
		l.u.say("the loaded lesson is in the middle of a step")
		return
	}
	l.open(l.lessons[l.cursor].Name)
	l.u.show(pageTraffic)
	l.u.say("space runs the lesson, . plays one step")
}

// toggle runs the lesson, or pauses it.
func (l *learn) toggle() {
	p := l.loaded.Player
	if l.asking() != nil {
		l.u.say("the lesson waits for your answer; . goes on without one")
		return
	}
	l.running = p.State().Phase != LessonRunning
	if !l.running {
		l.u.do(workEffect{func() func() { return l.answer(p.Pause(), false) }})
		return
	}
	l.call(p.Run)
}

// step plays one step, or comes one step back to the present.
func (l *learn) step() {
	if l.back > 0 {
		l.back--
		return
	}
	l.running = false
	l.call(l.loaded.Player.Step)
}

// call runs a method of the player off the loop, one at a time.
func (l *learn) call(f func() error) {
	if l.busy {
		l.u.say("the lesson is in the middle of a step")
		return
	}
	l.busy, l.back = true, 0
	l.u.relayout()
	l.u.do(workEffect{func() func() { return l.answer(f(), true) }})
}

// answer is what happens on the loop when a call has returned; last says that it was the one that kept others out.
func (l *learn) answer(err error, last bool) func() {
	return func() {
		if last {
			l.busy = false
			l.keepProgress()
			l.u.relayout()
		}
		if err != nil {
			l.u.say("lesson: %s", err)
		}
		l.u.dirty = true
	}
}

func (l *learn) askReset() {
	l.u.over = &menu{
		title: "Reset the lesson?",
		text:  []string{"What it created is deleted; nothing else is touched."},
		items: []item{{key: "R", label: "reset " + l.loaded.Title, do: func() { l.call(l.loaded.Player.Reset) }}},
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
	for y := 1; y < r.h && l.top+y-1 < len(l.lessons); y++ {
		i := l.top + y - 1
		le := &l.lessons[i]
		st, sign, word := l.standing(le)
		row := r.row(y)
		c.put(row, 2, 0, st, sign)
		c.put(row, 4, 0, sPlain, fit(le.Title, r.w-26))
		c.right(row, r.w-1, 0, sDim, word)
		if i == l.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, pick(l.u.over == nil, selected, shadowed))
		}
	}
}

// drawDetail tells what the lesson under the cursor is about.
func (l *learn) drawDetail(c *canvas, r rect) {
	if r.empty() || len(l.lessons) == 0 {
		return
	}
	le := &l.lessons[l.cursor]
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
	if len(le.Needs) > 0 {
		p.say(sDim, "Needs a server that serves "+strings.Join(le.Needs, " and ")+".")
	}
	p.blank()
	for i, step := range le.Steps {
		p.more(stepLine(i, current(le, s), step, s, p.w))
	}
	if s.Problem != "" {
		p.blank()
		p.say(sErr, "✗ "+s.Problem)
	}
	p.blank()
	p.add(span{sKey, "enter"}, span{sPlain, " loads it; then "}, span{sKey, "space"}, span{sPlain, " runs it"})
}

// stepLine is the title of the i-th step, with a sign that says whether it is done; now is the one that is being told.
func stepLine(i, now int, step string, s LessonState, w int) line {
	sign, st := "  ", sPlain
	switch {
	case i == now && s.Phase == LessonFailed:
		sign, st = "✗ ", sErr
	case i == now && s.Phase != LessonDone:
		sign, st = "▸ ", sBold
	case i < s.Done:
		sign, st = "✓ ", sDim
	}
	return fitLine(line{{st, fmt.Sprintf("%s%2d  %s", sign, i+1, step)}}, w)
}

// drawThird tells the loaded lesson's story in a column of its own.
func (l *learn) drawThird(c *canvas, r rect) {
	s := l.loaded.Player.State()
	p := inspectorPage{w: r.w - 2}
	for i, step := range l.loaded.Steps {
		p.more(stepLine(i, current(l.loaded, s), step, s, p.w))
	}
	p.blank()
	l.tellAll(&p, s)
	for y, ln := range p.lines {
		c.line(r.inset(1), 0, y, ln)
	}
}
