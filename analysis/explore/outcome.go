package explore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Outcome is what one run with a fault ended with, compared with those without.
type Outcome struct {
	Came        bool         `json:"came"`             // whether the fault touched anything
	Failed      string       `json:"failed,omitempty"` // how the command ended, if that is not how it ends without a fault
	Differences []Difference `json:"differences,omitempty"`
	Advice      []Advice     `json:"advice,omitempty"`
	Behaviour   []Behaviour  `json:"behaviour,omitempty"`
	// Missed is how the command ended before the fault could come, if not as without one.
	Missed string `json:"missed,omitempty"`
}

// A Behaviour is what clients did in a run, and in none without the fault: the objects need not show it.
type Behaviour struct {
	Kind string `json:"kind"` // "ended", "panicked", "requests", "restless"
	Who  string `json:"who,omitempty"`
	What string `json:"what"` // one sentence
}

// Same reports whether the run ended as those without a fault.
func (o *Outcome) Same() bool {
	return o.Failed == "" && len(o.Differences) == 0 && len(o.Advice) == 0 && len(o.Behaviour) == 0
}

// Points are all that is different, a sentence each, what weighs more first.
func (o *Outcome) Points() (out []string) {
	if o.Failed != "" {
		out = append(out, o.Failed)
	}
	for _, d := range o.Differences {
		out = append(out, d.String())
	}
	for _, b := range o.Behaviour {
		out = append(out, b.What)
	}
	for _, a := range o.Advice {
		out = append(out, fmt.Sprintf("doctor, %s: %s", a.Rule, a.What))
	}
	return out
}

// itemNames are those in a path.
var itemNames = regexp.MustCompile(`\[[^\]]*\]`)

// marks are what two outcomes have in common if they are of one mistake: what differs, without values and names, which may
// vary.
func (o *Outcome) marks() (out []string) {
	if o.Failed != "" {
		out = append(out, "failed")
	}
	for _, d := range o.Differences {
		resource, _, _ := strings.Cut(d.Object, " ")
		out = append(out, fmt.Sprint(d.Server, " ", resource, " ", itemNames.ReplaceAllString(d.Path, "[]")))
	}
	for _, b := range o.Behaviour {
		out = append(out, "did "+b.Kind+" "+b.Who)
	}
	for _, a := range o.Advice {
		out = append(out, strings.Join([]string{"doctor", a.Rule, a.Client, a.Object}, " "))
	}
	return out
}

// Mark is the same for outcomes of one mistake: those in which the same is different at the end. The acts of clients, and what
// the doctor says, counts only where the end is the same.
func (o *Outcome) Mark() string {
	if end := (Outcome{Failed: o.Failed, Differences: o.Differences}); !end.Same() {
		o = &end
	}
	all := o.marks()
	slices.Sort(all)
	all = slices.Compact(all)
	return strings.Join(all, "\n")
}

// Repeats reports whether one of the differences of an outcome is in the first one as well.
func (o *Outcome) Repeats(first *Outcome) bool {
	if !o.Came && first.Came {
		return false
	}
	known := first.marks()
	return slices.ContainsFunc(o.marks(), func(m string) bool { return slices.Contains(known, m) })
}

// Stable reports whether so many of so many runs are enough to rely on: 9 of 10.
func Stable(times, of int) bool { return of > 0 && times*10 >= of*9 }
