package conflict_test

import (
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/analysis/lineage"
	"kubarium/flow"
)

// A report of lost updates needs the flows in their order, and nothing else.
func ExampleJudge() {
	h := &history{}
	h.write("controller", "create", config("1", "1"))
	h.write("kubectl", "patch", config("5", "1"))
	h.write("controller", "update", config("1", "2")) // from what it read at first
	flows := h.flows

	before := lineage.New(func(seq uint64) *flow.Flow { return flows[seq-1] })
	for _, f := range flows {
		if c, ok := conflict.Judge(f, before); ok {
			for _, u := range c.Undone {
				fmt.Printf("%s: %s put %s back to %v, %s had set %v\n", c.Kind, f.Client.Tag, u.Path, u.Now, u.By.Who, u.Was)
			}
		}
		before.Note(f)
	}
	// Output: silent overwrite: controller put data.a back to 1, kubectl had set 5
}
