package flow_test

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
)

// A planted run: each event has its millisecond, with a commit at each even hundred.
type planted struct {
	log   *flow.Log
	began time.Time
	watch *flow.Watch
}

func (p *planted) at(ms int) time.Time { return p.began.Add(time.Duration(ms) * time.Millisecond) }

// commit publishes a request between two milliseconds that commits revisions at the given ones.
func (p *planted) commit(from, to int, commits map[int64]int) {
	f := &flow.Flow{Start: p.at(from), Duration: time.Duration(to-from) * time.Millisecond, Method: "PUT"}
	for rv := int64(1); rv < 100; rv++ {
		if ms, ok := commits[rv]; ok {
			c := flow.Commit{Revision: rv, Type: flow.Updated, Resource: "configmaps", Name: "a", At: p.at(ms)}
			p.log.Committed(c)
			f.Effects, f.Revision = append(f.Effects, flow.Effect{Commit: c}), rv
		}
	}
	p.log.Publish(f)
}

func (p *planted) read(from, to int, revision int64) {
	p.log.Publish(&flow.Flow{Start: p.at(from), Duration: time.Duration(to-from) * time.Millisecond, Method: "GET",
		Revision: revision})
}

func (p *planted) frame(ms int, typ string, revision int64) {
	p.watch.Wrote(flow.Frame{Type: typ, Revision: revision, Size: 10, Written: p.at(ms)})
	p.watch.Reached(revision, 0)
}

