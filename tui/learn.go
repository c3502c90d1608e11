package tui

import (
	"fmt"
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/term"
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
	detail   lessonDetail
}

func newLearn(u *env, lessons []Lesson) *learn {
	l := &learn{u: u, lessons: lessons, speed: normalSpeed, progress: readProgress(u.stateDir)}
	u.lessonCommand = l.offered
	l.detail.l = l
	return l
}

func (l *learn) panes() []pane     { return []pane{l, &l.detail} }
func (l *learn) form() form        { return form{two: 57} }
func (l *learn) fold([]*flow.Flow) {}
func (l *learn) refilter()         {}
func (l *learn) restless() bool    { return l.active() }

func (l *learn) tab() tabLabel {
	t := tabLabel{name: "8 Learn", short: "8Learn", help: "Learn: lessons that play on this server"}
	if l.loaded != nil {
		t.badge = fmt.Sprintf("▸%d/%d", l.loaded.Player.State().Done, len(l.loaded.Steps))
	}
	return t
}

func (l *learn) title(i int) (title, note term.Line) {
	return term.Text(l.u.titleStyle(i), term.Pick(i == 0, "lessons", "lesson")), nil
}

func (l *learn) keys() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "open", help: "load the selected lesson and go to Traffic", do: l.openChosen},
		{keys: []string{"y"}, help: "copy the command that the lesson offers", off: l.needsOffer, do: l.u.copyLessonCommand},
	}
}

// playKeys play the loaded lesson, on every page.
func (l *learn) playKeys() []binding {
	return []binding{
		{keys: []string{"space"}, hint: "run/pause", help: "run the lesson, or pause it", off: l.needsLesson, do: l.toggle},
		{keys: []string{"."}, hint: "step", help: "play one step of the lesson; after looking back, come forward", off: l.needsLesson, do: l.step},
		{keys: []string{","}, help: "look back at what the lesson told a step before", off: l.needsLesson, do: l.lookBack},
		{keys: []string{">"}, help: "run the lesson faster, up to ×4", off: l.needsLesson, do: func() { l.faster(1) }},
		{keys: []string{"<"}, help: "run the lesson slower, down to ×0.25", off: l.needsLesson, do: func() { l.faster(-1) }},
		{keys: []string{"R"}, help: "reset the lesson: remove what it created", off: l.needsLesson, do: l.askReset},
		{keys: []string{"L"}, hint: "whole step", help: "tell the whole step of the lesson; there y copies its command", off: l.needsLesson, do: l.openPage},
		{keys: []string{"\\"}, help: "hide the lesson's strip, and show it", off: l.needsLesson, do: func() { l.hidden = !l.hidden; l.u.relayout() }},
	}
}

func (l *learn) needsOffer() string {
	return unless(l.offered() != "", "no step of a lesson offers a command")
}

func (l *learn) needsLesson() string { return unless(l.loaded != nil, "no lesson is loaded") }

func (l *learn) legend() []string {
	return []string{"Each lesson sends real requests to this server, told step by step; its actors are the short names under who.",
		"space runs it, . plays one step, R removes what it created."}
}

// click puts the cursor on a lesson.
func (l *learn) click(i, _, y int) {
	if at := l.top + y - 1; i == 0 && y > 0 && at < len(l.lessons) {
		l.cursor = at
	}
}

func (l *learn) name() string { return "lessons" }
func (l *learn) Height() int  { return max(1, l.tall) }
func (l *learn) shown() bool  { return l.loaded != nil && !l.hidden }

func (l *learn) Move(n int) { l.cursor = max(0, min(l.cursor+n, len(l.lessons)-1)) }

func (l *learn) End(bottom bool) {
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
			l.u.lessonText = l.thirdLines
			l.loaded.Player.SetSpeed(speeds[l.speed])
			return true
		}
	}
	return false
}

// openChosen loads the lesson under the cursor and shows the requests that it is going to make.
func (l *learn) openChosen() {
	if l.busy {
		l.u.Say("the loaded lesson is in the middle of a step")
		return
	}
	l.open(l.lessons[l.cursor].Name)
	l.u.show(pageTraffic)
	l.u.Say("space runs the lesson, . plays one step")
}

