package trials

import (
	"fmt"

	"kubarium/analysis/explore"
)

// A trial is one fault, tried.
type trial struct {
	fault   explore.Fault
	outcome explore.Outcome
	run     *ran
	before  bool // whether an interrupted exploration had tried it
}

// A finding is a difference that a fault makes, with all faults that make the same one.
type finding struct {
	trial
	also   []string // what other faults of the kind make the same
	others []trial  // some of these
	times  int      // how often it came again, the first time included
	of     int      // in how many runs
	folder string
	story  string // one paragraph
}

// stability says how often a finding came again.
func stability(f *finding) string {
	word := "stable"
	if !explore.Stable(f.times, f.of) {
		word = "unstable"
	}
	return fmt.Sprintf("%s (%d of %d)", word, f.times, f.of)
}
