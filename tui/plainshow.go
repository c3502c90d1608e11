package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubarium/flow/filter"
	"kubarium/tui/inspect"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (p *plain) next() {
	p.wait = true
	if len(p.queue) == 0 {
		p.print("Nothing new. Requests wait from now on until next or go.")
		return
	}
	p.tell(p.queue[0])
	p.queue = p.queue[1:]
}

// show prints one side of a request.
func (p *plain) show(rest string) {
	number, side, _ := strings.Cut(rest, " ")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		p.print("show needs the number of a request: show 12 %s", p.storeSide())
		return
	}
	f := p.u.Log.Get(seq)
	if f == nil {
		p.print("There is no request %d: it is no longer kept, or it %s.", seq, term.Pick(p.u.past(), fmt.Sprintf("had not ended at rv %d", p.u.at()), "has not come yet"))
		return
	}
	call, side, err := callNamed(side, len(f.Calls))
	if err != nil {
		p.print("%s", err)
		return
	}
	which, err := p.tabNamed(side)
	if err != nil {
		p.print("%s", err)
		return
	}
	p.u.Sel = f
	p.u.OpenCall(call)
	defer p.u.CloseCall()
	for _, l := range p.u.traffic().Inspector.Told(p.u.Shown(), which, 100) {
		p.print("%s", l.String())
	}
}

// storeSide is the side of a request with what the store was asked.
func (p *plain) storeSide() string { return strings.ToLower(p.u.Store().Tab) }

func (p *plain) tabNamed(s string) (inspect.Tab, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return inspect.TabStory, nil
	}
	for t := inspect.TabStory; t < inspect.Tabs; t++ {
		if strings.EqualFold(p.u.traffic().Inspector.Title(t), s) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("the sides are story, request, response, stations, %s, effects and raw", p.storeSide())
}

func (p *plain) watchers() {
	p.fold() // prints what has come, before the list
	p.remind()
	w := p.u.Streams
	if len(w.List) == 0 {
		p.print("%s", term.Pick(p.u.past(), "No client was watching.", "No client is watching."))
	}
	for _, x := range w.List {
		s := x.State()
		_, lag := w.Lag(x, s)
		p.print("%s watches %s: %s events and %s bookmarks, last resourceVersion %s, %s.", x.Client.Tag, label.Watch(x), term.Count(s.Sent), term.Count(s.Bookmarks), label.Revision(s.Last), lag)
	}
}

func (p *plain) filter(terms string) {
	f, err := filter.Parse(terms)
	if err != nil {
		p.print("Column %d: %s. The filter stays as it was.", asProblem(err).Column+1, err)
		return
	}
	p.match = f
	if f.Empty() {
		p.print("Every request is shown.")
		return
	}
	p.print("Only requests with %s are shown.", f)
}

// pages lets the pages answer a word, and reports whether one knows it.
func (p *plain) pages(word, rest string) bool {
	p.fold() // prints what has come, before the answer
	said := false
	print := func(format string, args ...any) {
		if !said {
			p.remind()
		}
		said = true
		p.print(format, args...)
	}
	for _, s := range p.u.screens() {
		if t, ok := p.u.pages[s].(page.Teller); ok && t.Tell(word, rest, print) {
			return true
		}
	}
	return false
}

// callNamed reads which of a request's calls is meant, "call 2 response"; 0 for the request itself.
func callNamed(side string, calls int) (number int, rest string, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(side), "call ")
	if !ok {
		return 0, side, nil
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	number, err = strconv.Atoi(first)
	switch {
	case calls == 0:
		return 0, "", errors.New("the server called nobody for this request")
	case err != nil || number < 1 || number > calls:
		return 0, "", fmt.Errorf("it has the calls 1 to %d: show 12 call 1 response", calls)
	}
	return number, rest, nil
}

// fold prints the requests that came since the last time.
func (p *plain) fold() {
	now := p.u.live
	lost, from := p.u.lost, now.Seq
	p.u.fold()
	if n := p.u.lost - lost; n > 0 {
		p.print("%s requests were no longer kept when they could be shown.", term.Count(n))
	}
	p.gate()
	p.narrate()
	flows, _ := now.Log.Since(from, 0)
	for _, f := range flows {
		if f.Seq > now.Seq { // it came since, and is printed the next time
			break
		}
		if f.Seq <= p.u.o.Source.Before || f.Client.Own() && !p.match.Seeks(f) || !p.match.Match(f) {
			continue
		}
		if p.wait {
			p.queue = append(p.queue, f)
			continue
		}
		p.tell(f)
	}
	if n := len(p.queue) - plainQueue; n > 0 {
		p.queue = p.queue[n:]
		p.print("%s requests were skipped: too many wait for next.", term.Count(n))
	}
}

// remind says, before something of the past is printed, of which moment that is.
func (p *plain) remind() {
	if !p.u.past() {
		return
	}
	m := p.u.Moment
	p.print("PAST: at rv %d, %s, %s; now is rv %d, at now goes back.", m.Revision, m.At.Format(time.TimeOnly), p.u.ago(true), p.u.live.Time.Head)
}

// at goes to a version, or back to now, and says where that is.
func (p *plain) at(words string) {
	p.fold() // prints what has come, before the moment is another one
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

// speaker is the page that a word asks for, nil for none.
func (p *plain) speaker(word string) page.Speaker {
	for _, id := range p.u.screens() {
		if s, ok := p.u.pages[id].(page.Speaker); ok && s.Word() == word {
			return s
		}
	}
	return nil
}

// page prints a page, or one row of it by its number, and reports whether word names one.
func (p *plain) page(word, rest string) bool {
	s := p.speaker(word)
	if s == nil {
		return false
	}
	p.fold() // prints what has come, before the list
	p.remind()
	s = p.speaker(word) // of the moment that is shown now
	if rest == "" {
		p.sentences(s)
		return true
	}
	number, err := strconv.ParseUint(rest, 10, 64)
	lines := s.About(number)
	if err != nil || lines == nil {
		p.print("%s: there is no number %q.", word, rest)
	}
	for _, l := range lines {
		p.print("%s", l.String())
	}
	return true
}

func (p *plain) sentences(s page.Speaker) {
	said := s.Sentences()
	if len(said) == 0 {
		said = []string{s.Nothing()}
	}
	for _, l := range said {
		p.print("%s", l)
	}
}
