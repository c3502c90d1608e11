package ownership_test

import (
	"fmt"

	"kubarium/analysis/ownership"
	"kubarium/flow"
)

// A report on an apply names the fields that it may not set without force, with their owners.
func ExampleMakeMatrix() {
	f := &flow.Flow{Query: "fieldManager=me", RequestBody: flow.Keep([]byte(`{"spec":{"replicas":3}}`))}
	m := ownership.MakeMatrix(f, stored(entry("hpa", "Update", "", replicas)))
	for _, r := range m.Rows {
		for i, owns := range r.Owns {
			if owns && r.What == ownership.Clashes {
				fmt.Printf("%s is %v by %s, and %v is wanted\n", r.Path, r.Stored, m.Owners[i].Name, r.Wants)
			}
		}
	}
	// Output: spec.replicas is 5 by hpa, and 3 is wanted
}
