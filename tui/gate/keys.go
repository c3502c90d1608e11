package gate

import (
	"cmp"
	"fmt"
	"strings"

	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/gates"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (x *Page) Keys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"enter"}, Hint: "look", Help: "look at what is chosen: go to its details; of a touched request, show it in Traffic", Off: x.needsRow, Do: x.look},
		{Keys: []string{"g"}, Hint: "let go", Help: "let the held request go, with the text that was edited", Off: x.needsHeld, Do: x.letGo},
		{Keys: []string{"A"}, Hint: "all", Help: "let all held requests go", Off: x.needsAnyHeld, Do: x.letAllGo},
		{Keys: []string{"E"}, Hint: "edit", Help: "edit the body, the answer or the object of the event in $EDITOR; g lets it go as edited", Off: x.needsEditable, Do: x.edit},
		{Keys: []string{"x"}, Hint: "refuse", Help: "refuse the held request with a status", Off: x.needsHeld, Do: x.askRefusal},
		{Keys: []string{"D"}, Hint: "drop", Help: "drop the held request: its connection is cut; an event is not sent",
			Off: x.needsHeld, Do: x.askDrop},
		{Keys: []string{"a"}, Hint: "add", Help: "add a rule; with a filter it begins with that", Off: x.needsGate, Do: x.add},
		{Keys: []string{"-"}, Hint: "remove", Help: "remove the chosen rule", Off: x.needsRule, Do: x.askRemove},
		{Keys: []string{"y"}, Help: "copy: the rule, the rules, or the curl that does the same", Do: x.askCopy},
	}
}

func legend() []string {
	return []string{
		"⏸ is a request, or an event of a watch, that a rule holds before a station: who sent it, for how long it " +
			"waits of how long, and what will happen when it goes on. ◆ says that its text was edited here.",
		"A held request takes no place among those in flight and does not keep the writer; its own deadline is " +
			"suspended. When its client goes away, it goes.",
		"Below them are the rules in the order in which they are asked, the first that acts counts: how many " +
			"requests, or events, each has met, and on how many it acted.",
		"ϟ are the requests and watches that rules touched, newest first. They carry ϟ on all pages; fault:yes shows " +
			"them alone.",
		"a adds a rule. It begins with an action: hold, delay 200ms, refuse 429 retry-after 3s, cut, lose, coalesce " +
			"500ms, lag 5s; then before STATION, once, times N, after N, chance 0.5, name NAME; and after on a " +
			"filter that says which requests are meant.",
		"Everything here goes over HTTP, to /debug/gate and /debug/held: y copies the curl.",
	}
}

// Reasons why a key can do nothing.

func (x *Page) needsGate() string {
	return cmp.Or(x.Env.NoGate, x.Env.Gate.Trouble)
}

func (x *Page) needsRow() string { return page.Unless(len(x.Rows) > 0, "there is nothing here") }

func (x *Page) needsHeld() string {
	return page.Unless(x.meant() != nil, term.Pick(len(x.Env.Gate.Held) > 0, "choose a held request",
		"nothing is held"))
}

func (x *Page) needsAnyHeld() string {
	return page.Unless(len(x.Env.Gate.Held) > 0, "nothing is held")
}

func (x *Page) needsRule() string { return page.Unless(x.selected().rule != nil, "choose a rule") }

func (x *Page) needsEditable() string {
	h := x.meant()
	switch {
	case h == nil:
		return x.needsHeld()
	case h.Edits == "":
		return x.Env.F("nothing of it can be edited before %s", h.Station)
	}
	return ""
}

// look goes to the details, or to the request in Traffic.
func (x *Page) look() {
	if f := x.selected().flow; f != nil {
		x.Env.Jump(f)
		return
	}
	if x.Env.HasKeys(0) {
		x.Env.Enter(1)
	}
}

func (x *Page) letGo() {
	h := x.meant()
	draft := x.drafts[h.ID]
	x.decide(verdict{id: h.ID, do: "go", text: draft}, x.Env.F("held request %d goes on%s", h.ID, term.Pick(draft != nil, " as edited", "")))
}

func (x *Page) letAllGo() {
	n := len(x.Env.Gate.Held)
	if len(x.drafts) == 0 {
		x.decide(verdict{do: "go"}, fmt.Sprintf("all %d go on", n))
		return
	}
	x.Env.Over = &term.Menu{Title: "Let all go?", Text: []string{"Edited requests go on as they came: g lets one go as it was edited."}, Items: []term.Item{
		{Key: "a", Label: "let all go as they came", Do: func() { x.decide(verdict{do: "go"}, fmt.Sprintf("all %d go on", n)) }},
	}}
}

// edit opens the text of the held request in the reader's editor. The saved text is used when the request is let go.
func (x *Page) edit() {
	id := x.meant().ID
	x.read(id, func(h *rule.Held) {
		text := []byte(h.Text)
		if draft := x.drafts[id]; draft != nil {
			text = draft
		}
		x.Env.Do(page.Edit{Name: fmt.Sprintf("held-%d%s", id, extension(h.Media)), Text: text, Done: func(saved []byte, err error) { x.edited(id, h.Text, saved, err) }})
	})
}

// extension is how a file of a media type ends.
func extension(media string) string {
	switch {
	case strings.Contains(media, "yaml"):
		return ".yaml"
	case strings.HasPrefix(media, "text/"):
		return ".txt"
	}
	return ".json" // CBOR and Protobuf are shown as JSON
}

