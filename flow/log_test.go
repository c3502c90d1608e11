package flow_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"kubarium/flow"
)

func publish(l *flow.Log, body int) {
	l.Publish(&flow.Flow{Path: "/x", ResponseBody: flow.Keep(make([]byte, body))})
}

// The flows from Since are in order, without gaps, and those that aged out are counted, with concurrent writers.
func TestLog_Since(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 100})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				publish(l, 10)
			}
		})
	}
	var last, missed uint64
	for last < 2000 {
		flows, m := l.Since(last, 7)
		last, missed = last+m.All(), missed+m.All()
		for _, f := range flows {
			if f.Seq != last+1 {
				t.Fatalf("flow %d follows %d", f.Seq, last)
			}
			last = f.Seq
		}
	}
	wg.Wait()
	s := l.Stats()
	if s.Published != 2000 || s.Flows != 100 || s.Evicted != 1900 {
		t.Fatalf("%+v", s)
	}
	if missed > s.Evicted {
		t.Fatalf("missed %d of %d evicted", missed, s.Evicted)
	}
}

// The log is bounded by bytes as well, and keeps at least the newest flow.
func TestLog_bytes(t *testing.T) {
	l := flow.NewLog(flow.Limits{Bytes: 64 << 10})
	for range 100 {
		publish(l, 10<<10)
	}
	if s := l.Stats(); s.Bytes > 64<<10 || s.Flows == 0 || s.Flows > 6 {
		t.Fatalf("%+v", s)
	}
	publish(l, 100<<10)
	if s := l.Stats(); s.Flows != 1 {
		t.Fatalf("%+v", s)
	}
}

// A pinned flow stays when its neighbours age out; pins are bounded.
func TestLog_Pin(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 10, Pinned: 3500})
	publish(l, 1)
	publish(l, 1)
	publish(l, 1)
	if !l.Pin(1) || !l.Pin(2) || !l.Pin(3) || !l.Pin(1) {
		t.Fatal("a flow that is there was not pinned")
	}
	publish(l, 1)
	if l.Pin(4) {
		t.Fatal("pins are not bounded")
	}
	for range 20 {
		publish(l, 1)
	}
	if f := l.Get(2); f == nil || f.Seq != 2 {
		t.Fatal("a pinned flow aged out")
	}
	if l.Get(4) != nil || l.Pin(4) {
		t.Fatal("a flow that aged out is still there")
	}
	l.Unpin(2)
	if l.Get(2) != nil {
		t.Fatal("an unpinned flow is still there")
	}
}

// Publishing never waits for a reader: each reader's channel holds one token. After end it gets none.
func TestLog_Subscribe(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	one, _ := l.Subscribe()
	two, _ := l.Subscribe()
	gone, end := l.Subscribe()
	<-gone
	end()
	for range 1000 {
		publish(l, 1)
	}
	for _, wake := range []<-chan struct{}{one, two} {
		select {
		case <-wake:
		default:
			t.Fatal("no token after a publish")
		}
		select {
		case <-wake:
			t.Fatal("a second token")
		default:
		}
	}
	select {
	case <-gone:
		t.Fatal("a token for a reader that has left")
	default:
	}
}

func TestLog_Commits(t *testing.T) {
	l := flow.NewLog(flow.Limits{Commits: 4})
	for i := range 3 {
		l.Committed(flow.Commit{Revision: int64(i + 1)})
	}
	cs, n := l.Commits(1)
	if len(cs) != 2 || cs[0].Revision != 2 || n != 3 {
		t.Fatalf("%v %d", cs, n)
	}
	for i := range 7 {
		l.Committed(flow.Commit{Revision: int64(i + 4)})
	}
	cs, n = l.Commits(n)
	if len(cs) != 4 || cs[0].Revision != 7 || cs[3].Revision != 10 || n != 10 {
		t.Fatalf("%v %d", cs, n)
	}
	if head, _ := l.Head(); head != 10 {
		t.Fatalf("head %d", head)
	}
}

