package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"kubarium/flow"
	"kubarium/tui/term"
)

// Requests that come one by one make the same rows as all at once, whatever runs they are of.
func TestRuns_More(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all, rows []*flow.Flow
		byOne := newRuns(false, map[string]bool{
			"run-1-1": true, "127.0.0.1:2": true, fmt.Sprint(wave{who: "replicaset-controller", verb: "delete", resource: "pods"}): true,
		})
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
				f.Target.Verb = []string{"get", "create"}[random.IntN(2)]
			}
			if random.IntN(2) == 0 {
				f.Client = flow.Client{UserAgent: "kubarium-controller/replicaset-controller", Tag: "replicaset-controller"}
				f.Target.Verb, f.Target.Resource = []string{"create", "delete"}[random.IntN(2)], "pods"
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

// A controller's steps of one kind after a write are one line once they are many, and the next write begins others.
func TestRuns_Waves(t *testing.T) {
	rs := newRuns(false, map[string]bool{})
	var rows []*flow.Flow
	seq := uint64(0)
	add := func(agent, verb string, n int) {
		for range n {
			seq++
			f := &flow.Flow{Seq: seq, Status: 201}
			f.Client = flow.Client{UserAgent: agent, Tag: agent}
			f.Target.Verb, f.Target.Resource = verb, "pods"
			rows, _ = rs.more(rows, []*flow.Flow{f})
		}
	}
	const controller = "kubarium-controller/replicaset-controller"
	for _, c := range []struct {
		agent, verb string
		n, rows     int // so many requests; so many rows then
	}{
		{"curl", "create", 1, 1},
		{controller, "create", leastWave - 1, leastWave},
		{controller, "create", 1, 2},
		{controller, "create", 995, 2},
		{controller, "delete", 1, 3}, // another kind of step
		{"curl", "get", 1, 4},
		{controller, "create", 1, 4},
		{"curl", "update", 1, 5},
		{controller, "create", 1, 6}, // after another write
	} {
		if add(c.agent, c.verb, c.n); len(rows) != c.rows {
			t.Fatalf("after %d × %s by %s: %d rows, want %d", c.n, c.verb, c.agent, len(rows), c.rows)
		}
	}
	if line := rs.of(rows[1]).text(40).String(); line != "create  "+term.Count(1001)+" × pods" {
		t.Errorf("the line is %q", line)
	}
}
