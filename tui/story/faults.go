package story

import (
	"fmt"
	"strings"

	"kubarium/flow"
)

// refusing returns the mark of the rule, or of the person at the gate, that answered instead of the server or cut the
// connection; nil if there is none.
func (s *teller) refusing() *flow.FaultMark {
	for i := range s.Faults {
		m := &s.Faults[i]
		refused := strings.HasPrefix(m.Outcome, "refused") || m.Outcome == "dropped"
		if refused || m.Action == "refuse" || m.Action == "cut" || m.Action == "lose" {
			return m
		}
	}
	return nil
}

// byRule describes a request whose answer, or missing answer, is not the server's own.
func (s *teller) byRule(m *flow.FaultMark) {
	s.say("%s asked to %s.", s.who(), s.wish())
	for _, e := range s.Effects {
		s.say("That was committed at rv %d.", e.Commit.Revision)
		break
	}
	if s.Status > 0 && (m.Action == "refuse" || strings.HasPrefix(m.Outcome, "refused")) {
		s.say("The answer %s is not the server's own.", status(s.Status))
		s.retry()
	}
}

// faults describes what rules did to the request, or to the events of its watch.
func (s *teller) faults() {
	for i := range s.Faults {
		s.fault(&s.Faults[i])
	}
	if s.Watch == nil {
		return
	}
	w := s.Watch.State()
	if w.Touched > 0 {
		s.say("Rules acted on %s of it, which carry ϟ on the page Watches.", plural(int(w.Touched), "event"))
	}
}

func (s *teller) fault(m *flow.FaultMark) {
	by, where := "A rule", ""
	if m.Name != "" {
		by = "The rule " + m.Name
	}
	if m.Station != "" {
		where = " before " + m.Station
	}
	switch m.Action {
	case "hold":
		s.stopped(m, by, where)
	case "delay":
		s.say("%s let it wait %s%s.", by, rounded(m.Waited), where)
	case "refuse":
		s.say("%s answered in the server's place%s.", by, where)
	case "cut":
		s.say("%s cut its connection%s, so there was no answer.", by, where)
	case "lose":
		s.say("%s lost the answer: the client does not know that it was committed.", by)
	case "coalesce":
		s.say("%s sent it only the last change of an object within a time.", by)
	case "lag":
		if m.Seen > 0 {
			s.say("%s showed it the server as it was at rv %d.", by, m.Seen)
		} else {
			s.say("%s showed it the server as it was before.", by)
		}
	}
}

// stopped describes how long a request was held, what was written during that time, and the outcome.
func (s *teller) stopped(m *flow.FaultMark, by, where string) {
	text := fmt.Sprintf("%s held it %s%s", by, rounded(m.Waited), where)
	if other := s.during(m); other != "" {
		text += "; during that time " + other
	}
	switch {
	case m.Edited != "":
		text += fmt.Sprintf("; its %s was edited before it went on", m.Edited)
	case m.Outcome != "" && m.Outcome != "let go":
		text += "; " + m.Outcome
	}
	s.say("%s.", text)
}

// during says which client wrote the version that caused a conflict, if that was while the request was held.
func (s *teller) during(m *flow.FaultMark) string {
	c := s.Conflict
	if c == nil || c.Stored == 0 || s.Committed == nil {
		return ""
	}
	at := s.Committed(c.Stored)
	begin := s.Start.Add(m.At)
	if at.IsZero() || at.Before(begin) || at.After(begin.Add(m.Waited)) {
		return ""
	}
	who := "another client"
	if s.Wrote != nil && s.Wrote(c.Stored) != "" {
		who = s.Wrote(c.Stored)
	}
	return fmt.Sprintf("%s wrote rv %d", who, c.Stored)
}
