package tui

import "fmt"

// askView offers what the list of requests shows and how.
func (t *traffic) askView() {
	t.u.over = &menu{
		title: "View",
		items: []item{
			{key: "g", label: pick(t.runs.on, "list every request by itself", "group: one line for each kubectl run"), do: func() { t.group(!t.runs.on) }},
			{key: "o", label: pick(t.u.feed.own, "hide Kubarium's own requests and watches", "show Kubarium's own requests and watches"+t.hiddenNote()), do: func() { t.showOwn(!t.u.feed.own) }},
			{key: "s", label: "sort: " + t.sort.String() + ", then by " + ((t.sort + 1) % orders).String(), do: func() { t.nextSort() }},
			{key: "t", label: "time: " + t.clock.String() + ", then " + ((t.clock + 1) % clocks).String(), do: t.nextClock},
		},
	}
}

func (t *traffic) hiddenNote() string {
	if len(t.hidden) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s hidden)", count(len(t.hidden)))
}

// showOwn shows what Kubarium's own controllers and UI send, or hides it.
func (t *traffic) showOwn(yes bool) {
	t.u.feed.own = yes
	t.search(t.u.feed.match)
	t.u.say("%s", pick(yes, "Kubarium's own requests are shown: its controllers and its UI", "Kubarium's own requests are hidden; the filter line counts them"))
}

func (t *traffic) nextClock() {
	t.clock = (t.clock + 1) % clocks
	t.u.say("time: %s", t.clock)
}
