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

// Visible reports whether there is room for the i-th pane of the page next to the others.
func (l *Layout) Visible(i int) bool { return i >= l.First && i < l.First+l.Columns }

// NeedsRow says why a key that works on the request under the cursor can do nothing, "" if it can.
func (e *Env) NeedsRow() string {
	return Unless(e.UnderCursor() != nil, "there is no request under the cursor")
}

// OnRow returns a function that selects the request under the cursor and then calls do.
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

// RowKeys are the keys of a page whose rows have requests.
func (e *Env) RowKeys() []Binding {
	return []Binding{
		{Keys: []string{"enter"}, Hint: "request", Help: "show the request of this row in Traffic", Off: e.NeedsRow, Do: func() { e.Jump(e.UnderCursor()) }},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy this row's request: kubectl, curl, body, headers, " + e.Store().Copy + ", rv, line", Off: e.NeedsRow, Do: e.OnRow(e.AskCopy)},
	}
}

// Unless returns why, or "" if ok.
func Unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// MaskerOf returns a function that masks secrets in objects of a resource, unless they are unmasked now. It may be
// called off the loop.
func (e *Env) MaskerOf(resource string) func([]byte) []byte {
	keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: resource}})
	if e.Unmasked || keys == nil {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return redact.Object(b, keys) }
}

// AskServer calls ask off the loop, and then done on the loop; an error of ask is shown instead.
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

// ServerFlag is the flag by which kubectl finds this server, after a blank; "" where kubectl needs none.
func (s *Server) ServerFlag() string {
	if s.Kubeconfig != "" {
		return " --kubeconfig " + story.Quote(s.Kubeconfig)
	}
	if flag := story.ServerFlag(s.URL); flag != "" {
		return " " + flag
	}
	return ""
}
