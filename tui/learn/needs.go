package learn

import "kubarium/tui/page"

// Opened implements page.Opener: it asks the server what it lacks for the lessons. Until it has answered, nothing is said of it.
func (l *Page) Opened() {
	ask := map[string]func() (string, error){}
	for i := range l.Lessons {
		if le := &l.Lessons[i]; le.Lacks != nil {
			ask[le.Name] = le.Lacks
		}
	}
	if len(ask) == 0 || l.env.ReadOnly != "" {
		return
	}
	l.env.Do(page.Work{Run: func() func() {
		lacks := map[string]string{}
		for name, lacking := range ask {
			if what, err := lacking(); err == nil && what != "" {
				lacks[name] = what
			}
		}
		return func() {
			l.lacks = lacks
			l.env.Dirty = true
		}
	}})
}

// Lacking returns what the server lacks for a lesson, "" for nothing, or if that is not known.
func (l *Page) Lacking(le *Lesson) string { return l.lacks[le.Name] }