// toggle runs the lesson, or pauses it.
func (l *learn) toggle() {
	p := l.loaded.Player
	if l.asking() != nil {
		l.u.Say("the lesson waits for your answer; . goes on without one")
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
		l.u.Say("the lesson is in the middle of a step")
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
			l.u.Say("lesson: %s", err)
		}
		l.u.dirty = true
	}
}

func (l *learn) askReset() {
	l.u.over = &term.Menu{
		Title: "Reset the lesson?",
		Text:  []string{"What it created is deleted; nothing else is touched."},
		Items: []term.Item{{Key: "R", Label: "reset " + l.loaded.Title, Do: func() { l.call(l.loaded.Player.Reset) }}},
	}
}

// phaseSign is a glyph for a phase; its word always stands beside it.
func phaseSign(p LessonPhase) (term.Style, string) {
	switch p {
	case LessonRunning:
		return term.Open, "▶"
	case LessonDone:
		return term.Open, "✓"
	case LessonFailed:
		return term.Err, "✗"
	case LessonWaiting, LessonPaused:
		return term.Warn, "▸"
	}
	return term.Dim, "○"
}

// draw lists the lessons, and tells of the one under the cursor.
func (l *learn) draw(c *term.Canvas, i int, r term.Rect) {
	if i == 1 {
		l.detail.drawIn(c, r)
		return
	}
	l.tall = r.H - 1
	c.Put(r, 2, 0, term.Head, "lesson")
	l.top = max(0, min(l.top, l.cursor), l.cursor-l.tall+1)
	for y := 1; y < r.H && l.top+y-1 < len(l.lessons); y++ {
		i := l.top + y - 1
		le := &l.lessons[i]
		st, sign, word := l.standing(le)
		row := r.Row(y)
		c.Put(row, 2, 0, st, sign)
		c.Put(row, 4, 0, term.Plain, term.Fit(le.Title, r.W-26))
		c.Right(row, r.W-1, 0, term.Dim, word)
		if i == l.cursor {
			c.Put(row, 0, 0, term.Bold, "▸")
			c.Restyle(row, l.u.rowStyle(0))
		}
	}
}

func (l *learn) describe(p *term.Column, le *Lesson) {
	s := le.Player.State()
	p.Title(le.Title)
	p.Say(term.Plain, le.Summary)
	if len(le.Needs) > 0 {
		p.Say(term.Dim, "Needs a server that serves "+strings.Join(le.Needs, " and ")+".")
	}
	p.Blank()
	for i, step := range le.Steps {
		p.More(stepLine(i, current(le, s), step, s, p.W))
	}
	if s.Problem != "" {
		p.Blank()
		p.Say(term.Err, "✗ "+s.Problem)
	}
	p.Blank()
	p.Add(term.Key.Of("enter"), term.Plain.Of(" loads it; then "), term.Key.Of("space"), term.Plain.Of(" runs it"))
}

// stepLine is the title of the i-th step, with a sign that says whether it is done; now is the one that is being told.
func stepLine(i, now int, step string, s LessonState, w int) term.Line {
	sign, st := "  ", term.Plain
	switch {
	case i == now && s.Phase == LessonFailed:
		sign, st = "✗ ", term.Err
	case i == now && s.Phase != LessonDone:
		sign, st = "▸ ", term.Bold
	case i < s.Done:
		sign, st = "✓ ", term.Dim
	}
	return term.FitLine(term.Line{st.Of(fmt.Sprintf("%s%2d  %s", sign, i+1, step))}, w)
}

// thirdLines tell the loaded lesson's story in a column of its own.
func (l *learn) thirdLines(w int) []term.Line {
	s := l.loaded.Player.State()
	p := term.Column{W: w}
	for i, step := range l.loaded.Steps {
		p.More(stepLine(i, current(l.loaded, s), step, s, p.W))
	}
	p.Blank()
	l.tellAll(&p, s)
	return p.Lines
}
