// Package learn is the page of lessons, and the strip of the one that is loaded.
package learn

import (
	"fmt"
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the list of lessons, and the strip of the one that is loaded.
type Page struct {
	env     *page.Env
	Lessons []Lesson
	cursor  int
	top     int
	tall    int
	Loaded  *Lesson
	hidden  bool
	busy    bool // a call of the player is under way

	running  bool // the lesson runs by itself, so an answer makes it go on
	back     int  // how many steps the strip looks back; 0 shows the present
	speed    int  // index into speeds
	progress progress
	InSight  bool // the strip is on the screen
	detail   lessonDetail
}

func New(u *page.Env, lessons []Lesson) *Page {
	l := &Page{env: u, Lessons: lessons, speed: normalSpeed, progress: readProgress(u.StateDir)}
	u.LessonCommand = l.offered
	l.detail.l = l
	return l
}

func (l *Page) Panes() []page.Pane { return []page.Pane{l, &l.detail} }
func (l *Page) Form() page.Form    { return page.Form{Two: 57} }
func (l *Page) Fold([]*flow.Flow)  {}
func (l *Page) Refilter()          {}
func (l *Page) Restless() bool     { return l.Active() }

func (l *Page) Tab() page.Tab {
	t := page.Tab{Name: "8 Learn", Short: "8Learn", Help: "Learn: lessons that play on this server"}
	if l.Loaded != nil {
		t.Badge = fmt.Sprintf("▸%d/%d", l.Loaded.Player.State().Done, len(l.Loaded.Steps))
	}
	return t
}

func (l *Page) Title(i int) (title, note term.Line) {
	return term.Text(l.env.TitleStyle(i), term.Pick(i == 0, "lessons", "lesson")), nil
}

func (l *Page) Keys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"enter"}, Hint: "open", Help: "load the selected lesson and go to Traffic", Do: l.openChosen},
		{Keys: []string{"y"}, Help: "copy the command that the lesson offers", Off: l.needsOffer, Do: l.env.CopyLessonCommand},
	}
}

// PlayKeys play the loaded lesson, on every page.
func (l *Page) PlayKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"space"}, Hint: "run/pause", Help: "run the lesson, or pause it", Off: l.needsLesson, Do: l.Toggle},
		{Keys: []string{"."}, Hint: "step", Help: "play one step of the lesson; after looking back, come forward", Off: l.needsLesson, Do: l.step},
		{Keys: []string{","}, Help: "look back at what the lesson told a step before", Off: l.needsLesson, Do: l.lookBack},
		{Keys: []string{">"}, Help: "run the lesson faster, up to ×4", Off: l.needsLesson, Do: func() { l.faster(1) }},
		{Keys: []string{"<"}, Help: "run the lesson slower, down to ×0.25", Off: l.needsLesson, Do: func() { l.faster(-1) }},
		{Keys: []string{"R"}, Help: "reset the lesson: remove what it created", Off: l.needsLesson, Do: l.askReset},
		{Keys: []string{"L"}, Hint: "whole step", Help: "tell the whole step of the lesson; there y copies its command", Off: l.needsLesson, Do: l.openPage},
		{Keys: []string{"\\"}, Help: "hide the lesson's strip, and show it", Off: l.needsLesson, Do: func() { l.hidden = !l.hidden; l.env.Relayout() }},
	}
}

func (l *Page) needsOffer() string {
	return page.Unless(l.offered() != "", "no step of a lesson offers a command")
}

func (l *Page) needsLesson() string { return page.Unless(l.Loaded != nil, "no lesson is loaded") }

func (l *Page) Legend() []string {
	return []string{"Each lesson sends real requests to this server, told step by step; its actors are the short names under who.",
		"space runs it, . plays one step, R removes what it created."}
}

// Click puts the cursor on a lesson.
func (l *Page) Click(i, _, y int) {
	if at := l.top + y - 1; i == 0 && y > 0 && at < len(l.Lessons) {
		l.cursor = at
	}
}

func (l *Page) Name() string { return "lessons" }
func (l *Page) Height() int  { return max(1, l.tall) }
func (l *Page) shown() bool  { return l.Loaded != nil && !l.hidden }

func (l *Page) Move(n int) { l.cursor = max(0, min(l.cursor+n, len(l.Lessons)-1)) }

func (l *Page) End(bottom bool) {
	l.cursor = 0
	if bottom {
		l.cursor = max(0, len(l.Lessons)-1)
	}
}

// Active reports whether the lesson's state may change by itself.
func (l *Page) Active() bool {
	if l.Loaded == nil {
		return false
	}
	return l.busy || l.Loaded.Player.State().Phase == Running
}

