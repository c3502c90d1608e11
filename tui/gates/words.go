package gates

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// Flow returns a held request as a flow, for filters and lists.
func Flow(h *rule.Held) *flow.Flow {
	return &flow.Flow{
		Start: h.Start, Client: h.Client, Method: h.Method, Path: h.Path, Query: h.Query, Target: h.Target,
		SentRevision: h.Sent, Faults: []flow.FaultMark{{Action: string(rule.Hold), Station: h.Station}},
	}
}

// Target returns the target of a held request, with its namespace.
func Target(h *rule.Held) string {
	f := Flow(h)
	return label.Target(f) + label.Where(f.Target)
}

// Waits says how long a request has been held, and the limit.
func Waits(h *rule.Held, now time.Time) string {
	s := term.Ago(now.Sub(h.Since))
	if h.Until.IsZero() {
		return s
	}
	return s + " of " + term.Ago(h.Until.Sub(h.Since))
}

// Outlook describes what happens when a held request goes on, as far as is known; "" for nothing.
func Outlook(h *rule.Held) string {
	verb := h.Target.Verb
	writes := feed.Writes(verb)
	switch {
	case h.Frame != nil:
		return Event(h.Frame)
	case h.Committed > 0 && h.Status > 0:
		return fmt.Sprintf("committed rv %d, its answer is %s", h.Committed, Status(h.Status))
	case h.Committed > 0:
		return fmt.Sprintf("committed rv %d, not answered yet", h.Committed)
	case h.Status > 0:
		return "its answer is " + Status(h.Status)
	case !writes:
		return ""
	case verb == "create" && h.Stored > 0:
		return fmt.Sprintf("stored already, rv %d: will be refused", h.Stored)
	case h.Sent > 0 && h.Stored > 0 && h.Sent != h.Stored:
		return fmt.Sprintf("sent rv %d, stored %d: will be refused", h.Sent, h.Stored)
	case h.Sent > 0 && h.Sent == h.Stored:
		return fmt.Sprintf("sent rv %d, and that is stored", h.Sent)
	case h.Stored > 0 && verb == "update":
		return fmt.Sprintf("names no version: will replace rv %d", h.Stored)
	case h.Stored > 0:
		return fmt.Sprintf("stored rv %d", h.Stored)
	}
	return ""
}

// Event names an event of a watch: "MODIFIED shop/db-0 rv 4180".
func Event(f *flow.Frame) string {
	name := f.Name
	if f.Namespace != "" && f.Namespace != "default" {
		name = f.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %s rv %d", cmp.Or(f.Type, "event"), name, f.Revision)
}

// Status returns a code with its text.
func Status(code int) string {
	if text := http.StatusText(code); text != "" {
		return fmt.Sprintf("%d %s", code, text)
	}
	return fmt.Sprint(code)
}

// Columns are the columns of a list of held requests; now returns the time.
func Columns(now func() time.Time) []term.TableColumn[*rule.Held] {
	type held = *rule.Held
	return []term.TableColumn[held]{
		{Name: "⏸", Width: 3, Right: true, Cell: func(h held) term.Span { return term.Dim.Of(fmt.Sprint(h.ID)) }},
		{Name: "who", Width: 5, Cell: func(h held) term.Span { return term.Accent.Of(h.Client.Tag) }},
		{Name: "verb", Width: 7, Cell: func(h held) term.Span {
			return term.Pick(feed.Writes(h.Target.Verb), term.Write, term.Plain).Of(label.Verb(h.Target.Verb))
		}},
		{Name: "target", Least: 14, Cell: func(h held) term.Span { return term.Plain.Of(Target(h)) }},
		{Name: "before", Width: 9, Cell: func(h held) term.Span { return term.Warn.Of(h.Station) }},
		{Name: "waits", Width: 15, From: 60, Cell: func(h held) term.Span { return term.Plain.Of(Waits(h, now())) }},
		{Name: "what comes", From: 100, Width: 44, Cell: func(h held) term.Span { return term.Plain.Of(Outlook(h)) }},
	}
}

// Mark describes an action on a request or on an event of a watch: "hold before rv check, 8.2 s, let go".
func Mark(m *flow.FaultMark) string {
	s := m.Action
	if m.Station != "" {
		s += " before " + m.Station
	}
	if m.Object != "" {
		s += " of " + m.Object
	}
	if m.Seen > 0 {
		s += fmt.Sprintf(" rv %d", m.Seen)
	}
	return s + done(m)
}

// Done describes an action on an event that is named already: "hold, 8.2 s, let go".
func Done(m *flow.FaultMark) string { return m.Action + done(m) }

func done(m *flow.FaultMark) (s string) {
	if m.Waited >= time.Millisecond {
		s += ", " + term.Ago(m.Waited)
	}
	if m.Outcome != "" {
		s += ", " + m.Outcome
	}
	if m.Edited != "" {
		s = strings.TrimSuffix(s, ", edited") + ", " + m.Edited + " edited"
	}
	return s
}
