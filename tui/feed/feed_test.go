package feed_test

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/story"
)

// The story of a write says who read the version that is written back: its client, another one, or it leaves that out.
func TestFeed_Reader(t *testing.T) {
	d := feed.New()
	seq := uint64(0)
	read := func(who string, rv int64) {
		seq++
		d.Fold([]*flow.Flow{{Seq: seq, Client: flow.Client{Tag: who}, Status: 200, Revision: rv, Target: flow.Target{Verb: "get", Resource: "pods", Name: "web"}}})
	}
	read("k3", 220)
	read("k4", 221)
	read("B", 221)
	read("k5", 221)
	read("late", 222)
	for _, c := range []struct {
		who  string
		sent int64
		want string
	}{
		{"k5", 220, "with a copy of rv 220, which k3 read (#1)."},
		{"B", 221, "with the copy it read at rv 221."},
		{"A", 221, "with a copy of rv 221, which k5 read (#4)."},
		{"A", 222, "with its copy of rv 222."},
		{"A", 219, "with its copy of rv 219."},
	} {
		f := &flow.Flow{Seq: 5, Client: flow.Client{Tag: c.who}, Status: 409, Target: flow.Target{Verb: "update", Resource: "pods", Name: "web"},
			Conflict: &flow.Conflict{Kind: flow.StaleRevision, Sent: c.sent, Stored: 225}}
		if got := strings.Join(story.Teller{Read: d.Reader}.Tell(f), " "); !strings.Contains(got, c.want) {
			t.Errorf("%s, rv %d: %s; want %s", c.who, c.sent, got, c.want)
		}
	}
}
