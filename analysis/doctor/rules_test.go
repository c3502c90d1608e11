package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
)

const (
	cm  = "configmaps"
	web = "default/web"
)

func data(n int) string { return fmt.Sprintf(`"data":{"a":"%d"}`, n) }

func TestConflicts(t *testing.T) {
	retry := func(times int) func(s *story) {
		return func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			a.write("create", cm, web, "", data(0))
			for i := range times {
				b.write("update", cm, web, "", data(i+1), s.versioned(cm, web))
				a.refuse("update", cm, web, flow.StaleRevision)
				a.get(cm, web)
				a.write("update", cm, web, "", data(1000+i), s.versioned(cm, web))
			}
		}
	}
	hear(t, "conflicts", map[string]tale{
		"once": {retry(1), []string{"note a/1 configmaps default/web: 1 write of a/1 to configmaps default/web was " +
			"refused with 409 (stale resourceVersion); until one was accepted it took 3 requests and 3 ms in all."}},
		"often": {retry(12), []string{"warning a/1 configmaps default/web: 12 writes of a/1 to configmaps default/web " +
			"were refused with 409 (stale resourceVersion 12×); until one was accepted it took 36 requests and 36 ms in all."}},
		"many among many more": {func(s *story) {
			retry(12)(s)
			for i := range 100 {
				s.client("a/1").write("update", cm, web, "", data(2000+i), s.versioned(cm, web))
			}
		}, []string{"note a/1 configmaps default/web: 12 writes"}},
		"never accepted": {func(s *story) {
			a := s.client("a/1")
			a.write("create", cm, web, "", data(0))
			a.refuse("patch", cm, web, flow.StaleRevision)
			a.refuse("apply", cm, web, flow.FieldOwnership, query("fieldManager=m"))
		}, []string{
			"note a/1 configmaps default/web: was refused with 409 (stale resourceVersion); no accepted write followed.",
			"note a/1 as m configmaps default/web: was refused with 409 (field manager conflict)",
		}},
		"the last one not accepted": {func(s *story) {
			retry(3)(s)
			s.client("b/1").write("update", cm, web, "", data(1), s.versioned(cm, web))
			s.client("a/1").refuse("update", cm, web, flow.StaleRevision)
		}, []string{"note a/1 configmaps default/web: 4 writes of a/1 to configmaps default/web were refused with 409 " +
			"(stale resourceVersion 4×); 3 were followed by an accepted write, after 9 requests and 9 ms in all; the last " +
			"one by none."}},
		"the same version again": {again(4, nil),
			[]string{"warning a/1 configmaps default/web: 5 writes of a/1 to configmaps default/web were refused with 409 " +
				"(stale resourceVersion 5×); 4 of them sent the resourceVersion that had just been refused, without reading the " +
				"object in between; no accepted write followed."}},
		"once again": {again(1, nil), []string{"note a/1 configmaps default/web: 1 of them sent the resourceVersion that"}},
		"the same version after a read": {again(4, func(a *actor) { a.get(cm, web) }),
			[]string{"note a/1 configmaps default/web: (stale resourceVersion 5×); no accepted write followed."}},
		"the same version after a list": {again(4, func(a *actor) { a.list(cm, "", 3) }),
			[]string{"note a/1 configmaps default/web: (stale resourceVersion 5×); no accepted write followed."}},
		"the same version by several workers": {func(s *story) {
			a := s.client("a/1")
			a.write("create", cm, web, "", data(0))
			at := s.now
			for range 5 {
				a.refuse("update", cm, web, flow.StaleRevision, func(f *flow.Flow) { f.Conflict.Sent, f.SentRevision, f.Start = 7, 7, at })
			}
		}, []string{"note a/1 configmaps default/web: (stale resourceVersion 5×); no accepted write followed."}},
		"is it there": {func(s *story) { create(s, 2) }, nil},
		"creates": {func(s *story) { create(s, 4) },
			[]string{"note a/1 configmaps default/web: 4 creates of configmaps default/web by a/1 were refused with 409: it " +
				"was there already."}},
		// as suites do before each test
		"create, loop": {func(s *story) { create(s, 12) }, []string{"note a/1 configmaps default/web: 12 creates"}},
		"creates and updates": {func(s *story) {
			create(s, 12)
			s.client("a/1").refuse("update", cm, web, flow.StaleRevision)
		},
			[]string{"note a/1 configmaps default/web: 13 writes of a/1 to configmaps default/web were refused with 409 " +
				"(already exists 12×"}},
		"leases": {func(s *story) {
			for range 20 {
				s.client("a/1").refuse("update", "leases.coordination.k8s.io", web, flow.StaleRevision)
			}
		}, nil},
		"Kubarium's own": {func(s *story) {
			for range 20 {
				s.client("kubarium-controller/x").refuse("update", cm, web, flow.StaleRevision)
			}
		}, nil},
	})
}

