package inspect

import (
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// etcdLines adds a request to etcd: a transaction as its three parts, with etcdctl's names and their results.
func etcdLines(p *term.Column, s *flow.Statement) {
	text, rest := story.InPlace(s)
	parts := strings.Split(text, "\n\n")
	heads := []string{
		term.Pick(s.Lost, "compares: they did not hold", "compares: they held"),
		"success requests: " + term.Pick(s.Lost, "not done", "done"),
		"failure requests: " + term.Pick(s.Lost, "done", "not done"),
	}
	for i, part := range parts {
		indent := "  "
		if len(parts) == len(heads) {
			p.Add(term.Pick(s.Lost && i == 0, term.Err, term.Dim).Of("  " + heads[i]))
			indent = "    "
		}
		for l := range strings.SplitSeq(part, "\n") {
			if l != "" {
				etcdLine(p, indent, l)
			}
		}
	}
	for _, n := range rest {
		p.Field(fmt.Sprintf("   ?%d", n+1), 7, term.Str, s.Args[n])
	}
}

// etcdLine adds one line of it, with its first word highlighted.
func etcdLine(p *term.Column, indent, l string) {
	for i, part := range term.Wrap(l, max(8, p.W-len(indent))) {
		line := term.Line{term.Plain.Of(indent)}
		if end := strings.IndexAny(part, " ("); i == 0 && end > 0 {
			line, part = append(line, term.Name.Of(part[:end])), part[end:]
		}
		p.More(append(line, term.Plain.Of(part)))
	}
}
