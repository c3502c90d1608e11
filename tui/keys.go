package tui

import "slices"

// A place is where a key means something. Several may be joined.
type place uint32

const (
	inTraffic place = 1 << iota
	inInspector
	inWatches
	inFrames
	inLearn
	inVersions
	inVersion
	inResources
	inTable
	inObject
	inConflicts
	inConflict
	inDeletes
	inDeletion
	inLists
	inWalk
	everywhere = rowPanes | inTraffic | inInspector | inWatches | inFrames | inLearn | inVersions | inVersion | objects
	requests   = inTraffic | inInspector
	objects    = inResources | inTable | inObject
	paired     = everywhere &^ (inLearn | objects) // a pane about requests and another beside it
)

// contexts names each context, as help calls it.
var contexts = map[place]string{inTraffic: "requests", inInspector: "inspector", inWatches: "watchers", inFrames: "frames", inLearn: "lessons",
	inVersions: "versions", inVersion: "version", inResources: "resources", inTable: "objects", inObject: "object",
	inConflicts: "conflicts", inConflict: "conflict", inDeletes: "deletes", inDeletion: "deletion", inLists: "lists", inWalk: "list"}

// A binding is a key and what it does. The table of bindings is the only place where keys are tied to anything; hints,
// help and palette are made from it.
type binding struct {
	keys []string
	in   place
	hint string        // two words for the line of hints; "" keeps it out of there
	help string        // a sentence for help and palette
	off  func() string // why the key can do nothing now; nil or "" says that it can
	do   func()
}

// allKeys is the table.
func (u *ui) allKeys() []binding {
	return slices.Concat(u.versions().keys(), u.objects().keys(), u.paneKeys(), u.pageKeys(), u.moveKeys(), u.listKeys(), u.viewKeys(), u.lessonKeys(), u.frameKeys())
}

// paneKeys open, close and change panes.
func (u *ui) paneKeys() []binding {
	return []binding{
		{keys: []string{"enter"}, in: inTraffic, hint: "inspect", help: "inspect the selected request; on a folded kubectl run, unfold it", off: u.needsSelection, do: u.enterRequest},
		{keys: []string{"enter"}, in: inWatches, hint: "frames", help: "go to the frames of the selected watcher", off: u.needsWatch, do: func() { u.focus(true) }},
		{keys: []string{"enter"}, in: inLearn, hint: "open", help: "load the selected lesson and go to Traffic", do: u.learn.openChosen},
		{keys: []string{"enter"}, in: inFrames, hint: "request", help: "show the request that caused the selected frame", off: u.needsCause, do: u.showCause},
		{keys: []string{"enter"}, in: inInspector, hint: "plans", help: "SQL: show how SQLite runs each statement, or hide it", off: u.needsStatements, do: func() { u.inspector.togglePlans() }},
		{keys: []string{"]"}, in: requests, hint: "tabs", help: "next tab of the inspector", do: func() { u.inspector.turn(1) }},
		{keys: []string{"["}, in: requests, help: "previous tab of the inspector", do: func() { u.inspector.turn(-1) }},
		{keys: []string{"/"}, in: everywhere &^ (inInspector | objects), hint: "filter", help: "filter the requests", do: u.startFilter},
		{keys: []string{"/"}, in: inInspector, hint: "search", help: "search in this tab", do: func() { u.inspector.startSearch() }},
		{keys: []string{"n"}, in: inInspector, help: "next place of the text searched for", off: u.needsQuery, do: func() { u.inspector.find(1) }},
		{keys: []string{"N"}, in: inInspector, help: "previous place of the text searched for", off: u.needsQuery, do: func() { u.inspector.find(-1) }},
		{keys: []string{"b"}, in: requests, help: "show bodies as JSON, YAML, fields beside their bytes (Protobuf, CBOR), Table, or hex", do: u.nextFormat},
		{keys: []string{"o"}, in: requests, help: "open or fold what lies deep in long bodies", do: u.toggleFold},
		{keys: []string{"tab", "shift+tab"}, in: paired, help: "next pane", do: func() { u.focus(!u.side) }},
		{keys: []string{"h", "left"}, in: paired &^ inVersions, help: "pane on the left; on a request of an unfolded kubectl run, fold it", do: u.goLeft},
		{keys: []string{"l", "right"}, in: paired &^ inVersions, help: "pane on the right; on a folded kubectl run, unfold it", do: u.enterRequest},
		{keys: []string{"z"}, in: paired | objects, help: "give the whole body to this pane, and back", do: func() { u.zoom = !u.zoom; u.relayout() }},
	}
}

