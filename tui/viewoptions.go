package tui

import "fmt"

// askView offers what the list of requests shows and how.
func (u *ui) askView() {
	t := &u.traffic
	u.over = &menu{
		title: "View",
		items: []item{
			{key: "g", label: pick(t.runs.on, "list every request by itself", "group: one line for each kubectl run"), do: func() { t.group(!t.runs.on) }},
			{key: "o", label: pick(t.u.feed.own, "hide Kubarium's own requests and watches", "show Kubarium's own requests and watches"+t.hiddenNote()), do: func() { t.showOwn(!t.u.feed.own) }},
			{key: "s", label: "sort: " + t.sort.String() + ", then by " + ((t.sort + 1) % orders).String(), do: func() { t.nextSort() }},
			{key: "t", label: "time: " + t.clock.String() + ", then " + ((t.clock + 1) % clocks).String(), do: u.nextClock},
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
	t.refilter(t.u.feed.match)
	t.u.say("%s", pick(yes, "Kubarium's own requests are shown: its controllers and its UI", "Kubarium's own requests are hidden; the filter line counts them"))
}

// ownNote says how much of what Kubarium itself does is not on the screen; "" if nothing is.
func (u *ui) ownNote() string {
	n := len(u.traffic.hidden)
	if u.screen == pageWatches {
		n = u.streams.hidden
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s own hidden", count(n))
}