// again sends an update with one old version again and again.
func again(times int, between func(a *actor)) func(s *story) {
	return func(s *story) {
		a := s.client("a/1")
		a.write("create", cm, web, "", data(0))
		old := func(f *flow.Flow) { f.Conflict.Sent, f.SentRevision = 7, 7 }
		a.refuse("update", cm, web, flow.StaleRevision, old)
		for range times {
			if between != nil {
				between(a)
			}
			a.refuse("update", cm, web, flow.StaleRevision, old)
		}
	}
}

func create(s *story, times int) {
	a := s.client("a/1")
	s.client("b/1").write("create", cm, web, "", data(0))
	for range times {
		a.refuse("create", cm, web, flow.AlreadyExists)
	}
}

func TestUnchanged(t *testing.T) {
	again := func(times int, verb string, changes ...change) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			a.write("create", cm, web, "", data(0))
			for range times {
				a.write(verb, cm, web, "", data(0), changes...)
				s.wait(time.Second)
			}
		}
	}
	hear(t, "writes-that-change-nothing", map[string]tale{
		"twice": {again(2, "update"), nil},
		"some": {again(5, "apply", query("fieldManager=m")),
			[]string{"note a/1 as m configmaps default/web: a/1 as m wrote configmaps default/web 5 times within 4.0 s " +
				"without changing it"}},
		"a loop": {again(12, "patch"),
			[]string{"warning a/1 configmaps default/web: 12 times within 11.0 s"}},
		"dry run":                {again(12, "update", dry), nil},
		"held by another server": {again(12, "update", func(f *flow.Flow) { f.Revision = 0 }), nil},
		"refused":                {again(12, "update", func(f *flow.Flow) { f.Status = 422 }), nil},
		"real changes": {func(s *story) {
			for i := range 20 {
				s.client("a/1").write("update", cm, web, "", data(i))
			}
		}, nil},
	})
}

func TestUnversioned(t *testing.T) {
	two := func(b string) string { return fmt.Sprintf(`"data":{"a":"1","b":%q}`, b) }
	hear(t, "updates-without-version", map[string]tale{
		"lost": {func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			a.write("create", cm, web, "", two("1"))
			b.write("update", cm, web, "", two("2"), s.versioned(cm, web))
			a.write("update", cm, web, "", `"data":{"a":"2","b":"1"}`)
		}, []string{"error a/1 configmaps default/web: updated configmaps default/web once without a resourceVersion and " +
			"once put back what b/1 had written: data.b."}},
		"replaced": {func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			a.write("create", cm, web, "", two("1"))
			b.write("update", cm, web, "", two("2"), s.versioned(cm, web))
			a.write("update", cm, web, "", two("3"))
		}, []string{"warning a/1 configmaps default/web: and replaced what b/1 had written: data.b."}},
		"once": {func(s *story) { put(s, 1) },
			[]string{"note a/1 configmaps default/web: once without a resourceVersion; no change of others is known to be lost."}},
		"often": {func(s *story) { put(s, 4) }, []string{"warning a/1 configmaps default/web: 4 times"}},
		"after a gap": {func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			a.write("create", cm, web, "", two("1"))
			b.write("update", cm, web, "", two("2"), s.versioned(cm, web))
			s.miss(3)
			a.write("update", cm, web, "", two("1"))
		}, []string{"note a/1 configmaps default/web: no change of others is known to be lost"}},
		"with its version": {func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			a.write("create", cm, web, "", two("1"))
			b.write("update", cm, web, "", two("2"), s.versioned(cm, web))
			a.write("update", cm, web, "", two("1"), s.versioned(cm, web))
		}, nil},
		"patches": {func(s *story) {
			s.client("b/1").write("create", cm, web, "", two("1"))
			s.client("a/1").write("patch", cm, web, "", two("2"))
		}, nil},
	})
}

