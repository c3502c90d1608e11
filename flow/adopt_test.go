package flow_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"kubarium/flow"
)

// told returns a flow of another run.
func told(seq uint64, own bool) *flow.Flow {
	f := &flow.Flow{Seq: seq, Path: "/version"}
	if own {
		f.Client.UserAgent = flow.UIAgent
	}
	return f
}

func seqs(flows []*flow.Flow) (all []uint64) {
	for _, f := range flows {
		all = append(all, f.Seq)
	}
	return all
}

// Adopted flows keep their numbers, and gaps between them count as missed only if that was reported.
func TestLog_Adopt(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	l.AdoptMissed(flow.Missed{Own: 2, Others: 5}, 5_000_000)
	for _, seq := range []uint64{5_000_001, 5_000_002, 5_000_070, 5_900_000} {
		if !l.Adopt(told(seq, seq == 5_000_002)) {
			t.Errorf("%d is refused", seq)
		}
	}
	for _, seq := range []uint64{0, 12, 5_000_003, 5_900_000, 1 << 63, 1<<64 - 1} {
		if l.Adopt(told(seq, false)) {
			t.Errorf("%d is adopted again", seq)
		}
	}
	flows, missed := l.Since(0, 0)
	if got := seqs(flows); !slices.Equal(got, []uint64{5_000_001, 5_000_002, 5_000_070, 5_900_000}) ||
		missed != (flow.Missed{Own: 2, Others: 5}) {
		t.Errorf("%v, missed %+v", got, missed)
	}
	if flows, missed = l.Since(5_000_001, 1); len(flows) != 1 || flows[0].Seq != 5_000_002 || missed.All() != 0 {
		t.Errorf("%v, missed %+v", seqs(flows), missed)
	}
	l.AdoptMissed(flow.Missed{Others: 3}, 5_900_100)
	if flows, _ = l.Since(5_900_000, 0); flows != nil {
		t.Errorf("nothing has come, but %v", seqs(flows))
	}
	l.Adopt(told(5_900_120, false))
	if flows, missed = l.Since(5_900_000, 0); len(flows) != 1 || missed != (flow.Missed{Others: 3}) {
		t.Errorf("%v, missed %+v", seqs(flows), missed)
	}
	if f := l.Get(5_000_070); f == nil || f.Seq != 5_000_070 {
		t.Errorf("got %v", f)
	}
	s := l.Stats()
	if s.Published != 15 || s.Newest != 5_900_120 || s.Evicted != 10 || s.EvictedOwn != 2 ||
		s.Flows != 5 || s.Oldest != 5_000_001 || s.OldestOwn != 5_000_002 {
		t.Errorf("%+v", s)
	}
}

// For any order of numbers, gaps and reports, and whatever ages out, each flow is either returned or counted as missed.
func TestLog_Adopt_agesOut(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := flow.NewLog(flow.Limits{Flows: 40})
		var at, seq, toldOf, published uint64
		if seed%2 == 0 { // the run has gone on for a while
			seq = random.Uint64N(1 << 40)
		}
		for range 2000 {
			seq += 1 + random.Uint64N(3)*random.Uint64N(100)
			if n := random.Uint64N(40); n < 3 {
				l.AdoptMissed(flow.Missed{Others: n}, seq+n)
				published += n
				seq += n + 1
			}
			f := told(seq, random.IntN(3) == 0)
			if random.IntN(2) == 0 {
				polled(f)
			}
			l.Adopt(f)
			published++
			if random.IntN(30) == 0 {
				flows, missed := l.Since(at, int(random.Uint64N(3)*30))
				at = flows[len(flows)-1].Seq
				toldOf += uint64(len(flows)) + missed.All()
			}
		}
		flows, missed := l.Since(at, 0)
		toldOf += uint64(len(flows)) + missed.All()
		if s := l.Stats(); toldOf != published || s.Published != published || s.Evicted != published-uint64(s.Flows) {
			t.Fatalf("seed %d: of %d flows, %d are returned; %+v", seed, published, toldOf, s)
		}
	}
}

// Flows reported missing are counted before the flows after the gap.
func TestLog_AdoptMissed_between(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	var last uint64
	for _, again := range []uint64{0, 100} {
		l.AdoptMissed(flow.Missed{Own: 3, Others: 4}, again+20)
		for _, seq := range []uint64{3, 4, 8, 9, 14, 30} {
			if !l.Adopt(told(again+seq, false)) {
				t.Errorf("%d is refused", seq)
			}
		}
		if flows, missed := l.Since(last, 0); len(flows) != 6 || missed != (flow.Missed{Own: 3, Others: 4}) {
			t.Errorf("%v, missed %+v", seqs(flows), missed)
		}
		last = again + 30
	}
	l.AdoptMissed(flow.Missed{Others: 1 << 50}, 140) // more than there are numbers for
	l.Adopt(told(141, false))
	l.Adopt(told(150, false))
	if flows, missed := l.Since(130, 0); len(flows) != 2 || missed.All() != 10 {
		t.Errorf("%v, missed %+v", seqs(flows), missed)
	}
	if s := l.Stats(); s.Published != 2*13+12 {
		t.Errorf("%+v", s)
	}
}

