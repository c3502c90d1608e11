package tui

import (
	"kubarium/server/flow"
	"kubarium/server/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/term"
)

// hasKeys reports whether the i-th pane of the page at the front has the keys.
func (u *env) hasKeys(i int) bool { return u.at == i }

// rowStyle is the look of the row under the cursor of the i-th pane.
func (u *env) rowStyle(i int) term.Style {
	return term.Pick(u.at == i && u.over == nil, term.Selected, term.Shadowed)
}

// titleStyle is the look of the title of the i-th pane.
func (u *env) titleStyle(i int) term.Style { return term.Pick(u.at == i, term.Bold, term.Plain) }

// visible reports whether there is room for the i-th pane of the page beside the others.
func (u *env) visible(i int) bool { return i >= u.first && i < u.first+u.columns }

func (u *env) needsRow() string {
	return unless(u.underCursor() != nil, "there is no request under the cursor")
}

// onRow makes the request under the cursor the selected one before something is done with it.
func (u *env) onRow(do func()) func() {
	return func() {
		u.choose(u.underCursor())
		do()
	}
}

func (u *env) needsReplayableRow() string {
	f := u.underCursor()
	if f == nil {
		return u.needsRow()
	}
	return replayable(f)
}

// rowKeys are those of a page whose rows stand for requests.
func (u *env) rowKeys() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "request", help: "show the request of this row in Traffic", off: u.needsRow, do: func() { u.jump(u.underCursor()) }},
		{keys: []string{"y"}, hint: "copy", help: "copy this row's request: kubectl, curl, body, headers, SQL, rv, line", off: u.needsRow, do: u.onRow(u.askCopy)},
	}
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// maskerOf hides what is secret in an object of a resource, as it is now, to be called off the loop.
func (u *env) maskerOf(resource string) func([]byte) []byte {
	keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: resource}})
	if u.unmasked || keys == nil {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return redact.Object(b, keys) }
}

// askServer does something over HTTP off the loop, and then says what came of it; done is for an answer that is no refusal.
func (u *env) askServer(doing string, ask func(a *client.Client) error, done func()) {
	a := u.api
	u.do(workEffect{func() func() {
		err := ask(a)
		return func() {
			if err != nil {
				u.Say("%s: %s", doing, err)
				return
			}
			done()
		}
	}})
}

// serverFlag is what kubectl needs to find this server: nothing where it looks by itself.
func (u *env) serverFlag() string {
	if u.url == "http://127.0.0.1:8080" || u.url == "http://localhost:8080" || u.url == "" {
		return ""
	}
	return " -s " + u.url
}
