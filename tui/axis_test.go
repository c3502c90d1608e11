package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
)

// The axis says what its signs mean, and its first lane, of all objects, stays in sight however far one goes down.
func TestVersions_AxisKeepsFirstLane(t *testing.T) {
	d := newDemo(flow.Limits{})
	for i := range 60 {
		d.write("A", "create", flow.Created, fmt.Sprintf("x-%02d", i), 1)
	}
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		u, _ := testUI(d, "mono", size[0], size[1])
		u.press("4")
		mustSee(t, u, "C created U updated")
		for _, keys := range []string{"j", "pgdown", "pgdown", "k", "pgdown", "pgdown", "pgdown", "pgdown", "pgup"} {
			u.press(keys)
			cursor := ""
			for _, line := range strings.Split(u.screenText(), "\n") {
				if strings.HasPrefix(line, "▸") {
					cursor = line
				}
			}
			if !strings.Contains(cursor, "deployments") || !strings.Contains(u.screenText(), "all objects ") || !strings.Contains(u.screenText(), "┃head") {
				t.Fatalf("%v: the cursor is on %q:\n%s", size, cursor, u.screenText())
			}
		}
	}
}

// A click chooses the lane that is seen under it, after going down too.
func TestVersions_ClickAfterScroll(t *testing.T) {
	d := newDemo(flow.Limits{})
	for i := range 60 {
		d.write("A", "create", flow.Created, fmt.Sprintf("x-%02d", i), 1)
	}
	u, _ := testUI(d, "mono", 80, 24)
	u.press("4", "pgdown", "pgdown", "pgdown", "pgdown")
	pane := u.lay.panes[0]
	for row := 2; row < 6; row++ {
		line := func() string { return strings.Split(u.screenText(), "\n")[pane.Y+row] }
		under := strings.TrimLeft(line(), "▸ ")
		u.pages[u.Front].Click(0, 3, row)
		u.Dirty = true
		if now := line(); !strings.HasPrefix(now, "▸") || strings.Fields(now)[1] != strings.Fields(under)[0] {
			t.Errorf("a click on %q chose %q", under, now)
		}
	}
}

// The strip at the bottom has a legend where it has a title, and is there on small screens as well.
func TestStrip_LegendAndSmall(t *testing.T) {
	for size, want := range map[[2]int]string{{120, 36}: "… older ones, readable", {200, 60}: "order known to the server", {60, 15}: "▏4177 head"} {
		d := newDemo(flow.Limits{})
		d.story()
		u, _ := testUI(d, "mono", size[0], size[1])
		mustSee(t, u, want)
	}
}

// On a wide screen names have room.
func TestView_WideIsUsed(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.write("A", "create", flow.Created, "a-name-that-is-rather-long", 1)
	u, _ := testUI(d, "mono", 200, 60)
	u.press("4")
	mustSee(t, u, "deployments.apps/a-name-that-is-rather-long ")
}

// On a small screen the details of every page are a key away, and the header and the hints stay.
func TestView_SmallKeepsDetails(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"enter"}, "Story Request Response"},
		{[]string{"enter", "]", "]", "]"}, "decode"},
		{[]string{"2", "enter"}, "written"},
		{[]string{"4", "j", "enter"}, "is answered now"},
		{[]string{"4", "j", "enter", "j"}, "list, match=Exact"},
		{[]string{"5"}, "deployments/web stale resourceVersion"},
		{[]string{"5", "tab"}, "verdict"},
		{[]string{"7", "j", "j", "j", "enter", "enter"}, "finalizers"},
	} {
		d := newDemo(flow.Limits{})
		d.story()
		u, _ := testUI(d, "mono", 60, 15)
		u.press(c.keys...)
		mustSee(t, u, c.want, "KUBARIUM :8080  rv 4177", "? help")
	}
}

// What is compacted is shaded where it is, on the strip and on the axis of all objects.
func TestAxis_Compacted(t *testing.T) {
	d := newDemo(flow.Limits{})
	for i := range 20 {
		d.write("A", "create", flow.Created, fmt.Sprintf("x-%02d", i), 1)
		d.at = d.at.Add(time.Second)
	}
	d.log.SetHead(d.rv, 4171)
	u, _ := testUI(d, "mono", 120, 36)
	u.press("4")
	mustSee(t, u, "▒CCCCCCCCCCCCCCCCCCCC┃head", "▒4171·")
	d.log.SetHead(d.rv, 4181)
	u.fold()
	mustSee(t, u, "▒▒▒▒▒▒▒▒▒▒▒CCCCCCCCCC┃head", "▒4171▒", "▒▒▒▒▒█", "▒ compacted", "20 versions shown")
	if s := u.screenText(); strings.Contains(s, "older ones") {
		t.Errorf("compacted versions are called readable:\n%s", s)
	}
}

// What the UI has let go of, or never had, is said to be readable. Lanes are of the objects whose versions are seen.
func TestVersions_OlderThanKept(t *testing.T) {
	d := newDemo(flow.Limits{Commits: 100})
	for i := range 300 {
		d.write("A", "create", flow.Created, fmt.Sprintf("x-%03d", i), 1)
	}
	u, _ := testUI(d, "mono", 120, 36)
	u.press("4")
	mustSee(t, u, "the last 100 versions shown", "…4371", "… older ones, readable", "/x-299 ")
	u.press("g")
	mustSee(t, u, "not shown …", "/x-239 ", "rv 4371", "CCC…")
	if s := u.screenText(); strings.Contains(s, "/x-299  ") {
		t.Errorf("a lane is of an object that is not in view:\n%s", s)
	}
	u.press("G")
	mustSee(t, u, "/x-299 ")
}
