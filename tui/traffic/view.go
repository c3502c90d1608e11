package traffic

import (
	"kubarium/tui/term"
)

// askView offers what the list of requests shows and how.
func (t *Page) askView() {
	t.env.Over = &term.Menu{
		Title: "View",
		Items: []term.Item{
			{Key: "g", Label: term.Pick(t.runs.off, "group: one line for each kubectl run", "list every request by itself"), Do: func() { t.Group(t.runs.off) }},
			{Key: "o", Label: term.Pick(t.env.Feed.Own, "hide Kubarium's own requests and watches", t.showOwn()), Do: func() { t.ShowOwn(!t.env.Feed.Own) }},
			{Key: "s", Label: t.env.F("sort: %s, then by %s", t.sort, (t.sort+1)%Orders), Do: func() { t.nextSort() }},
			{Key: "t", Label: t.env.F("time: %s, then %s", t.clock, (t.clock+1)%clocks), Do: t.nextClock},
		},
	}
}

// showOwn offers what is hidden, and how much that is.
func (t *Page) showOwn() string {
	if len(t.hidden) == 0 {
		return t.env.T("show Kubarium's own requests and watches")
	}
	return t.env.F("show Kubarium's own requests and watches (%s hidden)", term.Count(len(t.hidden)))
}

// ShowOwn shows what Kubarium's own controllers and UI send, or hides it.
func (t *Page) ShowOwn(yes bool) {
	t.env.Feed.Own = yes
	t.Search(t.env.Feed.Match)
	t.env.Say("%s", term.Pick(yes, "Kubarium's own requests are shown: its controllers and its UI", "Kubarium's own requests are hidden; the filter line counts them"))
}

func (t *Page) nextClock() {
	t.clock = (t.clock + 1) % clocks
	t.env.Say("time: %s", t.clock)
}