func put(s *story, times int) {
	a := s.client("a/1")
	a.write("create", cm, web, "", data(0))
	for i := range times {
		a.write("update", cm, web, "", data(i+1))
	}
}

func TestRepeatedLists(t *testing.T) {
	watching := func(then func(s *story, a *actor, end func(string))) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			a.list(cm, "", 10)
			end := a.watch(cm, "", "allowWatchBookmarks=true&resourceVersion=100")
			s.wait(time.Minute)
			then(s, a, end)
			s.wait(time.Minute)
			a.get(cm, web)
		}
	}
	lists := func(s *story, a *actor, n int, changes ...change) {
		for range n {
			a.list(cm, "", 10, changes...)
			s.wait(time.Minute)
		}
	}
	hear(t, "repeated-lists", map[string]tale{
		"during a watch": {watching(func(s *story, a *actor, _ func(string)) { lists(s, a, 4) }),
			[]string{"warning a/1 configmaps: a/1 listed all of configmaps 4 times while it was watching them: 40 objects " +
				"and 3.9 KiB that its watch had sent already."}},
		"during a streaming watch": {func(s *story) {
			a := s.client("a/1")
			a.watch(cm, "", "sendInitialEvents=true&allowWatchBookmarks=true")
			lists(s, a, 3)
			a.get(cm, web)
		}, []string{"warning a/1 configmaps: 3 times"}},
		"twice": {watching(func(s *story, a *actor, _ func(string)) { lists(s, a, 2) }), nil},
		"in a short run": {watching(func(s *story, a *actor, end func(string)) {
			for range 12 {
				a.list(cm, "", 10)
				s.wait(50 * time.Millisecond)
			}
			end("")
		}), []string{"warning a/1 configmaps: 9 times"}},
		"many caches at once": {watching(func(s *story, a *actor, _ func(string)) {
			for range 12 {
				a.list(cm, "", 10)
			}
			s.wait(90 * time.Millisecond)
			for range 12 {
				a.watch(cm, "", "allowWatchBookmarks=true&resourceVersion=100")
			}
			s.wait(time.Minute)
			a.get(cm, web)
		}), nil},
		"after the watch": {watching(func(s *story, a *actor, end func(string)) {
			end("The resourceVersion 1 is too old, expired")
			lists(s, a, 4)
		}), nil},
		"of others": {watching(func(s *story, _ *actor, _ func(string)) { lists(s, s.client("b/1"), 9) }), nil},
		"pages": {watching(func(s *story, a *actor, _ func(string)) {
			lists(s, a, 9, func(f *flow.Flow) { f.Page.Next = "x" })
		}), nil},
		"other selector": {watching(func(s *story, a *actor, _ func(string)) { lists(s, a, 9, query("labelSelector=a")) }),
			nil},
		"more caches": {watching(func(s *story, a *actor, _ func(string)) {
			for range 5 {
				a.list(cm, "", 10)
				a.watch(cm, "", "allowWatchBookmarks=true&resourceVersion=100")
				s.wait(time.Minute)
			}
		}), nil},
		"after a gap": {watching(func(s *story, a *actor, _ func(string)) { s.miss(1); lists(s, a, 9) }), nil},
	})
}

