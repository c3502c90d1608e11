package tui

import (
	"strings"

	"kubarium/tui/term"
)

// keysOfPage are those of the list and of what stands beside it: they work on the selected request.
func (t *traffic) keysOfPage() []binding {
	in := &t.inspector
	return []binding{
		{keys: []string{"]"}, hint: "tabs", help: "next tab of the inspector", do: func() { in.turn(1) }},
		{keys: []string{"["}, help: "previous tab of the inspector", do: func() { in.turn(-1) }},
		{keys: []string{"f"}, hint: "follow", help: "follow the newest request, or pin the selected one", do: t.toggleFollow},
		{keys: []string{"b"}, help: "show bodies as JSON, YAML, fields beside their bytes (Protobuf, CBOR), Table, or hex", do: in.nextFormat},
		{keys: []string{"o"}, help: "open or fold what lies deep in long bodies", do: in.toggleFold},
		{keys: []string{"r"}, help: "replay: send the request again, the same, with a fresh rv or without one", off: t.u.needsReplayable, do: t.u.askReplay},
		{keys: []string{"+"}, help: "filter to a value of the selected request", off: t.needsSelection, do: func() { t.u.askFacet(false) }},
		{keys: []string{"-"}, help: "exclude a value of the selected request", off: t.needsSelection, do: func() { t.u.askFacet(true) }},
		{keys: []string{"m"}, help: "mark the request, which keeps it in memory; again takes the mark away", off: t.needsSelection, do: t.u.toggleMark},
		{keys: []string{"'"}, help: "next marked request", off: t.needsMark, do: t.u.nextMark},
		{keys: []string{"d"}, help: "compare with the marked request", off: t.needsOtherMark, do: t.u.compare},
	}
}

func (t *traffic) keys() []binding {
	return append([]binding{
		{keys: []string{"enter", "l", "right"}, hint: "inspect", help: "inspect the selected request; on a folded kubectl run, unfold it", off: t.needsSelection, do: t.enterRequest},
		{keys: []string{"h", "left"}, help: "on a request of an unfolded kubectl run, fold it", do: t.goLeft},
	}, append(t.keysOfPage(), []binding{
		{keys: []string{"s"}, help: "sort by time, duration, code, target or who", do: t.nextSort},
		{keys: []string{"t"}, help: "show time since the first request, time of day, or since the previous", do: t.nextClock},
		{keys: []string{"v"}, hint: "view", help: "view options: group by kubectl run, Kubarium's own requests, order, time", do: t.askView},
	}...)...)
}

// Reasons why a key can do nothing.

func (t *traffic) needsSelection() string { return unless(t.u.sel != nil, "no request is selected") }

func (t *traffic) needsMark() string {
	return unless(len(t.u.marks) > 0, "no request is marked: press m on one")
}

func (t *traffic) needsOtherMark() string {
	return unless(t.u.sel != nil && t.u.otherMark() != nil, "mark another request with m first")
}

// commands open the tabs of the inspector by their names.
func (t *traffic) commands() []term.Command {
	var out []term.Command
	for x := tabStory; x < tabs; x++ {
		out = append(out, term.Command{Keys: ":" + strings.ToLower(x.String()), Help: "open the inspector's tab " + x.String(), Off: t.needsSelection(), Do: func() {
			t.u.show(pageTraffic)
			t.inspector.turn(int(x - t.inspector.tab))
			t.u.enter(1)
		}})
	}
	return out
}

// back takes the text that was searched for away.
func (t *traffic) back() bool {
	if t.inspector.query == "" || t.u.at != 1 {
		return false
	}
	t.inspector.query = ""
	return true
}
