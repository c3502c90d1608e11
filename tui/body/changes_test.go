package body_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/tui/body"
)

const tank = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"tank","resourceVersion":"%d","generation":%d,` +
	`"creationTimestamp":"2026-11-21T12:00:00Z","managedFields":[{"manager":"%s","time":"2026-11-21T12:00:0%dZ"}]},` +
	`"data":{"fish":"%d"},"status":{"conditions":[{"type":"Wet","lastTransitionTime":"2026-11-21T12:00:0%dZ"}]}}`

// What the server sets with every write is left out and counted, until all is asked for. The resourceVersion stays.
func TestChanges(t *testing.T) {
	was := []byte(fmt.Sprintf(tank, 7, 1, "kubectl-create", 1, 4, 1))
	for name, c := range map[string]struct {
		before, after []byte
		want, not     []string
	}{
		"all of it": {was, []byte(fmt.Sprintf(tank, 8, 2, "kubectl-patch", 2, 5, 2)),
			[]string{`-     "fish": "4"`, `+     "fish": "5"`, `+     "resourceVersion": "8"`,
				"8 lines of managedFields, times and generation left out · o shows"}, []string{"kubectl-"}},
		"noise": {was, []byte(fmt.Sprintf(tank, 7, 1, "kubectl-patch", 2, 4, 1)),
			[]string{"only managedFields changed · o shows"}, []string{"no difference", "+ ", "- "}},
		"nothing": {was, was, []string{"no difference"}, []string{"left out", "only"}},
		"create": {nil, was, []string{`+     "fish": "4"`, "managedFields, times and generation left out"},
			[]string{"kubectl-", "creationTimestamp"}},
		"delete":   {was, nil, []string{`-     "fish": "4"`, "left out"}, []string{"kubectl-"}},
		"not JSON": {[]byte("a"), []byte("b"), []string{"- a", "+ b"}, []string{"left out"}},
	} {
		got := textOf(body.Changes(c.before, c.after, body.Pretty, false, 80))
		whole := textOf(body.Changes(c.before, c.after, body.Pretty, true, 80))
		for _, s := range c.want {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in\n%s", name, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q in\n%s", name, s, got)
			}
		}
		if strings.Contains(whole, "left out") || strings.Contains(got, "kubectl-") {
			t.Errorf("%s, whole:\n%s", name, whole)
		}
	}
}

// Two long lines that differ at their end only are shown with their ends.
func TestDiff_longLines(t *testing.T) {
	long := `    "note": "` + strings.Repeat("the same water ", 20)
	got := textOf(body.Diff([]string{long + `old"`}, []string{long + `new"`}, 60))
	for _, s := range []string{`-     "note": "the`, `old"`, `+     "note": "the`, `new"`, " … "} {
		if !strings.Contains(got, s) {
			t.Errorf("no %q in\n%s", s, got)
		}
	}
	for _, l := range body.Diff([]string{long + `old"`}, []string{long + `new"`}, 60) {
		if l.Width() > 60 {
			t.Errorf("%d cells: %s", l.Width(), l)
		}
	}
}