func TestUnlimitedLists(t *testing.T) {
	lists := func(n, items int, changes ...change) func(s *story) {
		return func(s *story) {
			for range n {
				s.client("a/1").list("pods", "", items, changes...)
			}
		}
	}
	hear(t, "lists-without-limit", map[string]tale{
		"once": {lists(1, 600),
			[]string{"note a/1 pods: a/1 listed pods once without a limit and got up to 600 objects at once, 58.6 KiB in all."}},
		"often":        {lists(3, 600), []string{"warning a/1 pods: 3 times"}},
		"small":        {lists(9, 499), nil},
		"with a limit": {lists(9, 500, query("limit=500"), func(f *flow.Flow) { f.Page.Limit = 500 }), nil},
		"from cache":   {lists(9, 9000, query("resourceVersion=0")), nil},
	})
}

func TestPolling(t *testing.T) {
	every := func(n int, gap time.Duration, then func(s *story, a *actor, i int)) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			s.client("b/1").write("create", cm, web, "", data(0))
			for i := range n {
				a.get(cm, web)
				if then != nil {
					then(s, a, i)
				}
				s.wait(gap)
			}
		}
	}
	hear(t, "polling", map[string]tale{
		"gets": {every(20, time.Second, nil),
			[]string{"warning a/1 configmaps default/web: a/1 sent the same get of configmaps default/web 20 times, about " +
				"every 1.0 s; 19 of the answers were as the one before."}},
		"of a subresource": {func(s *story) {
			for range 20 {
				s.client("a/1").get(cm+"/status", web)
				s.wait(time.Second)
			}
		}, []string{"warning a/1 configmaps default/web: a/1 sent the same get of status of configmaps default/web 20 times"}},
		"twice, with others between": {func(s *story) {
			every(20, time.Second, nil)(s)
			for i := range 20 {
				s.wait(time.Minute)
				s.client("a/1").get(cm, fmt.Sprint("default/other-", i))
			}
			every(20, time.Second, nil)(s)
		}, []string{"warning a/1 configmaps default/web: 40 times, about every 1.0 s; 38 of the answers"}},
		"short":    {every(20, 20*time.Millisecond, nil), []string{"note a/1 configmaps default/web: 20 times"}},
		"few":      {every(9, time.Second, nil), nil},
		"rare":     {every(20, 10*time.Minute, nil), nil},
		"no pause": {every(50, 0, nil), nil},
		"own writes": {every(20, time.Second, func(s *story, a *actor, i int) { a.write("patch", cm, web, "", data(i)) }),
			nil},
		"own status": {every(20, time.Second,
			func(s *story, a *actor, i int) { a.write("patch", cm+"/status", web, "", data(i)) }), nil},
		"uneven": {every(30, 0, func(s *story, a *actor, i int) { s.wait(time.Duration(1+i%4*3) * time.Second) }), nil},
		"lists": {func(s *story) {
			for range 15 {
				s.client("a/1").list("pods", "default/", 3, query("labelSelector=a%3Db"))
				s.wait(2 * time.Second)
			}
		}, []string{"warning a/1 pods in namespace default: the same list of pods in namespace default 15 times, about " +
			"every 2.0 s"}},
		"not there yet": {func(s *story) {
			for range 15 {
				s.client("a/1").get(cm, "default/none")
				s.wait(time.Second)
			}
		}, []string{"warning a/1 configmaps default/none: 15 times"}},
		"two sequences": {func(s *story) {
			every(12, time.Second, nil)(s)
			s.wait(time.Hour)
			every(12, time.Second, nil)(s)
		}, []string{"warning a/1 configmaps default/web: 24 times"}},
		"leases": {func(s *story) {
			for range 50 {
				s.client("a/1").get("leases.coordination.k8s.io", web)
				s.wait(2 * time.Second)
			}
		}, nil},
		"metrics": {func(s *story) {
			for range 50 {
				s.client("a/1").list("pods.metrics.k8s.io", "default/", 3)
				s.wait(15 * time.Second)
			}
		}, nil},
		"health": {func(s *story) {
			for range 50 {
				f := s.client("a/1").tell("get", "", "", 200)
				f.Path, f.Target = "/readyz", flow.Target{Verb: "get"}
				s.wait(time.Second)
			}
		}, nil},
		"many objects": {func(s *story) {
			for range 12 {
				for n := range 7 {
					s.client("a/1").get("pods", fmt.Sprintf("default/p%d", n))
				}
				s.wait(time.Second)
			}
		}, []string{"warning a/1 pods: The same holds for 6 more: pods default/p1, pods default/p2, pods default/p3, and 3 more."}},
	})
}