// edited keeps what was saved.
func (x *Page) edited(id uint64, came string, saved []byte, err error) {
	switch {
	case err != nil:
		x.Env.Say("edit: %s", err)
	case x.Env.Gate.Find(id) == nil:
		x.Env.Say("held request %d is no longer held; the edited text is not sent", id)
	case string(saved) == came:
		delete(x.drafts, id)
		x.Env.Say("nothing was edited")
	default:
		x.drafts[id] = saved
		x.Env.Say("edited; g lets it go as edited")
	}
	x.Env.Dirty = true
}

// A refusal is an answer that is offered for a held request.
type refusal struct{ code, after int }

var refusals = []refusal{{409, 0}, {410, 0}, {429, 3}, {500, 0}, {503, 0}, {504, 0}}

func (r refusal) String() string {
	return gates.Status(r.code) + term.Pick(r.after > 0, fmt.Sprintf(", Retry-After %d s", r.after), "")
}

func (x *Page) askRefusal() {
	h := x.meant()
	m := &term.Menu{Title: x.Env.F("Refuse held request %d with", h.ID)}
	for i, r := range refusals {
		m.Items = append(m.Items, term.Item{Key: fmt.Sprint(i + 1), Label: r.String(), Do: func() { x.refuse(h.ID, r) }})
	}
	m.Items = append(m.Items, term.Item{Key: "t", Label: "another status, which is typed", Do: func() { x.askCode(h.ID) }})
	x.Env.Over = m
}

func (x *Page) askCode(id uint64) {
	x.Env.Over = &term.Prompt{Title: x.Env.F("Refuse held request %d", id), Text: []string{"A status from 400 to 599, and the seconds of Retry-After if it is to have that: 429 5"}, Done: func(text string) {
		r, err := readRefusal(strings.Fields(text))
		if err != nil {
			x.Env.Say("%s", err)
			return
		}
		x.refuse(id, r)
	}}
}

func (x *Page) refuse(id uint64, r refusal) {
	x.decide(verdict{id: id, do: "refuse", code: r.code, after: r.after}, x.Env.F("held request %d is refused with %s", id, r))
}

func (x *Page) askDrop() {
	h := x.meant()
	text := "Its connection is cut without an answer."
	if h.Committed > 0 {
		text = x.Env.F("It has committed rv %d; its client does not learn of that.", h.Committed)
	}
	if h.Frame != nil {
		text = "The event is not sent: the watch goes on without it."
	}
	x.Env.Over = &term.Menu{Title: x.Env.F("Drop held request %d?", h.ID), Text: []string{text}, Items: []term.Item{
		{Key: "D", Label: "drop it", Do: func() {
			x.decide(verdict{id: h.ID, do: "drop"}, x.Env.F("held request %d was dropped", h.ID))
		}},
	}}
}

// askRemove removes a rule, and asks first where it holds requests.
func (x *Page) askRemove() {
	a := *x.selected().rule
	held := x.holds(a.ID)
	if len(held) == 0 {
		x.remove(a)
		return
	}
	x.Env.Over = &term.Menu{Title: x.Env.F("Remove rule %d?", a.ID), Text: []string{x.Env.F("It holds %s.", term.Plural(len(held), "request"))}, Items: []term.Item{
		{Key: "r", Label: "remove it; what it holds stays held", Do: func() { x.remove(a) }},
		{Key: "g", Label: "remove it, and let go what it holds", Do: func() {
			x.remove(a)
			for _, h := range held {
				x.decide(verdict{id: h.ID, do: "go"}, x.Env.F("rule %d is removed; what it held goes on", a.ID))
			}
		}},
	}}
}

func (x *Page) remove(a rule.Active) {
	x.Env.AskServer("remove", func(c *client.Client) error { return removeRule(c, a.ID) }, func() { x.Env.Say("rule %d is removed: %s", a.ID, a.Line) })
}

// askCopy offers what there is to copy of the chosen row.
func (x *Page) askCopy() {
	r := x.selected()
	if r.flow != nil {
		x.Env.Choose(r.flow)
		x.Env.AskCopy()
		return
	}
	m := &term.Menu{Title: "Copy"}
	item := func(key, what, text string) {
		m.Items = append(m.Items, term.Item{Key: key, Label: what, Do: func() { x.Env.CopyText(what, text) }})
	}
	if h := r.held; h != nil {
		item("g", "the curl that lets it go", x.post(fmt.Sprintf("%s?id=%d&do=go", gates.HeldPath, h.ID), ""))
		item("x", "the curl that refuses it with 409", x.post(fmt.Sprintf("%s?id=%d&do=refuse&code=409", gates.HeldPath, h.ID), ""))
		item("h", "the curl that shows it", x.get(fmt.Sprintf("%s?id=%d", gates.HeldPath, h.ID)))
	}
	if a := r.rule; a != nil {
		item("l", "the rule's line", a.Line)
		item("c", "the curl that adds it", x.curlAdd(a.Line))
	}
	if rules := x.Env.Gate.Rules; len(rules) > 0 {
		item("f", "all rules, as a file", fileOf(rules, x.Env.Gate.Seed))
	} else if x.needsGate() == "" {
		item("c", "the curl that adds a rule", x.curlAdd(x.example()))
	}
	if len(m.Items) == 0 {
		x.Env.Say("there is nothing to copy")
		return
	}
	x.Env.Over = m
}

// fileOf are rules as --faults reads them.
func fileOf(rules []rule.Active, seed uint64) string {
	var b strings.Builder
	if seed > 0 {
		fmt.Fprintf(&b, "seed %d\n", seed)
	}
	for _, a := range rules {
		fmt.Fprintln(&b, a.Line)
	}
	return b.String()
}
