package teller

import (
	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/words"
)

// Before says, a line each, what a step does before its request or its answer: the fault rules that it removes and adds,
// the watch that it closes, the server that it stops or starts, and what becomes of a request that is held.
func Before(w *words.Words, s scenarios.Step) (lines []string) {
	if s.Mend {
		lines = append(lines, w.T("⊘  the lesson's fault rules are removed"))
	}
	for _, rule := range s.Faults {
		lines = append(lines, "⊘  "+rule)
	}
	if s.Close != "" {
		lines = append(lines, w.F("⊘  the client ends its watch %q", s.Close))
	}
	if s.Stop != "" {
		lines = append(lines, w.F("⊘  the server %s is stopped", s.Stop))
	}
	if s.Start != "" {
		lines = append(lines, w.F("⊙  the server %s is started again", s.Start))
	}
	if s.Answer != nil {
		lines = append(lines, w.F("⊘  the held request: %s", s.Answer.Verdict()))
	}
	return lines
}

// Asked says what a server of the lesson was asked, in a line.
func Asked(w *words.Words, h *check.Heard) string {
	if h.Method == "" {
		return w.F("⇢  %s was not asked in such a way", h.Server)
	}
	return w.F("⇢  %s was asked: %s %s", h.Server, h.Method, h.Path)
}
