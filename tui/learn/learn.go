// Package learn is the page of lessons, and the strip of the one that is loaded.
package learn

import (
	"fmt"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the list of lessons, and the strip of the loaded one.
type Page struct {
	term.Narrowing
	env     *page.Env
	guide   Guide
	Lessons []Lesson
	Loaded  *Lesson
	hidden  bool
	busy    bool // a call of the player is in progress

	running  bool // the user plays the lesson with Run, so an answer goes on with Run too
	back     int  // how many steps the strip looks back; 0 shows the present
	pace     int  // index into paces
	progress progress
	lacks    map[string]string // what the server lacks for lessons, by their names; nil until it was asked
	heard    map[string]bool   // the names of the lessons whose News is being read
	InSight  bool              // the strip is on the screen

	languages []string
	retell    func(language string) ([]Lesson, error)

	cursor    int    // index into Lessons
	words     string // only lessons that have all of these are listed
	top, tall int
	detail    lessonDetail
}

// New returns the page of these lessons.
func New(u *page.Env, lessons []Lesson) *Page {
	l := &Page{env: u, Lessons: lessons, progress: readProgress(u.StateDir), heard: map[string]bool{}}
	u.LessonCommand = l.offered
	l.detail.l = l
	l.Narrowing = term.Narrowing{Apply: l.narrow, Step: l.Move}
	return l
}

// Panes implements page.Page.
func (l *Page) Panes() []page.Pane { return []page.Pane{l, &l.detail} }

// Form implements page.Page.
func (l *Page) Form() page.Form { return page.Form{Two: 57} }

// Fold implements page.Page; lessons do not depend on flows.
func (l *Page) Fold([]*flow.Flow) {}

// Refilter implements page.Page; lessons have no filter.
func (l *Page) Refilter() {}

// Restless implements page.Page.
func (l *Page) Restless() bool { return l.Active() }

// Tab implements page.Page.
func (l *Page) Tab() page.Tab {
	t := page.Tab{Name: "8 Learn", Short: "8Learn", Help: "Learn: lessons that play on this server"}
	if l.Loaded != nil {
		t.Badge = fmt.Sprintf("▸%d/%d", l.Loaded.Player.State().Done, len(l.Loaded.Steps))
		t.Means = t.Badge + ": so many steps of the loaded lesson are done, of all."
	}
	return t
}

// Title implements page.Page.
func (l *Page) Title(i int) (title, note term.Line) {
	return term.Text(l.env.TitleStyle(i), l.env.T(term.Pick(i == 0, "lessons", "lesson"))), nil
}

// Keys implements page.Pane.
func (l *Page) Keys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"enter"}, Hint: "open", Help: "load the selected lesson and go to Traffic", Off: l.needsChosen,
			Do: l.openChosen},
		{Keys: []string{"/"}, Hint: "narrow", Help: "list only lessons that have all words in their title, name, " +
			"topic or state", Do: func() { l.StartNarrow(l.words) }},
		{Keys: []string{"*"}, Help: "list all lessons", Off: l.needsWords, Do: func() { l.narrow("") }},
		{Keys: []string{"y"}, Help: "copy the command that the lesson offers", Off: l.needsOffer,
			Do: l.env.CopyLessonCommand},
	}
}

// Commands returns the commands without a key.
func (l *Page) Commands() []term.Command {
	leave := term.Command{Keys: ":leave", Help: "leave the lesson; what it made stays, and loaded again it goes on",
		Off: l.needsLesson(), Do: l.leave}
	return append(l.languageCommands(), leave)
}

func (l *Page) needsOffer() string {
	return page.Unless(l.offered() != "", "no step of a lesson offers a command")
}

// Legend implements page.Pane.
func (l *Page) Legend() []string {
	return []string{
		"Each lesson sends real requests to this server, step by step; its actors are the short names under who.",
		"space goes on, step by step; some steps are yours, and wait for your kubectl. R removes what the lesson " +
			"created.",
		"Each step opens its page by itself, regardless of the filter; at the end your page and your filter come back.",
		"○ new, next on the road  ▸ begun  ✓ done  ✗ failed. Lessons of a course follow each other.",
	}
}

// Name implements page.Pane.
func (l *Page) Name() string { return "lessons" }

// Height implements page.Pane.
func (l *Page) Height() int { return max(1, l.tall) }
func (l *Page) shown() bool { return l.Loaded != nil && !l.hidden }

// Playing reports whether the strip of a lesson is to be shown.
func (l *Page) Playing() bool { return l.shown() }

// Replaced are the controllers that are paused while the loaded lesson does their work.
func (l *Page) Replaced() []string {
	if l.Loaded == nil {
		return nil
	}
	return l.Loaded.Player.State().Replaced
}

// Active reports whether the lesson's state may change without a key.
func (l *Page) Active() bool {
	if l.Loaded == nil {
		return false
	}
	return l.busy || l.Loaded.Player.State().Phase == Running
}

// Open loads a lesson by name, and reports whether there is one.
func (l *Page) Open(name string) bool {
	for i := range l.Lessons {
		if l.Lessons[i].Name == name {
			l.cursor, l.Loaded, l.hidden, l.back = i, &l.Lessons[i], false, 0
			l.env.LessonText = l.thirdLines
			l.Loaded.Player.SetSpeed(paces[l.pace])
			l.listen()
			return true
		}
	}
	return false
}

// openChosen loads the lesson under the cursor and shows the traffic that it will make.
func (l *Page) openChosen() {
	if l.busy {
		l.env.Say("the loaded lesson is in the middle of a step")
		return
	}
	l.Open(l.Lessons[l.cursor].Name)
	l.env.Show(page.Traffic)
	if l.Loaded.Player.State().Phase == Idle {
		l.env.Say("space begins the lesson")
	}
}

// call runs a method of the player off the loop. Only one call at a time is possible.
func (l *Page) call(f func() error) {
	if l.busy {
		l.env.Say("the lesson is in the middle of a step")
		return
	}
	l.busy, l.back = true, 0
	l.env.Relayout()
	l.env.Do(page.Work{Run: func() func() { return l.answer(f(), true) }})
}

// answer runs on the loop when a call has returned; last says that the next call may begin.
func (l *Page) answer(err error, last bool) func() {
	return func() {
		if last {
			l.busy = false
		}
		l.happened()
		if err != nil {
			l.env.Say("lesson: %s", err)
		}
		l.env.Dirty = true
	}
}

func (l *Page) askReset() {
	l.env.Over = &term.Menu{
		Title: "Begin the lesson again?",
		Text:  []string{"What it created is deleted; nothing else is touched."},
		Items: []term.Item{{Key: "R", Label: l.env.F("reset %s", l.Loaded.Title), Do: func() { l.call(l.Loaded.Player.Reset) }}},
	}
}

// phaseSign is a glyph for a phase; its word is always next to it.
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
