package explore

import (
	"fmt"
	"slices"
	"strings"
)

// An Outcome is what one run with a fault ended with, compared with those without.
type Outcome struct {
	Came        bool         `json:"came"`             // whether the fault touched anything
	Failed      string       `json:"failed,omitempty"` // how the command ended, if that is not how it ends without a fault
	Differences []Difference `json:"differences,omitempty"`
	Advice      []Advice     `json:"advice,omitempty"`
}

// Same reports whether the run ended as those without a fault.
func (o *Outcome) Same() bool {
	return o.Failed == "" && len(o.Differences) == 0 && len(o.Advice) == 0
}

// Points are all that is different, a sentence each, what weighs more first.
func (o *Outcome) Points() (out []string) {
	if o.Failed != "" {
		out = append(out, o.Failed)
	}
	for _, d := range o.Differences {
		out = append(out, d.String())
	}
	for _, a := range o.Advice {
		out = append(out, fmt.Sprintf("doctor, %s: %s", a.Rule, a.What))
	}
	return out
}

// marks are what two outcomes have in common if they are of one mistake: what differs, without values that may vary.
func (o *Outcome) marks() (out []string) {
	if o.Failed != "" {
		out = append(out, "failed")
	}
	for _, d := range o.Differences {
		out = append(out, fmt.Sprint(d.Server, " ", d.Object, " ", d.Path))
	}
	for _, a := range o.Advice {
		out = append(out, strings.Join([]string{"doctor", a.Rule, a.Client, a.Object}, " "))
	}
	return out
}

// Mark is the same for outcomes in which the same things are different.
func (o *Outcome) Mark() string {
	all := o.marks()
	slices.Sort(all)
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
