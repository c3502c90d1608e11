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
	hint string             // two words for the line of hints; "" keeps it out of there
	help string             // a sentence for help and palette
	off  func(u *ui) string // why the key can do nothing now; nil or "" says that it can
	do   func(u *ui)
}

// bindings is the table. It is filled at start because what the keys do reaches help, which lists the table.
var bindings []binding

func init() {
	bindings = slices.Concat(versionKeys(), objectKeys(), paneKeys(), pageKeys(), moveKeys(), listKeys(), viewKeys(), lessonKeys(), frameKeys())
}

// paneKeys open, close and change panes.
func paneKeys() []binding {
	return []binding{
		{keys: []string{"enter"}, in: inTraffic, hint: "inspect", help: "inspect the selected request; on a folded kubectl run, unfold it", off: needsSelection, do: (*ui).enterRequest},
		{keys: []string{"enter"}, in: inWatches, hint: "frames", help: "go to the frames of the selected watcher", off: needsWatch, do: func(u *ui) { u.focus(true) }},
		{keys: []string{"enter"}, in: inLearn, hint: "open", help: "load the selected lesson and go to Traffic", do: (*ui).openLesson},
		{keys: []string{"enter"}, in: inFrames, hint: "request", help: "show the request that caused the selected frame", off: needsCause, do: (*ui).showCause},
		{keys: []string{"enter"}, in: inInspector, hint: "plans", help: "SQL: show how SQLite runs each statement, or hide it", off: needsStatements, do: func(u *ui) { u.inspector.togglePlans() }},
		{keys: []string{"]"}, in: requests, hint: "tabs", help: "next tab of the inspector", do: func(u *ui) { u.inspector.turn(1) }},
		{keys: []string{"["}, in: requests, help: "previous tab of the inspector", do: func(u *ui) { u.inspector.turn(-1) }},
		{keys: []string{"/"}, in: everywhere &^ (inInspector | objects), hint: "filter", help: "filter the requests", do: (*ui).startFilter},
		{keys: []string{"/"}, in: inInspector, hint: "search", help: "search in this tab", do: func(u *ui) { u.inspector.startSearch() }},
		{keys: []string{"n"}, in: inInspector, help: "next place of the text searched for", off: needsQuery, do: func(u *ui) { u.inspector.find(1) }},
		{keys: []string{"N"}, in: inInspector, help: "previous place of the text searched for", off: needsQuery, do: func(u *ui) { u.inspector.find(-1) }},
		{keys: []string{"b"}, in: requests, help: "show bodies as JSON, YAML, fields beside their bytes (Protobuf, CBOR), Table, or hex", do: (*ui).nextFormat},
		{keys: []string{"o"}, in: requests, help: "open or fold what lies deep in long bodies", do: (*ui).toggleFold},
		{keys: []string{"tab", "shift+tab"}, in: paired, help: "next pane", do: func(u *ui) { u.focus(!u.side) }},
		{keys: []string{"h", "left"}, in: paired &^ inVersions, help: "pane on the left; on a request of an unfolded kubectl run, fold it", do: (*ui).goLeft},
		{keys: []string{"l", "right"}, in: paired &^ inVersions, help: "pane on the right; on a folded kubectl run, unfold it", do: (*ui).enterRequest},
		{keys: []string{"z"}, in: paired | objects, help: "give the whole body to this pane, and back", do: func(u *ui) { u.zoom = !u.zoom; u.relayout() }},
	}
}

// moveKeys move within a pane.
func moveKeys() []binding {
	return []binding{
		{keys: []string{"j", "down"}, in: everywhere, help: "down", do: func(u *ui) { u.pane().move(1) }},
		{keys: []string{"k", "up"}, in: everywhere, help: "up", do: func(u *ui) { u.pane().move(-1) }},
		{keys: []string{"ctrl+d", "pgdown"}, in: everywhere, help: "half a page down", do: func(u *ui) { u.pane().move(max(1, u.pane().height()/2)) }},
		{keys: []string{"ctrl+u", "pgup"}, in: everywhere, help: "half a page up", do: func(u *ui) { u.pane().move(-max(1, u.pane().height()/2)) }},
		{keys: []string{"g", "home"}, in: everywhere, help: "to the beginning", do: func(u *ui) { u.pane().end(false) }},
		{keys: []string{"G", "end"}, in: everywhere, help: "to the end; in the list of requests this follows the newest", do: func(u *ui) { u.pane().end(true) }},
	}
}