// moveKeys move within a pane.
func (u *ui) moveKeys() []binding {
	return []binding{
		{keys: []string{"j", "down"}, in: everywhere, help: "down", do: func() { u.pane().move(1) }},
		{keys: []string{"k", "up"}, in: everywhere, help: "up", do: func() { u.pane().move(-1) }},
		{keys: []string{"ctrl+d", "pgdown"}, in: everywhere, help: "half a page down", do: func() { u.pane().move(max(1, u.pane().height()/2)) }},
		{keys: []string{"ctrl+u", "pgup"}, in: everywhere, help: "half a page up", do: func() { u.pane().move(-max(1, u.pane().height()/2)) }},
		{keys: []string{"g", "home"}, in: everywhere, help: "to the beginning", do: func() { u.pane().end(false) }},
		{keys: []string{"G", "end"}, in: everywhere, help: "to the end; in the list of requests this follows the newest", do: func() { u.pane().end(true) }},
	}
}

// listKeys work on the list of requests and on the selected one.
func (u *ui) listKeys() []binding {
	return []binding{
		{keys: []string{"f"}, in: requests, hint: "follow", help: "follow the newest request, or pin the selected one", do: func() { u.traffic.toggleFollow() }},
		{keys: []string{"p"}, in: everywhere, hint: "freeze", help: "freeze the picture; recording goes on", do: u.freeze},
		{keys: []string{"y"}, in: paired &^ rowPanes, hint: "copy", help: "copy the request: kubectl, curl, body, headers, SQL, rv, line", off: u.needsCopyable, do: u.askCopy},
		{keys: []string{"Y"}, in: paired, help: "copy the same of the selected request again", off: u.needsCopied, do: func() { u.copied() }},
		{keys: []string{"r"}, in: requests, help: "replay: send the request again, the same, with a fresh rv or without one", off: u.needsReplayable, do: u.askReplay},
		{keys: []string{"+"}, in: requests, help: "filter to a value of the selected request", off: u.needsSelection, do: func() { u.askFacet(false) }},
		{keys: []string{"-"}, in: requests, help: "exclude a value of the selected request", off: u.needsSelection, do: func() { u.askFacet(true) }},
		{keys: []string{"*"}, in: everywhere &^ objects, help: "clear the filter", off: u.needsFilter, do: func() { u.setFilter(nil, "") }},
		{keys: []string{"m"}, in: requests, help: "mark the request, which keeps it in memory; again takes the mark away", off: u.needsSelection, do: u.toggleMark},
		{keys: []string{"'"}, in: requests, help: "next marked request", off: u.needsMark, do: u.nextMark},
		{keys: []string{"d"}, in: requests, help: "compare with the marked request", off: u.needsOtherMark, do: u.compare},
		{keys: []string{"s"}, in: inTraffic, help: "sort by time, duration, code, target or who", do: func() { u.traffic.nextSort() }},
		{keys: []string{"v"}, in: inTraffic | inWatches, hint: "view", help: "view options: group by kubectl run, Kubarium's own requests, order, time", do: u.askView},
		{keys: []string{"t"}, in: inTraffic, help: "show time since the first request, time of day, or since the previous", do: u.nextClock},
	}
}

// viewKeys go to screens and open what lies over them.
func (u *ui) viewKeys() []binding {
	return []binding{
		{keys: []string{"1"}, in: everywhere, help: "Traffic: every request, and one from all sides", do: func() { u.show(pageTraffic) }},
		{keys: []string{"2"}, in: everywhere, help: "Watches: who watches what, and how far behind", do: func() { u.show(pageWatches) }},
		{keys: []string{"4"}, in: everywhere, help: "Versions: every change on the axis of resourceVersions", do: func() { u.show(pageVersions) }},
		{keys: []string{"7"}, in: everywhere, help: "Objects: what the server serves, the objects of it, and one from five sides", do: func() { u.show(pageObjects) }},
		{keys: []string{"8"}, in: everywhere, help: "Learn: lessons that play on this server", off: u.needsLessons, do: func() { u.show(pageLearn) }},
		{keys: []string{"e"}, in: everywhere, hint: "explain", help: "explain this pane", do: u.explain},
		{keys: []string{":"}, in: everywhere, hint: "command", help: "palette: find a command by its words", do: u.openPalette},
		{keys: []string{"!"}, in: everywhere, help: "diagnostics of the UI: log, frames, terminal", do: u.diagnostics},
		{keys: []string{"%"}, in: everywhere, help: "give the mouse to the terminal for selecting text, and take it back", do: u.toggleMouse},
	}
}

