package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"kubarium/flow"
)

// Requests that come one by one make the same rows as all at once, whatever runs they are of.
func TestRuns_More(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all, rows []*flow.Flow
		byOne := newRuns(false, map[string]bool{"run-1-1": true, "127.0.0.1:2": true})
		for seq := range uint64(1 + random.IntN(40)) {
			port := random.IntN(5)
			f := &flow.Flow{Seq: seq, Method: "GET", Status: 200, Path: "/version"}
			f.Client = flow.Client{UserAgent: "kubectl/v1", Remote: fmt.Sprint("127.0.0.1:", port)}
			if random.IntN(3) > 0 {
				f.Client.Session = fmt.Sprintf("run-%d-%d", port, random.IntN(2))
			}
			if random.IntN(2) > 0 {
				f.Target.Resource = "pods"
			}
			if random.IntN(5) == 0 {
				f.Client = flow.Client{UserAgent: "curl"}
			}
			all = append(all, f)
			rows, _ = byOne.more(rows, []*flow.Flow{f})
		}
		atOnce := newRuns(false, byOne.open)
		if want := atOnce.fold(all); !slices.Equal(rows, want) {
			t.Fatalf("seed %d: %d rows one by one, %d at once", seed, len(rows), len(want))
		}
	}
}