func TestWatch_Frames(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	w := l.OpenWatch(flow.WatchInfo{Opened: time.Now(), Start: 5})
	for i := range 300 {
		w.Wrote(flow.Frame{Type: "ADDED", Revision: int64(i + 6), Size: 10})
	}
	w.Wrote(flow.Frame{Type: "BOOKMARK", Revision: 400, Size: 1})
	frames := w.Frames()
	if len(frames) != 256 || frames[255].Number != 301 || frames[0].Number != 46 {
		t.Fatalf("%d frames, %+v … %+v", len(frames), frames[0], frames[len(frames)-1])
	}
	s := w.State()
	if s.Sent != 300 || s.Bookmarks != 1 || s.Last != 400 || s.LastEvent != 305 || s.Bytes != 3001 {
		t.Fatalf("%+v", s)
	}
	w.Close(time.Now(), "timeout")
	w.Close(time.Now(), "other")
	if s := w.State(); s.Cause != "timeout" || len(l.Watches(time.Minute)) != 1 {
		t.Fatalf("%+v", s)
	}
}

// Bodies of Kubarium's own requests are cut earlier than those of others.
func TestRecorder_ownBodies(t *testing.T) {
	for agent, want := range map[string]int{"kubarium-controller/bootstrap": 16 << 10,
		"kubarium-ui/replay (#1)": 100 << 10, "kubectl/v1.37": 100 << 10} {
		l := flow.NewLog(flow.Limits{})
		r := l.Begin(nil)
		r.Flow.Client.UserAgent = agent
		r.Flow.ResponseBody = flow.Keep(make([]byte, 100<<10))
		r.Publish(flow.Whole)
		got := l.Get(1).ResponseBody
		if len(got.Kept) != want || got.Total != 100<<10 || got.Cut != (want < 100<<10) {
			t.Errorf("%s: %d bytes of %d kept, cut %v", agent, len(got.Kept), got.Total, got.Cut)
		}
	}
}

func TestRecorder(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	now := time.Unix(0, 0)
	r := l.Begin(func() time.Time { now = now.Add(time.Millisecond); return now })
	ctx := flow.With(context.Background(), r)
	flow.From(ctx).Enter("store")
	flow.From(ctx).Enter("commit")
	flow.From(ctx).Leave("42", nil)
	flow.From(ctx).Leave("", fmt.Errorf("no"))
	flow.From(ctx).Statement("SELECT ?", 1, 0, bytes.Repeat([]byte("x"), 500))
	r.Publish(flow.Whole)
	f := l.Get(1)
	if len(f.Stations) != 2 || f.Stations[1].Depth != 1 || f.Stations[1].Note != "42" || !f.Stations[0].Failed ||
		f.Stations[0].Length < f.Stations[1].Length {
		t.Fatalf("%+v", f.Stations)
	}
	if len(f.Statements) != 1 || len(f.Statements[0].Args[0]) > 160 {
		t.Fatalf("%+v", f.Statements)
	}
	var none *flow.Recorder // a request without a record
	none.Enter("x")
	none.Leave("", nil)
	none.Statement("", 0, 0)
	none.Publish(flow.Whole)
}

func TestTag(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	for _, c := range []struct{ agent, session, want string }{
		{"kubectl/v1.32", "s1", "k1"}, {"kubectl/v1.32", "s2", "k2"}, {"kubectl/v1.32", "s1", "k1"},
		{"kubectl-1.37/v1", "s3", "k3"},
		{"kubarium-lesson/A", "", "A"}, {"kubarium-ui", "", "ui"}, {flow.ReplayAgent + " (#12)", "", "you"},
		{flow.ActionAgent, "", "you"}, {"kubarium-controller/pods", "", "pods"},
		{"curl/8.1", "", "c1"}, {"manager/v0", "", "man1"}, {"", "", "x1"},
	} {
		if got := l.Tag(flow.Client{UserAgent: c.agent, Session: c.session}); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.agent, c.session, got, c.want)
		}
	}
}

// BenchmarkPublish is the cost of recording a request: begin, ten stations, publish.
func BenchmarkPublish(b *testing.B) {
	l := flow.NewLog(flow.Limits{})
	body := flow.Keep(make([]byte, 1400))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := l.Begin(nil)
			for range 10 {
				r.Enter("station")
				r.Leave("note", nil)
			}
			r.Flow.ResponseBody = body
			r.Publish(flow.Whole)
		}
	})
}
