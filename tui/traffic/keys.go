package traffic

import (
	"strings"

	"kubarium/tui/inspect"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// keysOfPage are those of the list and of the pane next to it: they work on the selected request.
func (t *Page) keysOfPage() []page.Binding {
	in := t.Inspector
	return []page.Binding{
		{Keys: []string{"]"}, Hint: "tabs", Help: "next tab of the inspector", Do: func() { in.Turn(1) }},
		{Keys: []string{"["}, Help: "previous tab of the inspector", Do: func() { in.Turn(-1) }},
		{Keys: []string{"f"}, Hint: "follow", Help: "follow the newest request, or pin the selected one", Do: t.toggleFollow},
		{Keys: []string{"b"}, Help: "show bodies as JSON, YAML, fields next to their bytes (Protobuf, CBOR), Table, or hex", Do: in.NextFormat},
		{Keys: []string{"o"}, Do: in.ToggleFold,
			Help: "show all of long bodies and effects, or fold nested parts, managedFields and times"},
		{Keys: []string{"r"}, Help: "replay: send the request again, the same, with a fresh rv or without one", Off: t.env.NeedsReplayable, Do: t.env.AskReplay},
		{Keys: []string{"+"}, Help: "filter to a value of the selected request", Off: t.needsSelection, Do: func() { t.env.AskFacet(false) }},
		{Keys: []string{"-"}, Help: "exclude a value of the selected request", Off: t.needsSelection, Do: func() { t.env.AskFacet(true) }},
		{Keys: []string{"m"}, Help: "mark the request, which keeps it in memory; on another one, compare the two", Off: t.needsSelection, Do: t.env.AskCompare},
	}
}

func (t *Page) Keys() []page.Binding {
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "inspect", Off: t.needsSelection, Do: t.enterRequest,
			Help: "inspect the selected request; on a kubectl run of several, unfold it"},
		{Keys: []string{"l", "right"}, Off: t.needsSelection, Do: t.goRight,
			Help: "on a kubectl run, or a request with its discovery, unfold it; else inspect"},
		{Keys: []string{"h", "left"}, Help: "on a request of an unfolded kubectl run, fold it", Do: t.goLeft},
	}, append(t.keysOfPage(), []page.Binding{
		{Keys: []string{"s"}, Help: "sort by start, duration, code, target or who", Do: t.nextSort},
		{Keys: []string{"t"}, Help: "show time since the first request, time of day, or since the previous", Do: t.nextClock},
		{Keys: []string{"v"}, Hint: "view", Help: "view options: group by kubectl run, Kubarium's own requests, order, time", Do: t.askView},
	}...)...)
}

// Reasons why a key can do nothing.

func (t *Page) needsSelection() string {
	return page.Unless(t.env.Sel != nil, "no request is selected")
}

// Commands open the tabs of the inspector by their names.
func (t *Page) Commands() []term.Command {
	var out []term.Command
	for x := inspect.TabStory; x < inspect.Tabs; x++ {
		name := t.Inspector.Title(x)
		out = append(out, term.Command{Keys: ":" + strings.ToLower(name), Help: t.env.F("open the inspector's tab %s", name), Off: t.needsSelection(), Do: func() {
			t.env.Show(page.Traffic)
			t.Inspector.Turn(int(x - t.Inspector.Tab))
			t.env.Enter(1)
		}})
	}
	return out
}

// Back goes from a call back to its request, or takes the text that was searched for away.
func (t *Page) Back() bool {
	if t.env.At == 1 && t.env.CloseCall() {
		return true
	}
	if t.Inspector.Query == "" || t.env.At != 1 {
		return false
	}
	t.Inspector.Query = ""
	return true
}
