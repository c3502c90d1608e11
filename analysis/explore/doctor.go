package explore

import (
	"cmp"
	"slices"
	"strings"

	"kubarium/analysis/doctor"
)

// An Advice is something that the doctor finds in a run with a fault and in none without.
type Advice struct {
	Rule   string `json:"rule"`
	Client string `json:"client"`
	Object string `json:"object"` // its kind: "configmaps"
	What   string `json:"what"`   // one sentence
}

// explained are findings that a fault itself causes, whatever a client does: a lost write is sent again, a late view
// leads to conflicts, a client that starts again reads again.
var explained = map[string]bool{
	"conflicts": true, "writes-that-change-nothing": true, "repeated-lists": true, "lists-without-limit": true,
	"expired-versions": true, "bursts": true, "throttled-waits": true, "polling": true, "watches-without-bookmarks": true,
}

// Advise returns what the doctor finds in a run and in none of the others, except findings that a fault explains, and
// notes.
func Advise(run []*Server, others ...[]*Server) (out []Advice) {
	known := map[Advice]bool{}
	for _, other := range others {
		for _, f := range findings(other) {
			for _, a := range advicesOf(&f) {
				known[a] = true
			}
		}
	}
	for _, f := range findings(run) {
		for _, a := range advicesOf(&f) {
			if known[a] || explained[f.Rule] || f.Severity == doctor.Note {
				continue
			}
			known[a] = true
			a.What = f.What
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b Advice) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Client, b.Client),
			strings.Compare(a.Object, b.Object))
	})
	return out
}

// advicesOf are what a finding says, one for each kind of its objects.
func advicesOf(f *doctor.Finding) (out []Advice) {
	objects := f.Objects
	if objects == nil {
		objects = []string{f.Object}
	}
	for _, object := range objects {
		kind, _, _ := strings.Cut(object, " ")
		if a := (Advice{Rule: f.Rule, Client: f.Client, Object: kind}); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func findings(run []*Server) (out []doctor.Finding) {
	for _, s := range run {
		who := doctor.New(doctor.Options{})
		for _, f := range s.Flows {
			who.Add(f)
		}
		out = append(out, who.Report().Findings...)
	}
	return out
}