// lessonKeys play the loaded lesson.
func (u *ui) lessonKeys() []binding {
	return []binding{
		{keys: []string{"space"}, in: everywhere, hint: "run/pause", help: "run the lesson, or pause it", off: u.needsLesson, do: func() { u.learn.toggle() }},
		{keys: []string{"."}, in: everywhere, hint: "step", help: "play one step of the lesson; after looking back, come forward", off: u.needsLesson, do: func() { u.learn.step() }},
		{keys: []string{","}, in: everywhere, help: "look back at what the lesson told a step before", off: u.needsLesson, do: func() { u.learn.lookBack() }},
		{keys: []string{">"}, in: everywhere, help: "run the lesson faster, up to ×4", off: u.needsLesson, do: func() { u.learn.faster(1) }},
		{keys: []string{"y"}, in: inLearn, help: "copy the command that the lesson offers", off: u.needsOffer, do: u.copyLessonCommand},
		{keys: []string{"<"}, in: everywhere, help: "run the lesson slower, down to ×0.25", off: u.needsLesson, do: func() { u.learn.faster(-1) }},
		{keys: []string{"R"}, in: everywhere, help: "reset the lesson: remove what it created", off: u.needsLesson, do: u.learn.askReset},
		{keys: []string{"L"}, in: everywhere, hint: "whole step", help: "tell the whole step of the lesson; there y copies its command", off: u.needsLesson, do: u.learn.openPage},
		{keys: []string{"\\"}, in: everywhere, help: "hide the lesson's strip, and show it", off: u.needsLesson, do: func() { u.learn.hidden = !u.learn.hidden; u.relayout() }},
	}
}

// frameKeys are those of the frame itself.
func (u *ui) frameKeys() []binding {
	return []binding{
		{keys: []string{"?"}, in: everywhere, hint: "help", help: "keys of this pane; type to search, enter runs", do: u.openHelp},
		{keys: []string{"q", "esc"}, in: everywhere, hint: "back/quit", help: "back; on a screen itself, ask to quit", do: u.back},
		{keys: []string{"ctrl+c"}, in: everywhere, help: "twice: quit at once", do: u.interrupt},
		{keys: []string{"ctrl+z"}, in: everywhere, help: "does not suspend: that would freeze the API server", do: func() {
			u.say("^z would freeze the API server with the UI; q then d closes the UI and keeps serving")
		}},
	}
}

// Reasons why a key can do nothing.

func (u *ui) needsSelection() string { return unless(u.sel != nil, "no request is selected") }
func (u *ui) needsCopyable() string {
	return unless(u.sel != nil || u.learn.offered() != "", "no request is selected")
}
func (u *ui) needsOffer() string {
	return unless(u.learn.offered() != "", "no step of a lesson offers a command")
}
func (u *ui) needsWatch() string { return unless(len(u.streams.list) > 0, "nobody is watching") }
func (u *ui) needsQuery() string {
	return unless(u.inspector.query != "", "nothing was searched for: press /")
}
func (u *ui) needsCopied() string {
	return unless(u.copied != nil && u.sel != nil, "nothing was copied yet")
}
func (u *ui) needsFilter() string { return unless(u.filter.text != "", "no filter is set") }
func (u *ui) needsMark() string {
	return unless(len(u.marks) > 0, "no request is marked: press m on one")
}
func (u *ui) needsLessons() string { return unless(len(u.learn.lessons) > 0, "no lessons were given") }
func (u *ui) needsLesson() string  { return unless(u.learn.loaded != nil, "no lesson is loaded") }
func (u *ui) needsCause() string {
	return unless(u.watches.frames.cause() != nil, "no held request made this frame's change")
}

func (u *ui) needsOtherMark() string {
	return unless(u.sel != nil && u.otherMark() != nil, "mark another request with m first")
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// why is the reason that b can do nothing now, "" if it can.
func (b *binding) why() string {
	if b.off == nil {
		return ""
	}
	return b.off()
}

// bound finds what a key does in a context.
func (u *ui) bound(k string, in place) *binding {
	for i := range u.bindings {
		if b := &u.bindings[i]; b.in&in != 0 && slices.Contains(b.keys, k) {
			return b
		}
	}
	return nil
}

// key handles a key by its name, as Bubble Tea names keys, but "space" for a blank.
func (u *ui) key(k string) {
	u.dirty = true
	switch {
	case u.lay.tooSmall && k != "ctrl+c" && k != "q":
	case u.over != nil:
		if k == "ctrl+c" {
			u.interrupt()
			return
		}
		u.over.key(u.env, k)
	case u.filter.edit != nil:
		u.filterKey(k)
	case u.inspector.search != nil:
		u.inspector.searchKey(k)
	case u.typist() != nil:
		u.typist().typed(k)
	case u.learn.answerKey(k):
	default:
		u.run(u.bound(k, u.pane().context()))
	}
}

// run does what a binding says, or tells why it cannot.
func (u *ui) run(b *binding) {
	if b == nil {
		return
	}
	if why := b.why(); why != "" {
		u.say("%s: %s", keyNames(b.keys[:1]), why)
		return
	}
	b.do()
}

// paste takes text that came in one piece.
func (u *ui) paste(s string) {
	u.dirty = true
	switch {
	case u.over != nil:
	case u.filter.edit != nil:
		u.filter.edit.insert(oneLine(s))
		u.typedFilter()
	case u.typist() != nil:
		u.typist().pasted(oneLine(s))
	case u.inspector.search != nil:
		u.inspector.search.insert(oneLine(s))
	}
}
