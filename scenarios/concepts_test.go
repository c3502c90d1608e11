package scenarios_test

import (
	"slices"
	"testing"

	"kubarium/scenarios"
)

// Each section has a title and lessons that there are, and is there once.
func TestConcepts(t *testing.T) {
	concepts, err := scenarios.Concepts()
	if err != nil || len(concepts) == 0 {
		t.Fatal(concepts, err)
	}
	names, err := scenarios.Names()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range concepts {
		if seen[c.ID] || c.ID == "" || c.In("") == "" || c.In("xx") != c.In("en") || len(c.Lessons) == 0 {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
		for i, name := range c.Lessons {
			if !slices.Contains(names, name) || slices.Contains(c.Lessons[:i], name) {
				t.Errorf("%s: %q is no lesson, or there twice", c.ID, name)
			}
		}
	}
}