func TestUnmarkedWatches(t *testing.T) {
	hear(t, "watches-without-bookmarks", map[string]tale{
		"long": {func(s *story) {
			s.client("a/1").watch(cm, "", "resourceVersion=100")
			s.wait(2 * time.Minute)
			s.client("b/1").get(cm, web)
		}, []string{"note a/1 configmaps: a/1 watched configmaps once without asking for bookmarks, for up to 2 min 0 s."}},
		"resumed": {func(s *story) {
			for range 4 {
				end := s.client("a/1").watch(cm, "", "resourceVersion=100")
				s.wait(10 * time.Second)
				end("timeout")
			}
		}, []string{"warning a/1 configmaps: 4 times without asking for bookmarks, for up to 10.0 s; it went on 3 times " +
			"after an end."}},
		"expired": {func(s *story) {
			end := s.client("a/1").watch(cm, "", "resourceVersion=100")
			s.wait(time.Second)
			end("the revision is expired")
		}, []string{"warning a/1 configmaps: once it met 410 Gone."}},
		"begun again": {func(s *story) {
			for range 9 {
				s.client("a/1").list(cm, "", 3)
				end := s.client("a/1").watch(cm, "", "resourceVersion=100")
				s.wait(10 * time.Second)
				end("client went away")
			}
		}, nil},
		"short": {func(s *story) {
			s.client("a/1").watch(cm, "", "resourceVersion=100")("client went away")
		}, nil},
		"of kubectl": {func(s *story) {
			for range 4 {
				end := s.client("kubectl/v1.37.0").watch(cm, "", "resourceVersion=100")
				s.wait(2 * time.Minute)
				end("timeout")
			}
		}, nil},
		"with bookmarks": {func(s *story) {
			s.client("a/1").watch(cm, "", "allowWatchBookmarks=true&resourceVersion=100")
			s.wait(time.Hour)
			s.client("b/1").get(cm, web)
		}, nil},
	})
}

func TestExpired(t *testing.T) {
	gone := func(s *story, rv string) {
		a := s.client("a/1")
		a.tell("watch", cm, "", 410, query("resourceVersion="+rv))
	}
	hear(t, "expired-versions", map[string]tale{
		"the same version": {func(s *story) {
			for range 5 {
				gone(s, "7")
				s.wait(time.Second)
			}
		}, []string{"error a/1 configmaps: a/1 got 410 Gone for configmaps 5 times, 4 times for a version that had been " +
			"answered so already."}},
		"once again": {func(s *story) { gone(s, "7"); gone(s, "7") }, []string{"warning a/1 configmaps: once for a version"}},
		"as an event": {func(s *story) {
			for range 2 {
				s.client("a/1").watch(cm, "", "resourceVersion=7")("the revision is expired")
			}
		}, []string{"warning a/1 configmaps: once for a version"}},
		"a burst of lists": {func(s *story) {
			gone(s, "7")
			for range 6 {
				s.client("a/1").list(cm, "", 10)
			}
		}, []string{"warning a/1 configmaps: and listed everything up to 6 times within 10.0 s after it."}},
		"met well": {func(s *story) {
			gone(s, "7")
			s.client("a/1").list(cm, "", 10)
			s.client("a/1").watch(cm, "", "resourceVersion=100")
		}, nil},
		"met well each time": {func(s *story) {
			for i := range 4 {
				gone(s, fmt.Sprint(i))
				s.client("a/1").watch(cm, "", "sendInitialEvents=true")("timeout")
				s.wait(time.Minute)
			}
		}, []string{"note a/1 configmaps: 4 times, and started again with a list each time, as it should."}},
		"after a gap": {func(s *story) { gone(s, "7"); s.miss(1); gone(s, "7") }, nil},
	})
}

