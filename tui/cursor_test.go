package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
)

// underCursor is the text of the row that ▸ stands before, in the i-th pane.
func (u *ui) underCursor(i int) string {
	lines := strings.Split(u.screenText(), "\n")
	r := u.lay.panes[i]
	for y := r.Y; y < min(r.Y+r.H, len(lines)); y++ {
		if s := ansi.Cut(lines[y], r.X, r.X+r.W); strings.HasPrefix(s, "▸") {
			return strings.TrimSpace(strings.TrimPrefix(s, "▸"))
		}
	}
	return ""
}

// Pages whose rows come at their end follow the newest alike: a step down goes on following, a step up stays, the end follows again.
func TestUI_FollowAlike(t *testing.T) {
	for _, c := range []struct {
		page string
		come func(d *demo, i int)
	}{
		{"1", func(d *demo, i int) { d.log.Publish(d.request("k1", "get", "pods", fmt.Sprint("x", i), 200, 1)) }},
		{"3", func(d *demo, i int) {
			d.log.Publish(paged(d.request("inf", "list", fmt.Sprint("pods", i), "", 200, 2)))
		}},
		{"5", func(d *demo, _ int) { d.log.Publish(d.refused()) }},
		{"6", func(d *demo, i int) { d.write("A", "delete", flow.Deleted, fmt.Sprint("x", i), 1) }},
	} {
		d := newDemo(flow.Limits{})
		u, _ := testUI(d, "mono", 120, 36)
		n := 0
		come := func() {
			for range 3 {
				n++
				c.come(d, n)
			}
			u.fold()
		}
		u.keys(c.page)
		come()
		first := u.underCursor(0)
		u.keys("j")
		come()
		second := u.underCursor(0)
		if first == "" || first == second {
			t.Errorf("page %s does not follow: %q, then %q", c.page, first, second)
		}
		u.keys("k")
		stays := u.underCursor(0)
		come()
		if got := u.underCursor(0); got != stays || got == second {
			t.Errorf("page %s: after a step up from %q the cursor goes from %q to %q", c.page, second, stays, got)
		}
		u.keys("G")
		third := u.underCursor(0)
		come()
		if got := u.underCursor(0); got == third || third == stays {
			t.Errorf("page %s: the end %q is not followed: %q", c.page, third, got)
		}
	}
}

// A request that was pinned after a step down stays chosen.
func TestUI_PinsWhatIsFollowed(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("G", "j", "f")
	pinned := u.underCursor(0)
	d.log.Publish(d.request("k1", "get", "pods", "later", 200, 1))
	u.fold()
	if got := u.underCursor(0); got != pinned || !strings.Contains(u.screenText(), "later") {
		t.Errorf("the cursor went from %q to %q", pinned, got)
	}
}

// The wheel moves in what lies over the screen, too.
func TestUI_WheelOverOverlay(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 100, 30)
	u.keys("?")
	before := u.view()
	u.wheel(50, 15, 3)
	after := u.view()
	u.wheel(50, 15, -3)
	if after == before || u.view() != before {
		t.Errorf("the wheel does not move the list of keys:\n%s", u.screenText())
	}
}

// A press on a frame chooses it, and one on what stands above the frames none.
func TestWatches_ClickFrame(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2")
	u.view()
	r := u.lay.panes[1]
	lines := strings.Split(u.screenText(), "\n")
	for y := r.Y; y < r.Y+r.H; y++ {
		if !strings.Contains(lines[y], "ADDED") {
			continue
		}
		u.click(r.X+5, y)
		if got := u.underCursor(1); !strings.Contains(got, "ADDED") {
			t.Errorf("the cursor is on %q", got)
		}
		u.click(r.X+5, r.Y)
		if got := u.underCursor(1); !strings.Contains(got, "ADDED") {
			t.Errorf("a press above the frames chooses %q", got)
		}
		return
	}
	t.Errorf("no frame is shown:\n%s", u.screenText())
}
