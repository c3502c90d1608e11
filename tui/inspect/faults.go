package inspect

import (
	"cmp"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/tui/term"
)

// way returns the stations of a request, with the actions of rules in their places.
func way(f *flow.Flow) []flow.Station {
	if len(f.Faults) == 0 {
		return f.Stations
	}
	out := slices.Clone(f.Stations)
	for i := range f.Faults {
		s := stop(&f.Faults[i])
		at := slices.IndexFunc(out, func(o flow.Station) bool {
			return o.Start >= s.Start &&
				o.Name == f.Faults[i].Station
		})
		if at < 0 {
			at = slices.IndexFunc(out, func(o flow.Station) bool { return o.Start > s.Start })
		}
		if at < 0 {
			at = len(out)
		} else {
			s.Depth = out[at].Depth
		}
		out = slices.Insert(out, at, s)
	}
	return out
}

// stop returns the action of a rule as a station.
func stop(m *flow.FaultMark) flow.Station {
	sign := term.Pick(m.Action == "hold", "⏸ ", "ϟ ")
	s := flow.Station{Name: sign + m.Action, Start: m.At, Length: m.Waited, Note: cmp.Or(m.Outcome, m.Rule)}
	if m.Edited != "" {
		s.Note = strings.TrimSuffix(s.Note, ", edited") + ", " + m.Edited + " edited"
	}
	if m.Station != "" && m.Outcome != "" {
		s.Note += ", before " + m.Station
	}
	return s
}