// listKeys work on the list of requests and on the selected one.
func listKeys() []binding {
	return []binding{
		{keys: []string{"f"}, in: requests, hint: "follow", help: "follow the newest request, or pin the selected one", do: func(u *ui) { u.traffic.toggleFollow() }},
		{keys: []string{"p"}, in: everywhere, hint: "freeze", help: "freeze the picture; recording goes on", do: (*ui).freeze},
		{keys: []string{"y"}, in: paired &^ rowPanes, hint: "copy", help: "copy the request: kubectl, curl, body, headers, SQL, rv, line", off: needsCopyable, do: (*ui).askCopy},
		{keys: []string{"Y"}, in: paired, help: "copy the same of the selected request again", off: needsCopied, do: func(u *ui) { u.copied() }},
		{keys: []string{"r"}, in: requests, help: "replay: send the request again, the same, with a fresh rv or without one", off: needsReplayable, do: (*ui).askReplay},
		{keys: []string{"+"}, in: requests, help: "filter to a value of the selected request", off: needsSelection, do: func(u *ui) { u.askFacet(false) }},
		{keys: []string{"-"}, in: requests, help: "exclude a value of the selected request", off: needsSelection, do: func(u *ui) { u.askFacet(true) }},
		{keys: []string{"*"}, in: everywhere &^ objects, help: "clear the filter", off: needsFilter, do: func(u *ui) { u.setFilter(nil, "") }},
		{keys: []string{"m"}, in: requests, help: "mark the request, which keeps it in memory; again takes the mark away", off: needsSelection, do: (*ui).toggleMark},
		{keys: []string{"'"}, in: requests, help: "next marked request", off: needsMark, do: (*ui).nextMark},
		{keys: []string{"d"}, in: requests, help: "compare with the marked request", off: needsOtherMark, do: (*ui).compare},
		{keys: []string{"s"}, in: inTraffic, help: "sort by time, duration, code, target or who", do: func(u *ui) { u.traffic.nextSort() }},
		{keys: []string{"v"}, in: inTraffic | inWatches, hint: "view", help: "view options: group by kubectl run, Kubarium's own requests, order, time", do: (*ui).askView},
		{keys: []string{"t"}, in: inTraffic, help: "show time since the first request, time of day, or since the previous", do: (*ui).nextClock},
	}
}

// viewKeys go to screens and open what lies over them.
func viewKeys() []binding {
	return []binding{
		{keys: []string{"1"}, in: everywhere, help: "Traffic: every request, and one from all sides", do: func(u *ui) { u.show(pageTraffic) }},
		{keys: []string{"2"}, in: everywhere, help: "Watches: who watches what, and how far behind", do: func(u *ui) { u.show(pageWatches) }},
		{keys: []string{"4"}, in: everywhere, help: "Versions: every change on the axis of resourceVersions", do: func(u *ui) { u.show(pageVersions) }},
		{keys: []string{"7"}, in: everywhere, help: "Objects: what the server serves, the objects of it, and one from five sides", do: func(u *ui) { u.show(pageObjects) }},
		{keys: []string{"8"}, in: everywhere, help: "Learn: lessons that play on this server", off: needsLessons, do: func(u *ui) { u.show(pageLearn) }},
		{keys: []string{"e"}, in: everywhere, hint: "explain", help: "explain this pane", do: (*ui).explain},
		{keys: []string{":"}, in: everywhere, hint: "command", help: "palette: find a command by its words", do: (*ui).openPalette},
		{keys: []string{"!"}, in: everywhere, help: "diagnostics of the UI: log, frames, terminal", do: (*ui).diagnostics},
		{keys: []string{"%"}, in: everywhere, help: "give the mouse to the terminal for selecting text, and take it back", do: (*ui).toggleMouse},
	}
}

