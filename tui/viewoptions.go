package tui

import (
	"fmt"

	"kubarium/tui/term"
)

// askView offers what the list of requests shows and how.
func (t *traffic) askView() {
	t.u.over = &term.Menu{
		Title: "View",
		Items: []term.Item{
			{Key: "g", Label: term.Pick(t.runs.on, "list every request by itself", "group: one line for each kubectl run"), Do: func() { t.group(!t.runs.on) }},
			{Key: "o", Label: term.Pick(t.u.feed.Own, "hide Kubarium's own requests and watches", "show Kubarium's own requests and watches"+t.hiddenNote()), Do: func() { t.showOwn(!t.u.feed.Own) }},
			{Key: "s", Label: "sort: " + t.sort.String() + ", then by " + ((t.sort + 1) % orders).String(), Do: func() { t.nextSort() }},
			{Key: "t", Label: "time: " + t.clock.String() + ", then " + ((t.clock + 1) % clocks).String(), Do: t.nextClock},
		},
	}
}

func (t *traffic) hiddenNote() string {
	if len(t.hidden) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s hidden)", term.Count(len(t.hidden)))
}

// showOwn shows what Kubarium's own controllers and UI send, or hides it.
func (t *traffic) showOwn(yes bool) {
	t.u.feed.Own = yes
	t.search(t.u.feed.Match)
	t.u.Say("%s", term.Pick(yes, "Kubarium's own requests are shown: its controllers and its UI", "Kubarium's own requests are hidden; the filter line counts them"))
}

func (t *traffic) nextClock() {
	t.clock = (t.clock + 1) % clocks
	t.u.Say("time: %s", t.clock)
}
