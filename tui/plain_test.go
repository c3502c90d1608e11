package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
)

// A request that comes while others are being told is told once, by the next look.
func TestPlain_tellsOnce(t *testing.T) {
	const requests = 2000
	d := newDemo(flow.Limits{})
	u, _ := testUI(d, "mono", 120, 36)
	var out strings.Builder
	p := &plain{u: u, out: &out}
	first := u.Seq + 1
	come := make(chan struct{})
	go func() {
		defer close(come)
		for range requests {
			d.write("A", "update", flow.Updated, "web", 3)
		}
	}()
	for going := true; going; {
		select {
		case <-come:
			going = false
		default:
		}
		p.fold()
	}
	var got, want []string
	for l := range strings.Lines(out.String()) {
		number, _, _ := strings.Cut(l, ". ")
		got = append(got, number)
	}
	for i := range requests {
		want = append(want, fmt.Sprint(first+uint64(i)))
	}
	if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
		t.Errorf("told %d of %d requests: %.200s", len(got), len(want), g)
	}
}