// lessonKeys play the loaded lesson.
func lessonKeys() []binding {
	return []binding{
		{keys: []string{"space"}, in: everywhere, hint: "run/pause", help: "run the lesson, or pause it", off: needsLesson, do: func(u *ui) { u.learn.toggle() }},
		{keys: []string{"."}, in: everywhere, hint: "step", help: "play one step of the lesson; after looking back, come forward", off: needsLesson, do: func(u *ui) { u.learn.step() }},
		{keys: []string{","}, in: everywhere, help: "look back at what the lesson told a step before", off: needsLesson, do: func(u *ui) { u.learn.lookBack() }},
		{keys: []string{">"}, in: everywhere, help: "run the lesson faster, up to ×4", off: needsLesson, do: func(u *ui) { u.learn.faster(1) }},
		{keys: []string{"y"}, in: inLearn, help: "copy the command that the lesson offers", off: needsOffer, do: (*ui).copyLessonCommand},
		{keys: []string{"<"}, in: everywhere, help: "run the lesson slower, down to ×0.25", off: needsLesson, do: func(u *ui) { u.learn.faster(-1) }},
		{keys: []string{"R"}, in: everywhere, help: "reset the lesson: remove what it created", off: needsLesson, do: (*ui).askReset},
		{keys: []string{"L"}, in: everywhere, hint: "whole step", help: "tell the whole step of the lesson; there y copies its command", off: needsLesson, do: (*ui).openLessonPage},
		{keys: []string{"\\"}, in: everywhere, help: "hide the lesson's strip, and show it", off: needsLesson, do: func(u *ui) { u.learn.hidden = !u.learn.hidden; u.relayout() }},
	}
}

// frameKeys are those of the frame itself.
func frameKeys() []binding {
	return []binding{
		{keys: []string{"?"}, in: everywhere, hint: "help", help: "keys of this pane; type to search, enter runs", do: (*ui).openHelp},
		{keys: []string{"q", "esc"}, in: everywhere, hint: "back/quit", help: "back; on a screen itself, ask to quit", do: (*ui).back},
		{keys: []string{"ctrl+c"}, in: everywhere, help: "twice: quit at once", do: (*ui).interrupt},
		{keys: []string{"ctrl+z"}, in: everywhere, help: "does not suspend: that would freeze the API server", do: func(u *ui) {
			u.say("^z would freeze the API server with the UI; q then d closes the UI and keeps serving")
		}},
	}
}

// Reasons why a key can do nothing.

func needsSelection(u *ui) string { return unless(u.sel != nil, "no request is selected") }
func needsCopyable(u *ui) string {
	return unless(u.sel != nil || u.learn.offered() != "", "no request is selected")
}
func needsOffer(u *ui) string {
	return unless(u.learn.offered() != "", "no step of a lesson offers a command")
}
func needsWatch(u *ui) string { return unless(len(u.watches.list) > 0, "nobody is watching") }
func needsQuery(u *ui) string {
	return unless(u.inspector.query != "", "nothing was searched for: press /")
}
func needsCopied(u *ui) string {
	return unless(u.copied != nil && u.sel != nil, "nothing was copied yet")
}
func needsFilter(u *ui) string  { return unless(u.filter.text != "", "no filter is set") }
func needsMark(u *ui) string    { return unless(len(u.marks) > 0, "no request is marked: press m on one") }
func needsLessons(u *ui) string { return unless(len(u.o.Lessons) > 0, "no lessons were given") }
func needsLesson(u *ui) string  { return unless(u.learn.loaded != nil, "no lesson is loaded") }
func needsCause(u *ui) string {
	return unless(u.cause() != nil, "no held request made this frame's change")
}

func needsOtherMark(u *ui) string {
	return unless(u.sel != nil && u.otherMark() != nil, "mark another request with m first")
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// why is the reason that b can do nothing now, "" if it can.
func (b *binding) why(u *ui) string {
	if b.off == nil {
		return ""
	}
	return b.off(u)
}

// bound finds what a key does in a context.
func bound(k string, in place) *binding {
	for i := range bindings {
		if b := &bindings[i]; b.in&in != 0 && slices.Contains(b.keys, k) {
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
		u.over.key(u, k)
	case u.filter.edit != nil:
		u.filterKey(k)
	case u.inspector.search != nil:
		u.inspector.searchKey(k)
	case u.typist() != nil:
		u.typist().typed(k)
	case u.learn.answerKey(k):
	default:
		u.run(bound(k, u.pane().context()))
	}
}

// run does what a binding says, or tells why it cannot.
func (u *ui) run(b *binding) {
	if b == nil {
		return
	}
	if why := b.why(u); why != "" {
		u.say("%s: %s", keyNames(b.keys[:1]), why)
		return
	}
	b.do(u)
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

func oneLine(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r < ' ' {
			out[i] = ' '
		}
	}
	return string(out)
}
