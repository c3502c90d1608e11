package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// filterDelay is how long typing must pause before a valid filter applies.
const filterDelay = 150 * time.Millisecond

func (u *ui) startFilter() {
	e := term.NewLineEdit(u.filter.text)
	if e.Text != "" {
		e.Insert(" ")
	}
	u.filter.edit, u.filter.before, u.filter.back = &e, u.filter.text, 0
}

// filterKey handles a key while the filter is typed.
func (u *ui) filterKey(k string) {
	fl := &u.filter
	switch k {
	case "enter":
		u.closeFilter()
		return
	case "esc", "ctrl+c":
		fl.edit, fl.problem, fl.offers = nil, nil, nil
		u.applyFilter(fl.before)
		return
	case "tab":
		if len(fl.offers) > 0 {
			rest := fl.edit.Text[fl.edit.At:]
			*fl.edit = term.LineEdit{Text: fl.offers[0] + rest, At: len(fl.offers[0])}
		}
	case "up", "down":
		fl.recall(k)
	default:
		if !fl.edit.Key(k) {
			return
		}
	}
	u.typedFilter()
}

func (fl *filterLine) recall(k string) {
	if k == "up" {
		fl.back = min(fl.back+1, len(fl.past))
	} else {
		fl.back = max(fl.back-1, 0)
	}
	s := fl.before
	if fl.back > 0 {
		s = fl.past[len(fl.past)-fl.back]
	}
	*fl.edit = term.NewLineEdit(s)
}

// typedFilter reads what is typed: what is valid applies after a pause, what is not shows where and why.
func (u *ui) typedFilter() {
	fl := &u.filter
	fl.typed++
	at := len([]rune(fl.edit.Text[:fl.edit.At]))
	fl.offers = filter.Complete(fl.edit.Text, at, u.seenValues)
	if _, err := filter.Parse(fl.edit.Text); err != nil {
		fl.problem = asProblem(err)
		return
	}
	fl.problem = nil
	typed, text := fl.typed, fl.edit.Text
	u.Do(page.Later{After: filterDelay, Do: func() {
		if typed == u.filter.typed && u.filter.edit != nil {
			u.applyFilter(text)
		}
	}})
}

func asProblem(err error) *filter.Error {
	var e *filter.Error
	if errors.As(err, &e) {
		return e
	}
	return &filter.Error{Message: err.Error()}
}

// closeFilter ends typing: a valid filter applies at once. One that is not stays in the line.
func (u *ui) closeFilter() {
	fl := &u.filter
	if fl.problem != nil { // what was typed stays, to be mended
		u.Say("this is not a filter yet: %s; esc closes it", fl.problem)
		return
	}
	typed := fl.edit.Text
	fl.edit, fl.offers = nil, nil
	u.applyFilter(typed)
	if fl.text != "" {
		fl.past = append(slices.DeleteFunc(fl.past, func(s string) bool { return s == fl.text }), fl.text)
	}
}

// applyFilter shows what passes a filter that is known to be valid.
func (u *ui) applyFilter(text string) {
	text = strings.TrimSpace(text)
	if text == u.filter.text {
		return
	}
	f, err := filter.Parse(text)
	if err != nil {
		u.Say("the filter stays as it was: %s", err)
		return
	}
	u.setFilter(f, text)
}

func (u *ui) setFilter(f *filter.Filter, text string) {
	u.filter.text = text
	if f.Empty() {
		u.traffic().Search(nil)
		return
	}
	marks := map[uint64]bool{}
	for _, m := range u.Marks {
		marks[m.Seq] = true
	}
	u.traffic().Search(f.Bind(filter.Env{Marked: func(seq uint64) bool { return marks[seq] }, LastRun: u.Feed.LastRun, Moment: u.Log.Moment}))
}

// facet is a value of the selected request that a filter can be narrowed to.
type facet struct{ key, field, value string }