// A Log with flows of its own may adopt later flows of another run.
func TestLog_Adopt_afterPublish(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 5})
	for range 100 {
		l.Publish(told(0, false))
	}
	l.Adopt(told(300, false))
	l.Publish(told(0, true))
	flows, missed := l.Since(0, 0)
	if got := seqs(flows); !slices.Equal(got, []uint64{98, 99, 100, 300, 301}) || missed.All() != 97 {
		t.Errorf("%v, missed %+v", got, missed)
	}
}

// A Log has one record of each watch, from any of its flows, with the newest known state.
func TestLog_AdoptWatch(t *testing.T) {
	source := flow.NewLog(flow.Limits{})
	for range 6 {
		source.OpenWatch(flow.WatchInfo{})
	}
	live := source.OpenWatch(flow.WatchInfo{Media: "application/json", Opened: time.Unix(1, 0), Start: 12})
	copied := func() *flow.Watch {
		t.Helper()
		w, err := flow.NewWatch(live.WatchInfo, live.State(), live.Frames())
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	write := func(n int) {
		for range n {
			live.Wrote(flow.Frame{Type: "ADDED", Revision: 20, Name: "web", Size: 10, Written: time.Unix(2, 0)})
		}
	}
	l := flow.NewLog(flow.Limits{})
	write(2)
	older := copied()
	write(300)
	opened := told(8, false)
	opened.Phase, opened.Watch = flow.WatchOpened, copied()
	l.Adopt(opened)
	known := opened.Watch
	if got := l.AdoptWatch(older); got != known || known.State().Sent != 302 || len(known.Frames()) != 256 {
		t.Errorf("%p %+v, want %p", got, known.State(), known)
	}
	known.Wrote(flow.Frame{Type: "BOOKMARK", Revision: 25, Size: 1, Written: time.Unix(3, 0)})
	if fs := known.Frames(); fs[len(fs)-1].Number != 303 {
		t.Errorf("a frame that follows is number %d", fs[len(fs)-1].Number)
	}
	write(4)
	live.Reached(30, 1)
	live.Close(time.Unix(9, 0), "timeout")
	closed := told(9, false)
	closed.Phase, closed.Watch = flow.WatchClosed, copied()
	l.Adopt(closed)
	if closed.Watch != known || !reflect.DeepEqual(known.State(), live.State()) ||
		fmt.Sprint(known.Frames()) != fmt.Sprint(live.Frames()) {
		t.Errorf("%+v, want %+v", known.State(), live.State())
	}
	if w := l.OpenWatch(flow.WatchInfo{}); w.ID != 8 {
		t.Errorf("the next watch is %d", w.ID)
	}
	if _, err := flow.NewWatch(live.WatchInfo, flow.WatchState{}, []flow.Frame{{Number: 9}, {Number: 9}}); err == nil {
		t.Error("a watch has only its ninth frame")
	}
}

// A run that is over has its own clock, and keeps its watches.
func TestLog_Watches_clock(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now := noon
	for _, keep := range []time.Duration{0, flow.Forever} {
		l := flow.NewLog(flow.Limits{Now: func() time.Time { return now }, KeepEnded: keep})
		now = noon
		l.OpenWatch(flow.WatchInfo{}).Close(noon, "timeout")
		now = noon.Add(time.Minute)
		if n := len(l.Watches(time.Minute)); n != 1 {
			t.Errorf("%d watches after a minute", n)
		}
		if n := len(l.Watches(time.Second)); n != 0 {
			t.Errorf("%d watches that ended a second ago", n)
		}
		now = noon.Add(24 * time.Hour)
		if n := len(l.Watches(flow.Forever)); n != min(1, int(keep)) {
			t.Errorf("%d watches after a day, when they are kept for %s", n, keep)
		}
	}
}

// Commits that come again, as after a broken stream, are on the timeline once, and the head does not go back.
func TestLog_AdoptCommits(t *testing.T) {
	l := flow.NewLog(flow.Limits{Commits: 4})
	l.SetHead(9, 2)
	l.AdoptCommits(flow.Commit{Revision: 7}, flow.Commit{Revision: 8})
	if head, _ := l.Head(); head != 9 {
		t.Errorf("the head is %d", head)
	}
	for _, again := range []int64{7, 8, 12} {
		l.AdoptCommits(flow.Commit{Revision: again}, flow.Commit{Revision: again + 1}, flow.Commit{Revision: again + 2})
	}
	l.AdoptCommits()
	cs, n := l.Commits(0)
	var revisions []int64
	for _, c := range cs {
		revisions = append(revisions, c.Revision)
	}
	if head, _ := l.Head(); head != 14 || n != 7 || !slices.Equal(revisions, []int64{10, 12, 13, 14}) {
		t.Errorf("head %d, %d commits: %v", head, n, revisions)
	}
}

func TestLog_AdoptMoment(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	l.Adopt(told(40, false))
	if !l.AdoptMoment("Sync", 12) {
		t.Error("there is no room")
	}
	if before, ok := l.Moment("sync"); !ok || before != 12 {
		t.Errorf("%d %t", before, ok)
	}
	for i := range 2000 {
		if ok := l.AdoptMoment(fmt.Sprint("m", i), 1); ok != (i < 999) {
			t.Fatalf("moment %d: %t", i, ok)
		}
	}
}
