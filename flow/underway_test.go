package flow_test

import (
	"testing"

	"kubarium/flow"
)

// A request is under way from when it is known who asks for what, until it is published; an open watch is not.
func TestLog_Underway(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	begin := func(path string) *flow.Recorder {
		r := l.Begin(nil)
		r.Flow.Client, r.Flow.Method, r.Flow.Path = flow.Client{Tag: "k1", User: "alice"}, "GET", path
		r.Flow.Target = flow.Target{Verb: "get", Resource: "pods"}
		return r
	}
	paths := func() (s string) {
		for _, u := range l.Underway() {
			if u.Client.User != "alice" || u.Target.Resource != "pods" || u.Method != "GET" || u.Start.IsZero() {
				t.Errorf("%+v", u)
			}
			s += u.Path
		}
		return s
	}
	a, b, c := begin("/a"), begin("/b"), begin("/c")
	a.Known()
	c.Known()
	if got := paths(); got != "/a/c" {
		t.Errorf("%q, want those that are known", got)
	}
	a.Again()
	b.Known()
	if got := paths(); got != "/b/c" {
		t.Errorf("%q after the first began again", got)
	}
	b.Publish(flow.Whole)
	c.Publish(flow.WatchOpened)
	if got := paths(); got != "" {
		t.Errorf("%q, after all were published", got)
	}
	(*flow.Recorder)(nil).Known()
}
