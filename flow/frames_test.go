package flow_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"kubarium/flow"
)

// A thousand streams with the same events keep their last frames in about 7 KiB each.
func TestWatch_framesAreSmall(t *testing.T) {
	const streams, events = 200, 300
	l := flow.NewLog(flow.Limits{})
	watches := make([]*flow.Watch, streams)
	for i := range watches {
		watches[i] = l.OpenWatch(flow.WatchInfo{})
	}
	before := heap()
	for n := range events {
		f := flow.Frame{Type: "MODIFIED", Revision: int64(n), Namespace: "default", Name: fmt.Sprintf("c-%d", n),
			Size: 1400, Written: time.Now()}
		for _, w := range watches {
			w.Wrote(f)
		}
	}
	if each := (heap() - before) / streams; each > 8<<10 {
		t.Errorf("the frames of a stream take %d bytes", each)
	}
	runtime.KeepAlive(watches)
}

// Frames come back as they were written, regardless of which stream had an event first.
func TestWatch_framesAreWhatWasWritten(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	a, b := l.OpenWatch(flow.WatchInfo{}), l.OpenWatch(flow.WatchInfo{})
	start := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	frames := []flow.Frame{
		{Type: "ADDED", Revision: 7, Namespace: "default", Name: "a", Size: 100, Committed: at(0), Written: at(1)},
		{Type: "MODIFIED", Revision: 7 + 64, Namespace: "default", Name: "b", Size: 200, Committed: at(1),
			Written: at(2)},
		{Type: "DELETED", Revision: 7, Namespace: "default", Name: "a", Size: 300, Committed: at(0), Written: at(3)},
		{Type: "BOOKMARK", Revision: 7, Size: 50, Written: at(4)},
	}
	for i, f := range frames {
		a.Wrote(f)
		f.Size++
		b.Wrote(f)
		frames[i].Number = uint64(i + 1)
	}
	for i, want := range frames {
		if got := a.Frames()[i]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		want.Size++
		if got := b.Frames()[i]; got != want {
			t.Errorf("the other stream: %+v, want %+v", got, want)
		}
	}
}
