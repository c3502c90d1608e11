package learn

import "kubarium/tui/page"

// A Guide is the screen as a lesson sees it.
type Guide interface {
	Follow()   // opens what the lesson is at, see Page.Place, unless that is open already
	GiveBack() // shows again what was shown before the lesson led, with the filter that was put aside
}

// A Place is what the loaded lesson is at: the step that it tells, looking back or not.
type Place struct {
	Lesson string
	Step   int  // counted from 0
	Awaits bool // its request is the reader's, and has not come
	Ended  bool // the step is done
	Telling
}

// Place is where the screen should be; false if no lesson leads: none is loaded, it is hidden, or it has told nothing.
func (l *Page) Place() (Place, bool) {
	if !l.shown() {
		return Place{}, false
	}
	s, told := l.Loaded.Player.State(), l.Loaded.Player.Told()
	i := min(l.told(s), len(told)-1) // a question is of a step that is still to come
	if i < 0 {
		return Place{}, false
	}
	return Place{l.Loaded.Name, i, s.Await != nil && i == len(told)-1, i < s.Done, told[i]}, true
}

// SetGuide says who opens what the lessons are at.
func (l *Page) SetGuide(g Guide) { l.guide = g }

// News receives a token when the loaded lesson went on without a call of the UI; nil never does.
func (l *Page) News() <-chan struct{} {
	if l.Loaded == nil {
		return nil
	}
	return l.Loaded.Changed
}

// listen hears of what the loaded lesson does by itself, for as long as the UI lives.
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

// happened shows what has become of the loaded lesson.
func (l *Page) happened() {
	if l.Loaded == nil {
		return
	}
	l.KeepProgress()
	l.guide.Follow()
	l.env.Relayout()
}

// leave takes the lesson off the screen. What it made stays; loaded again, it stands where it stood.
func (l *Page) leave() {
	l.guide.GiveBack()
	l.Loaded, l.env.LessonText, l.back = nil, nil, 0
	l.env.Relayout()
}

// toggleHidden hides the strip, and gives the screen back meanwhile.
func (l *Page) toggleHidden() {
	l.hidden = !l.hidden
	if l.hidden {
		l.guide.GiveBack()
	} else {
		l.guide.Follow()
	}
	l.env.Relayout()
}