func plant() *planted {
	p := &planted{began: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	p.log = flow.NewLog(flow.Limits{Now: func() time.Time { return p.at(1100) }})
	p.commit(190, 210, map[int64]int{1: 200}) // #1
	p.read(220, 230, 1)                       // #2
	p.watch = p.log.OpenWatch(flow.WatchInfo{Opened: p.at(250), Start: 1})
	p.log.Publish(&flow.Flow{Phase: flow.WatchOpened, Start: p.at(240), Duration: 10 * time.Millisecond, Revision: 1, Watch: p.watch}) // #3
	p.log.Publish(&flow.Flow{Start: p.at(260), Duration: time.Millisecond, Status: 409, Conflict: &flow.Conflict{Stored: 1}})          // #4
	p.commit(390, 410, map[int64]int{2: 400})                                                                                          // #5
	p.frame(405, "MODIFIED", 2)
	p.read(300, 450, 1) // #6: it took long
	p.frame(460, "BOOKMARK", 2)
	p.commit(590, 820, map[int64]int{3: 600, 4: 800}) // #7: two changes in one request
	p.frame(700, "MODIFIED", 3)
	p.frame(900, "MODIFIED", 4)
	p.watch.Close(p.at(950), "client went away")
	p.log.Publish(&flow.Flow{Phase: flow.WatchClosed, Start: p.at(240), Duration: 710 * time.Millisecond, Revision: 1, Watch: p.watch}) // #8
	p.commit(990, 1010, map[int64]int{5: 1000})                                                                                         // #9
	return p
}

// A Log cut at a revision has the flows that had ended while it was the newest, and the watches with their state then.
func TestLog_Until(t *testing.T) {
	p := plant()
	for _, c := range []struct {
		revision int64
		next     int // the millisecond of the next commit; 0 for none
		flows    string
		commits  int
		watch    string // sent bookmarks last lastEvent position ended
	}{
		{1, 400, "1 2 3 4", 1, "0 0 0 0 1 "},
		{2, 600, "1 2 3 4 5 6", 2, "1 1 2 2 2 "},
		{3, 800, "1 2 3 4 5 6", 3, "2 1 3 3 3 "},
		{4, 1000, "1 2 3 4 5 6 7 8", 4, "3 1 4 4 4 client went away"},
		{5, 0, "1 2 3 4 5 6 7 8 9", 5, "3 1 4 4 4 client went away"},
	} {
		var next time.Time
		if c.next > 0 {
			next = p.at(c.next)
		}
		log := p.log.Until(c.revision, next)
		flows, missed := log.Since(0, 0)
		have := ""
		for _, f := range flows {
			have += fmt.Sprint(" ", f.Seq)
			if live := p.log.Get(f.Seq); f.Watch == nil && live != f {
				t.Errorf("rv %d: #%d is another record", c.revision, f.Seq)
			} else if f.Watch != nil && f.Watch == live.Watch {
				t.Errorf("rv %d: #%d has the watch of the run", c.revision, f.Seq)
			}
		}
		if have != " "+c.flows || missed.All() > 0 {
			t.Errorf("rv %d: flows%s, %d missed", c.revision, have, missed.All())
		}
		if cs, _ := log.Commits(0); len(cs) != c.commits {
			t.Errorf("rv %d: %d commits", c.revision, len(cs))
		}
		if head, _ := log.Head(); head != c.revision {
			t.Errorf("rv %d: head %d", c.revision, head)
		}
		watches := log.Watches(flow.Forever)
		if len(watches) != 1 {
			t.Fatalf("rv %d: %d watches", c.revision, len(watches))
		}
		s := watches[0].State()
		if have := fmt.Sprint(s.Sent, s.Bookmarks, s.Last, s.LastEvent, s.Position, " ", s.Cause); have != c.watch {
			t.Errorf("rv %d: the watch is at %s, want %s", c.revision, have, c.watch)
		}
		if n := len(watches[0].Frames()); n != int(s.Sent+s.Bookmarks) || s.Bytes != uint64(10*n) ||
			watches[0].Short() {
			t.Errorf("rv %d: %d frames, %d bytes", c.revision, n, s.Bytes)
		}
	}
	if s := p.watch.State(); s.Sent != 3 || s.Ended.IsZero() || len(p.watch.Frames()) != 4 {
		t.Errorf("the run's own watch is changed: %+v", s)
	}
}

// Before the first of all there is nothing.
func TestLog_Until_nothing(t *testing.T) {
	p := plant()
	log := p.log.Until(0, p.at(200))
	flows, _ := log.Since(0, 0)
	if watches := log.Watches(flow.Forever); len(watches) != 0 || len(flows) != 0 {
		t.Errorf("%d flows, %d watches", len(flows), len(watches))
	}
}

// A watch that lags at the cut is positioned before the change that it had not been sent.
func TestLog_Until_behind(t *testing.T) {
	p := &planted{log: flow.NewLog(flow.Limits{}), began: time.Now()}
	p.watch = p.log.OpenWatch(flow.WatchInfo{Opened: p.began})
	for rv := range int64(3) {
		ms := 100 * int(rv+1)
		p.commit(ms-1, ms+1, map[int64]int{rv + 1: ms})
	}
	p.frame(150, "MODIFIED", 1)
	p.frame(350, "MODIFIED", 2)
	p.frame(360, "MODIFIED", 3)
	s := p.log.Until(2, p.at(300)).Watches(flow.Forever)[0].State()
	if s.Position != 1 || s.Sent != 1 || s.Last != 1 {
		t.Errorf("%+v", s)
	}
}

// If frames from before the cut are no longer kept, the record says that its counters are bounds.
func TestLog_Until_short(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	began := time.Now().Add(-time.Hour)
	w := log.OpenWatch(flow.WatchInfo{Opened: began})
	for i := range 300 {
		at := began.Add(time.Duration(i+1) * time.Second)
		log.Committed(flow.Commit{Revision: int64(i + 1), At: at})
		w.Wrote(flow.Frame{Type: "MODIFIED", Revision: int64(i + 1), Size: 1, Written: at})
		w.Reached(int64(i+1), 0)
	}
	was := log.Until(20, began.Add(21*time.Second)).Watches(flow.Forever)[0]
	if s := was.State(); !was.Short() || s.Sent != 44 || s.Last != 20 || len(was.Frames()) != 0 {
		t.Errorf("short %v, %+v", was.Short(), s)
	}
	was = log.Until(200, began.Add(201*time.Second)).Watches(flow.Forever)[0]
	if s := was.State(); was.Short() || s.Sent != 200 || s.Last != 200 {
		t.Errorf("short %v, %+v", was.Short(), s)
	}
}

func BenchmarkLog_Until(b *testing.B) {
	log := flow.NewLog(flow.Limits{Flows: 10_000, Bytes: 1 << 30})
	at := time.Now()
	for i := range 10_000 {
		at = at.Add(time.Millisecond)
		c := flow.Commit{Revision: int64(i + 1), At: at}
		log.Committed(c)
		log.Publish(&flow.Flow{Start: at, Effects: []flow.Effect{{Commit: c}}})
	}
	for b.Loop() {
		log.Until(5000, at.Add(-5*time.Second))
	}
}
