package controllers

import (
	"strings"
	"testing"
)

// A stream of events may be of any length, an event may not.
func TestEachEvent(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		n     int
		want  int // events
	}{
		"many":   {`{"type":"ADDED","object":{"kind":"` + strings.Repeat("a", 1<<20) + `"}}`, 20, 20},
		"larger": {`{"type":"ADDED","object":{"kind":"` + strings.Repeat("a", maxEvent) + `"}}`, 1, 0},
	} {
		got := 0
		_, err := eachEvent(strings.NewReader(strings.Repeat(c.event, c.n)), "", func(event) { got++ })
		if err == nil || got != c.want {
			t.Errorf("%s: %d events, %v", name, got, err)
		}
	}
}
