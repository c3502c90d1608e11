package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
)

// eventually reads until the answer changes, and waits a little longer than the interval at the end.
func eventually(s *story, reads int, interval time.Duration, read, change func()) {
	for i := range reads {
		if i == reads-1 {
			change()
		}
		read()
		s.wait(interval)
	}
	s.wait(interval)
}

// A test's waiting is told apart from polling.
func TestPolling_waiting(t *testing.T) {
	waiting := func(agent string, reads int, interval time.Duration, times int) func(s *story) {
		return func(s *story) {
			a, b := s.client(agent), s.client("b/1")
			b.write("create", cm, web, "", data(0))
			for i := range times {
				eventually(s, reads, interval, func() { a.get(cm, web) }, func() { b.write("update", cm, web, "", data(i+1)) })
				s.wait(time.Minute)
			}
		}
	}
	const looks = "This looks like the waiting of a test, as Eventually of a test does; a controller should watch instead."
	hear(t, "polling", map[string]tale{
		"until the answer changes": {waiting("a/1", 40, 250*time.Millisecond, 1),
			[]string{"note a/1 configmaps default/web: a/1 sent the same get of configmaps default/web 40 times, about every " +
				"251 ms, until the answer changed. " + looks}},
		"again and again":       {waiting("a/1", 40, 250*time.Millisecond, 9), []string{"note a/1 configmaps default/web: 360 times"}},
		"a few reads":           {waiting("a/1", 9, 250*time.Millisecond, 9), nil},
		"at a long interval":    {waiting("a/1", 20, 1500*time.Millisecond, 1), []string{"warning a/1 configmaps default/web: 18 of the"}},
		"for longer than tests": {waiting("a/1", 200, 250*time.Millisecond, 1), []string{"warning a/1 configmaps default/web: 198 of"}},
		"of what is not there": {func(s *story) {
			eventually(s, 30, 250*time.Millisecond, func() { s.client("a/1").get(cm, web) },
				func() { s.client("b/1").write("create", cm, web, "", data(0)) })
		}, []string{"note a/1 configmaps default/web: " + looks}},
		"of a list": {func(s *story) {
			items := 3
			eventually(s, 30, 250*time.Millisecond, func() { s.rv++; s.client("a/1").list(cm, "", items) }, func() { items++ })
		}, []string{"note a/1 configmaps: " + looks}},
		"without an end, by a test": {func(s *story) {
			for range 20 {
				s.client("suite.test/v0").get(cm, web)
				s.wait(250 * time.Millisecond)
			}
		}, []string{"note suite.test/v0 configmaps default/web: about every 251 ms. " + looks}},
		"without an end, by another": {func(s *story) {
			for range 40 {
				s.client("suite/v0").get(cm, web)
				s.wait(250 * time.Millisecond)
			}
		}, []string{"warning suite/v0 configmaps default/web: 39 of the answers were as the one before."}},
		"next to polling": {func(s *story) {
			waiting("a/1", 40, 250*time.Millisecond, 2)(s)
			for range 20 {
				s.client("a/1").get(cm, web)
				s.wait(2 * time.Second)
			}
		}, []string{"warning a/1 configmaps default/web: 20 times, about every 2.0 s; 19 of the answers were as the one " +
			"before. 80 more looked like the waiting of a test, as Eventually of a test does."}},
		"for many objects": {func(s *story) {
			for i := range 9 {
				name := fmt.Sprintf("default/o%d", i)
				eventually(s, 12, 250*time.Millisecond, func() { s.client("a/1").get(cm, name) },
					func() { s.client("b/1").write("create", cm, name, "", data(0)) })
			}
			for i := range 3 {
				for range 12 {
					s.client("a/1").get(cm, fmt.Sprintf("default/p%d", i))
					s.wait(time.Second)
				}
			}
		}, []string{"warning a/1 configmaps: The same holds for 2 more: configmaps default/p1, configmaps default/p2.",
			"note a/1 configmaps, waited for: The same holds for 8 more: configmaps default/o1"}},
		"reads between refused writes": {func(s *story) {
			for range 20 {
				s.client("a/1").get(cm, web)
				s.client("a/1").tell("update", cm, web, 422)
				s.wait(time.Second)
			}
		}, nil},
	})
}

// The reads of a test that waits do not count in other findings.
func TestWaiting_elsewhere(t *testing.T) {
	lists := func(watch bool, times, reads int) func(s *story) {
		return func(s *story) {
			a, items := s.client("a/1"), 600
			a.list(cm, "", items, query("limit=500"))
			if watch {
				a.watch(cm, "", "allowWatchBookmarks=true&resourceVersion=100")
			}
			s.wait(time.Minute)
			for range times {
				eventually(s, reads, 250*time.Millisecond, func() { a.list(cm, "", items) }, func() { items++ })
				s.wait(time.Minute)
			}
			a.get(cm, web)
		}
	}
	hear(t, "repeated-lists", map[string]tale{
		"waiting":  {lists(true, 6, 5), nil},
		"two each": {lists(true, 6, 2), []string{"warning a/1 configmaps: 12 times"}},
		"in a run that ends": {func(s *story) {
			lists(true, 1, 12)(s)
			items := 600
			eventually(s, 12, 250*time.Millisecond, func() { s.client("a/1").list(cm, "", items) }, func() { items++ })
		}, nil},
	})
	hear(t, "lists-without-limit", map[string]tale{
		"waiting":  {lists(false, 6, 5), nil},
		"one each": {lists(false, 6, 1), []string{"warning a/1 configmaps: a/1 listed configmaps 6 times without a limit and got up to 606"}},
	})
	hear(t, "conflicts", map[string]tale{"waiting for a controller that retries": {func(s *story) {
		a := s.client("a/1")
		a.write("create", cm, web, "", data(0))
		a.refuse("update", cm, web, flow.StaleRevision)
		for range 12 {
			s.wait(250 * time.Millisecond)
			a.get(cm, web)
		}
		a.write("update", cm, web, "", data(1), s.versioned(cm, web))
	}, []string{"note a/1 configmaps default/web: until one was accepted it took 4 requests"}}})
	hear(t, "bursts", map[string]tale{"waiting": {func(s *story) {
		a := s.client("a/1")
		a.get(cm, "default/first")
		s.wait(20 * time.Second)
		s.now = s.now.Truncate(time.Second)
		for range 40 {
			for i := range 4 {
				a.get(cm, fmt.Sprintf("default/o%d", i))
			}
			s.wait(10 * time.Millisecond)
		}
	}, nil}})
}