// Open loads a lesson by its name.
func (l *Page) Open(name string) bool {
	for i := range l.Lessons {
		if l.Lessons[i].Name == name {
			l.cursor, l.Loaded, l.hidden, l.back = i, &l.Lessons[i], false, 0
			l.env.LessonText = l.thirdLines
			l.Loaded.Player.SetSpeed(speeds[l.speed])
			return true
		}
	}
	return false
}

// openChosen loads the lesson under the cursor and shows the requests that it is going to make.
func (l *Page) openChosen() {
	if l.busy {
		l.env.Say("the loaded lesson is in the middle of a step")
		return
	}
	l.Open(l.Lessons[l.cursor].Name)
	l.env.Show(page.Traffic)
	l.env.Say("space runs the lesson, . plays one step")
}

// Toggle runs the lesson, or pauses it.
func (l *Page) Toggle() {
	p := l.Loaded.Player
	if l.Asking() != nil {
		l.env.Say("the lesson waits for your answer; . goes on without one")
		return
	}
	l.running = p.State().Phase != Running
	if !l.running {
		l.env.Do(page.Work{Run: func() func() { return l.answer(p.Pause(), false) }})
		return
	}
	l.call(p.Run)
}

// step plays one step, or comes one step back to the present.
func (l *Page) step() {
	if l.back > 0 {
		l.back--
		return
	}
	l.running = false
	l.call(l.Loaded.Player.Step)
}

// call runs a method of the player off the loop, one at a time.
func (l *Page) call(f func() error) {
	if l.busy {
		l.env.Say("the lesson is in the middle of a step")
		return
	}
	l.busy, l.back = true, 0
	l.env.Relayout()
	l.env.Do(page.Work{Run: func() func() { return l.answer(f(), true) }})
}

// answer is what happens on the loop when a call has returned; last says that it was the one that kept others out.
func (l *Page) answer(err error, last bool) func() {
	return func() {
		if last {
			l.busy = false
			l.KeepProgress()
			l.env.Relayout()
		}
		if err != nil {
			l.env.Say("lesson: %s", err)
		}
		l.env.Dirty = true
	}
}

func (l *Page) askReset() {
	l.env.Over = &term.Menu{
		Title: "Reset the lesson?",
		Text:  []string{"What it created is deleted; nothing else is touched."},
		Items: []term.Item{{Key: "R", Label: "reset " + l.Loaded.Title, Do: func() { l.call(l.Loaded.Player.Reset) }}},
	}
}

// phaseSign is a glyph for a phase; its word always stands beside it.
func phaseSign(p Phase) (term.Style, string) {
	switch p {
	case Running:
		return term.Open, "▶"
	case Done:
		return term.Open, "✓"
	case Failed:
		return term.Err, "✗"
	case Waiting, Paused:
		return term.Warn, "▸"
	}
	return term.Dim, "○"
}

// Draw lists the lessons, and tells of the one under the cursor.
func (l *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	if i == 1 {
		l.detail.drawIn(c, r)
		return
	}
	l.tall = r.H - 1
	c.Put(r, 2, 0, term.Head, "lesson")
	l.top = max(0, min(l.top, l.cursor), l.cursor-l.tall+1)
	for y := 1; y < r.H && l.top+y-1 < len(l.Lessons); y++ {
		i := l.top + y - 1
		le := &l.Lessons[i]
		st, sign, word := l.Standing(le)
		row := r.Row(y)
		c.Put(row, 2, 0, st, sign)
		c.Put(row, 4, 0, term.Plain, term.Fit(le.Title, r.W-26))
		c.Right(row, r.W-1, 0, term.Dim, word)
		if i == l.cursor {
			c.Put(row, 0, 0, term.Bold, "▸")
			c.Restyle(row, l.env.RowStyle(0))
		}
	}
}

func (l *Page) describe(p *term.Column, le *Lesson) {
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
func stepLine(i, now int, step string, s State, w int) term.Line {
	sign, st := "  ", term.Plain
	switch {
	case i == now && s.Phase == Failed:
		sign, st = "✗ ", term.Err
	case i == now && s.Phase != Done:
		sign, st = "▸ ", term.Bold
	case i < s.Done:
		sign, st = "✓ ", term.Dim
	}
	return term.FitLine(term.Line{st.Of(fmt.Sprintf("%s%2d  %s", sign, i+1, step))}, w)
}

// thirdLines tell the loaded lesson's story in a column of its own.
func (l *Page) thirdLines(w int) []term.Line {
	s := l.Loaded.Player.State()
	p := term.Column{W: w}
	for i, step := range l.Loaded.Steps {
		p.More(stepLine(i, current(l.Loaded, s), step, s, p.W))
	}
	p.Blank()
	l.tellAll(&p, s)
	return p.Lines
}
