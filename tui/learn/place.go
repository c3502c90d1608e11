package learn

import "kubarium/tui/page"

// A Guide is the screen as a lesson sees it.
type Guide interface {
	Follow()   // opens the lesson's place, see Page.Place, unless it is open already
	GiveBack() // restores the page and the filter from before the lesson
}

// A Place is what the present step of the loaded lesson shows, or an earlier step when looking back.
type Place struct {
	Lesson string
	Step   int  // counted from 0
	Awaits bool // its request is the user's, and has not come
	Ended  bool // the step is done
	Meant  Sent // the request that it shows: its own, or that of an earlier step
	Telling
}

// Place returns the place to show; false if no lesson is loaded, it is hidden, or it has not begun.
func (l *Page) Place() (Place, bool) {
	if !l.shown() {
		return Place{}, false
	}
	s, told := l.Loaded.Player.State(), l.Loaded.Player.Told()
	i := min(l.told(s), len(told)-1) // a question is of a step that is still to come
	if i < 0 {
		return Place{}, false
	}
	meant := told[i].Sent
	if at := told[i].At; at != nil && at.Request > 0 && at.Request <= len(told) {
		meant = told[at.Request-1].Sent
	}
	return Place{l.Loaded.Name, i, s.Await != nil && i == len(told)-1, i < s.Done, meant, told[i]}, true
}

// SetGuide sets the screen that follows the lessons.
func (l *Page) SetGuide(g Guide) { l.guide = g }

// News receives a token when the loaded lesson went on without a call of the UI; nil never does.
func (l *Page) News() <-chan struct{} {
	if l.Loaded == nil {
		return nil
	}
	return l.Loaded.Changed
}

// listen reads the changes of the loaded lesson as long as the UI runs.
func (l *Page) listen() {
	name, news := l.Loaded.Name, l.Loaded.Changed
	if news == nil || l.heard[name] {
		return
	}
	l.heard[name] = true
	l.hear(news)
}

func (l *Page) hear(news <-chan struct{}) {
	l.env.Do(page.Listen{C: news, Do: func() {
		l.hear(news)
		l.happened()
	}})
}

// happened shows the new state of the loaded lesson.
func (l *Page) happened() {
	if l.Loaded == nil {
		return
	}
	l.KeepProgress()
	l.guide.Follow()
	l.env.Relayout()
}

// toggleHidden hides the strip and restores the screen, or shows the strip again.
func (l *Page) toggleHidden() {
	l.hidden = !l.hidden
	if l.hidden {
		l.guide.GiveBack()
	} else {
		l.guide.Follow()
	}
	l.env.Relayout()
}

// Whose is the client of the loaded lesson's present step.
func (l *Page) Whose() (tag, why string) {
	p, ok := l.Place()
	f := l.env.Log.Get(p.Sent.Seq)
	switch {
	case !ok:
		return "", l.env.T("no step of a lesson has been played")
	case f != nil:
		return f.Client.Tag, ""
	case p.Sent.Actor == "":
		return "", l.env.T("this step sends nothing")
	}
	return p.Sent.Actor, ""
}
