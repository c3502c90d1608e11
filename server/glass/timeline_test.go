package glass

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"kubarium/flow"
)

// Changes that are seen on several streams are on the timeline once, in the order of their revisions; one that is seen
// too late is not.
func TestTimeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := flow.NewLog(flow.Limits{})
		line := newTimeline(log)
		see := func(revisions ...int64) {
			for _, r := range revisions {
				line.add(flow.Commit{Revision: r})
			}
			time.Sleep(2 * settle)
		}
		see(7, 5, 6, 5)
		see(4, 9, 7)
		see(8)
		commits, _ := log.Commits(0)
		var got []int64
		for _, c := range commits {
			got = append(got, c.Revision)
		}
		if want := []int64{5, 6, 7, 9}; !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
}