func TestStatusWrites(t *testing.T) {
	both := func(spec, ready int) string { return fmt.Sprintf(`"spec":{"n":%d},"status":{"ready":%d}`, spec, ready) }
	begin := func(s *story) *actor {
		a := s.client("a/1")
		a.write("create", deploy, web, "", both(1, 1))
		return a
	}
	hear(t, "status-through-main-resource", map[string]tale{
		"update": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), s.versioned(deploy, web),
				sent(`{"metadata":{"name":"web"},"spec":{"n":2},"status":{"ready":3}}`))
		}, []string{"warning a/1 deployments.apps default/web: sent another status with a write of the main resource of " +
			"deployments.apps default/web once, and it was ignored: status.ready."}},
		"patch": {func(s *story) {
			begin(s).write("patch", deploy, web, "", both(2, 1), sent(`{"spec":{"n":2},"status":{"ready":3}}`))
		}, []string{"warning a/1 deployments.apps default/web: status.ready"}},
		"JSON patch": {func(s *story) {
			begin(s).write("patch", deploy, web, "", both(2, 1), sent(`[{"op":"replace","path":"/status/ready","value":3}]`))
		}, []string{"warning a/1 deployments.apps default/web: status.ready"}},
		"YAML": {func(s *story) {
			begin(s).write("apply", deploy, web, "", both(2, 1), sent("spec:\n  n: 2\nstatus:\n  ready: 3\n"))
		}, []string{"warning a/1 deployments.apps default/web: status.ready"}},
		"nothing else": {func(s *story) {
			begin(s).write("patch", deploy, web, "", both(1, 1), sent(`{"status":{"ready":3}}`),
				func(f *flow.Flow) { f.ResponseBody = flow.Keep([]byte(s.stored[deploy+" "+web].text)) })
		}, []string{"warning a/1 deployments.apps default/web: status.ready"}},
		"through status": {func(s *story) {
			begin(s).write("update", "deployments/status.apps", web, "", both(1, 3), s.versioned(deploy, web))
		}, nil},
		"kind without it": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 3), s.versioned(deploy, web))
		}, nil},
		"the same": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), s.versioned(deploy, web))
		}, nil},
		"none": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), s.versioned(deploy, web), sent(`{"spec":{"n":2}}`))
		}, nil},
		"zero": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), s.versioned(deploy, web),
				sent(`{"spec":{"n":2},"status":{"ready":0,"x":{},"y":[]}}`))
		}, nil},
		"an older one": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), sent(`{"spec":{"n":2},"status":{"ready":7}}`))
		}, nil},
		"of another version": {func(s *story) {
			begin(s).write("patch", deploy, web, "", both(2, 1), sent(`{"apiVersion":"v2","spec":{"n":2},"status":{"ready":7}}`))
		}, nil},
		"other order of keys": {func(s *story) {
			begin(s).write("update", deploy, web, "", both(2, 1), s.versioned(deploy, web),
				sent(`{"status":{ "ready": 1 },"spec":{"n":2}}`))
		}, nil},
	})
}

func TestForcedApplies(t *testing.T) {
	const owned = `"managedFields":[{"manager":"hpa","operation":"Update","fieldsV1":{"f:data":{"f:a":{}}}}]`
	force := func(times int, manager string, q string) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			for i := range times {
				s.client("hpa/1").write("update", cm, web, owned, data(2*i), s.versioned(cm, web))
				a.write("apply", cm, web, owned, data(2*i+1), query("fieldManager="+manager+q))
			}
		}
	}
	hear(t, "forced-applies", map[string]tale{
		"once": {force(1, "m", "&force=true"),
			[]string{"note a/1 as m configmaps default/web: a/1 as m took fields of configmaps default/web from hpa by " +
				"force, once: data.a."}},
		"often":     {force(3, "m", "&force=true"), []string{"warning a/1 as m configmaps default/web: 3 times: data.a."}},
		"not force": {force(3, "m", ""), nil},
		"its own":   {force(3, "hpa", "&force=true"), nil},
	})
}
