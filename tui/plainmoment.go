package tui

import (
	"time"

	"kubarium/tui/page"
)

// at goes to a version, or back to now, and says where that is.
func (p *plain) at(words string) {
	p.fold() // tells what has come meanwhile, before the moment is another one
	if words == "" {
		p.print("at needs a resourceVersion, or now: at 4176")
		return
	}
	was := p.u.Moment
	p.u.Toast = page.Toast{}
	p.u.goToNamed(words)
	p.settle()
	p.u.payAll()
	switch {
	case p.u.Moment == was && p.u.Toast.Text != "":
		p.print("%s.", p.u.Toast.Text)
	case p.u.past():
		p.remind()
	default:
		p.print("This is %s, rv %d.", p.u.nowWord(), p.u.live.Time.Head)
	}
}

// remind says, before something of the past is told, of which moment that is.
func (p *plain) remind() {
	if !p.u.past() {
		return
	}
	m := p.u.Moment
	p.print("PAST: at rv %d, %s, %s; now is rv %d, at now goes back.", m.Revision, m.At.Format(time.TimeOnly), p.u.ago(true), p.u.live.Time.Head)
}

// settle does at once what was left for the program.
func (p *plain) settle() {
	for effects := p.u.takeEffects(); len(effects) > 0; effects = p.u.takeEffects() {
		for _, e := range effects {
			if w, ok := e.(page.Work); ok {
				w.Run()()
			}
		}
	}
}
