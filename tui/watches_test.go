package tui

import (
	"regexp"
	"testing"
	"time"

	"kubarium/analysis/lag"
	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/watches"
)

// A watch that wanted to begin at what is compacted says so on its lane, and that its client has to list again.
func TestWatches_Expired(t *testing.T) {
	d := newDemo(flow.Limits{})
	w := d.watch("old", "pods", 90)
	w.Wrote(flow.Frame{Type: "ERROR", Size: 200, Written: d.at})
	w.Close(time.Now(), "revision 90: expired (4096)") // the log forgets by its own clock what has ended
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2")
	mustSee(t, u, "✗ 410: rv 90 < compacted 4096", "✗ 410 Gone", "a new list", "the client lists again")
}

// A client that lists anew after a 410 and watches from there has one lane, which tells all of it. Another client's list or
// watch is no part of that.
func TestWatches_Relist(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.at = time.Now() // the log forgets by its own clock what has ended
	w := d.watch("inf", "pods", 90)
	w.Close(d.at.Add(time.Millisecond), "revision 90: expired (4096)")
	d.watch("k1", "pods", 4169)
	d.watch("k9", "pods", 4169).Close(d.at, "client went away")
	d.log.Publish(paged(d.request("k1", "list", "pods", "", 200, 2)))
	u, clock := testUI(d, "mono", 120, 36)
	u.keys("2")
	mustSee(t, u, "✗ 410: rv 90 < compacted 4096", "the client lists again")
	d.log.Publish(paged(d.request("inf", "list", "pods", "", 200, 2)))
	u.fold()
	mustSee(t, u, "✗ 410: rv 90 < compacted 4096  ↻ list")
	clock.at = d.at.Add(time.Minute) // the client took its time
	d.write("A", "create", flow.Created, "web", 1)
	d.watch("inf", "pods", 4170)
	u.fold()
	mustSee(t, u, "✗ 410: 90 < compacted 4096  ↻ list", "✗ 410 Gone at rv 90, compacted up to 4096  ↻ list #5, rv 4170  ◉ watch again after rv 4170")
	if n := len(u.Streams.List); n != 2 { // k9's is over for long
		t.Errorf("%d lanes, want one a client", n)
	}
	if u.pages[page.Watches].(*watches.Page).Selected().Start != 4170 {
		t.Error("the cursor has left the client's lane")
	}
	u, _ = testUI(d, "mono", 80, 24)
	u.keys("2")
	mustSee(t, u, "✗ 410: 90 ↻ list")
}

func paged(f *flow.Flow) *flow.Flow {
	f.Page = &flow.Page{Snapshot: f.Revision, Source: "cache"}
	return f
}

// Whether a watch is behind is told as if it had been counted, for each kind of watch and each revision that it may have
// reached, also for what was committed before the UI looked.
func TestWatches_Behind(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.recalled(flow.ChangeLog{Changes: []flow.LoggedChange{{Revision: 4160, Type: "C", Resource: "pods", Namespace: "default", Name: "db"}}}, nil)
	behind := 0
	for _, target := range []flow.Target{
		{Group: "apps", Resource: "deployments"}, {Group: "apps", Resource: "deployments", Namespace: "default", Name: "web"},
		{Group: "apps", Resource: "deployments", Namespace: "shop"}, {Resource: "pods"}, {Resource: "secrets"},
	} {
		for at := int64(4150); at <= u.Time.Head; at++ {
			x := d.log.OpenWatch(flow.WatchInfo{Target: target, Start: at})
			n, _ := u.Streams.Owed(x, x.State())
			want := 0
			for _, c := range u.Time.Commits {
				if of := lag.ScopeOf(x.Target); c.Revision > at && of.Has(&c) {
					want++
				}
			}
			if n != want || u.Streams.Behind(x, x.State()) != (want > 0) {
				t.Errorf("%+v at %d: owed %d, want %d; behind %v", target, at, n, want, n > 0)
			}
			behind += want
		}
	}
	if behind == 0 {
		t.Error("no watch was behind")
	}
}

// A lane shows where its watch began and each event, whatever was committed before; one that is older than the lane is
// long says so, and shows the newest events.
func TestWatches_LaneFromStart(t *testing.T) {
	for _, c := range []struct {
		patches int
		lane    string
	}{{0, `├▶┃`}, {1, `├─*M▶┃`}, {6, `├(─*M){6}▶┃`}, {60, `‹MMMMM+▶┃`}} {
		for _, start := range []int64{4270, 0} { // a watch names no revision if it begins with all objects
			for _, size := range [][2]int{{80, 24}, {120, 36}} {
				d := newDemo(flow.Limits{})
				for range 100 {
					d.write("A", "create", flow.Created, "before", 1)
				}
				w := d.watch("inf", "deployments", start)
				for range c.patches {
					f := d.write("A", "update", flow.Updated, "web", 2)
					w.Wrote(flow.Frame{Type: "MODIFIED", Revision: f.Revision, Name: "web", Written: d.at})
					w.Reached(f.Revision, 0)
				}
				u, _ := testUI(d, "mono", size[0], size[1])
				u.keys("2")
				if s := u.screenText(); !regexp.MustCompile(c.lane).MatchString(s) {
					t.Errorf("%d patches, start %d, %v: no lane %s:\n%s", c.patches, start, size, c.lane, s)
				}
			}
		}
	}
}

// Of a watch that has ended it is not said that something may still come.
func TestWatches_EndedWithoutEvents(t *testing.T) {
	d := newDemo(flow.Limits{})
	w := d.watch("k1", "pods", 4170)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2")
	mustSee(t, u, "Nothing was written to this stream yet.")
	w.Close(time.Now(), "client went away") // the log forgets by its own clock
	u.fold()
	mustSee(t, u, "Nothing was written to this stream.")
}