func facets(f *flow.Flow) []facet {
	all := []facet{
		{"w", "who", f.Client.Tag},
		{"v", "verb", f.Target.Verb},
		{"r", "res", f.Target.Resource},
		{"n", "name", f.Target.Name},
		{"s", "ns", f.Target.Namespace},
		{"c", "code", strconv.Itoa(f.Status)},
		{"u", "run", f.Client.Session},
	}
	return slices.DeleteFunc(all, func(x facet) bool { return x.value == "" })
}

// AskFacet offers the values of the selected request to narrow the filter to, or to exclude.
func (u *ui) AskFacet(exclude bool) {
	title := "Show only requests with"
	if exclude {
		title = "Hide requests with"
	}
	m := &term.Menu{Title: title}
	for _, x := range facets(u.Sel) {
		m.Items = append(m.Items, term.Item{Key: x.key, Label: u.F("%s:%s", x.field, term.Fit(x.value, 40)), Do: func() {
			now, _ := filter.Parse(u.filter.text)
			f := filter.And(now, x.field, x.value, exclude)
			u.setFilter(f, f.String())
			u.Say("filter: %s", u.filter.text)
		}})
	}
	u.Over = m
}

// seenValues are the values of a field in the newest requests, for completion.
func (u *ui) seenValues(field string) []string {
	seen := map[string]bool{}
	held := u.traffic().Passed
	for _, f := range held[max(0, len(held)-500):] {
		for _, x := range facets(f) {
			if x.field == field {
				seen[x.value] = true
			}
		}
		for _, value := range filter.Seen(f, field) {
			seen[value] = true
		}
	}
	out := make([]string, 0, len(seen))
	for v := range seen {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// drawFilter shows the filter and, on the right, how it does.
func (u *ui) drawFilter(c *term.Canvas, r term.Rect) {
	note, st := u.filterNote(r.W)
	room := r.W - term.Text(term.Plain, note).Width() - 2
	if u.filter.edit != nil {
		x := c.Put(r, 1, 0, term.Key, "/ ")
		x = u.filter.edit.Draw(c, term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, x, 0)
		if len(u.filter.offers) > 0 && u.filter.problem == nil && r.W >= page.SlimWidth {
			c.Put(term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, x+1, 0, term.Dim, "tab "+strings.Join(u.filter.offers[:min(4, len(u.filter.offers))], " "))
		}
	} else if u.filter.text != "" {
		c.Put(r, 1, 0, term.Key, "/ ")
		c.Put(term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, 3, 0, term.Bold, term.Fit(u.filter.text, room-3))
	} else {
		c.Put(r, 1, 0, term.Dim, "/ ")
		c.Put(term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, 3, 0, term.Dim, term.Fit(u.T("all requests"), room-3))
	}
	c.Right(r, r.W-1, 0, st, note)
}

func (u *ui) filterNote(w int) (string, term.Style) {
	if p := u.filter.problem; p != nil {
		return term.Fit(fmt.Sprintf("✗ column %d: %s", p.Column+1, p.Error()), w*3/5), term.Warn
	}
	p, ok := u.page().(page.Counter)
	if !ok {
		return "", term.Dim
	}
	n := p.Count()
	shown, all := term.Plural(n.Shown, n.What), term.Plural(n.All, n.What)
	note := u.F("%s shown", shown)
	switch {
	case n.Last && u.filter.text != "":
		note = u.F("ok · %s of the last %s shown", term.Count(n.Shown), all)
	case u.filter.text != "":
		note = u.F("ok · %s of %s shown", term.Count(n.Shown), all)
	case n.Last && n.Shown == n.All:
		note = u.F("the last %s shown", shown)
	case n.Last:
		note = u.F("%s of the last %s shown", term.Count(n.Shown), all)
	}
	if n.Newer > 0 {
		note += u.F(" · %s newer ▼", term.Count(n.Newer))
	}
	if n.Own > 0 {
		note += u.F(" · %s own hidden", term.Count(n.Own))
	}
	return note, term.Dim
}
