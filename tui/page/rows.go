package page

import (
	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// HasKeys reports whether the i-th pane of the page at the front has the keys.
func (l *Layout) HasKeys(i int) bool { return l.At == i }

// RowStyle is the look of the row under the cursor of the i-th pane.
func (e *Env) RowStyle(i int) term.Style {
	return term.Pick(e.At == i && e.Over == nil, term.Selected, term.Shadowed)
}

// TitleStyle is the look of the title of the i-th pane.
func (l *Layout) TitleStyle(i int) term.Style { return term.Pick(l.At == i, term.Bold, term.Plain) }

// Visible reports whether there is room for the i-th pane of the page beside the others.
func (l *Layout) Visible(i int) bool { return i >= l.First && i < l.First+l.Columns }

// NeedsRow says why a key that works on the request under the cursor can do nothing, "" if it can.
func (e *Env) NeedsRow() string {
	return Unless(e.UnderCursor() != nil, "there is no request under the cursor")
}

// OnRow makes the request under the cursor the selected one before something is done with it.
func (e *Env) OnRow(do func()) func() {
	return func() {
		e.Choose(e.UnderCursor())
		do()
	}
}

// NeedsReplayableRow says why the request under the cursor cannot be sent again, "" if it can.
func (e *Env) NeedsReplayableRow() string {
	f := e.UnderCursor()
	switch {
	case e.ReadOnly != "":
		return e.ReadOnly
	case f == nil:
		return e.NeedsRow()
	}
	return replayable(f)
}

// RowKeys are those of a page whose rows stand for requests.
func (e *Env) RowKeys() []Binding {
	return []Binding{
		{Keys: []string{"enter"}, Hint: "request", Help: "show the request of this row in Traffic", Off: e.NeedsRow, Do: func() { e.Jump(e.UnderCursor()) }},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy this row's request: kubectl, curl, body, headers, " + e.Store().Copy + ", rv, line", Off: e.NeedsRow, Do: e.OnRow(e.AskCopy)},
	}
}

// Unless is why a key can do nothing, "" if it is all right.
func Unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// MaskerOf hides what is secret in an object of a resource, as it is now, to be called off the loop.
func (e *Env) MaskerOf(resource string) func([]byte) []byte {
	keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: resource}})
	if e.Unmasked || keys == nil {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return redact.Object(b, keys) }
}

// AskServer does something over HTTP off the loop, and then says what came of it; done is for an answer that is no refusal.
func (e *Env) AskServer(doing string, ask func(a *client.Client) error, done func()) {
	a := e.API
	e.Do(Work{func() func() {
		err := ask(a)
		return func() {
			if err != nil {
				e.Say("%s: %s", doing, err)
				return
			}
			done()
		}
	}})
}

// ServerFlag is what kubectl needs to find this server, after a blank: nothing where it looks by itself.
func (s *Server) ServerFlag() string {
	if flag := story.ServerFlag(s.URL); flag != "" {
		return " " + flag
	}
	return ""
}
