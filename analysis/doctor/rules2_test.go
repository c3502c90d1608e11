package doctor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
)

const deploy = "deployments.apps"

func TestFoughtFields(t *testing.T) {
	turns := func(n int, value func(i int) int, agents ...string) func(s *story) {
		return func(s *story) {
			s.client(agents[0]).write("create", cm, web, "", data(value(0)))
			for i := 1; i < n; i++ {
				s.client(agents[i%len(agents)]).write("update", cm, web, "", data(value(i)), s.versioned(cm, web))
				s.wait(time.Minute)
			}
		}
	}
	two := func(i int) int { return i % 2 }
	hear(t, "fought-fields", map[string]tale{
		"two rounds": {turns(4, two, "a/1", "b/1"),
			[]string{"warning a/1 and b/1 configmaps default/web: data.a of configmaps default/web was set 4 times in turn: " +
				"a/1 sets 0, b/1 sets 1."}},
		"many": {turns(20, two, "a/1", "b/1"),
			[]string{"warning a/1 and b/1 configmaps default/web: 20 times in turn"}},
		"one round":   {turns(3, two, "a/1", "b/1"), nil},
		"progress":    {turns(20, func(i int) int { return i }, "a/1", "b/1"), nil},
		"one manager": {turns(20, two, "a/1"), nil},
		"two managers of one program": {func(s *story) {
			s.client("a/1").write("create", cm, web, "", data(0), query("fieldManager=x"))
			for i := range 6 {
				s.client("a/1").write("patch", cm, web, "", data(i%2), query("fieldManager="+[]string{"x", "y"}[i%2]))
			}
		}, []string{"warning a/1 as x and a/1 as y configmaps default/web: 6 times in turn"}},
		"other fields": {func(s *story) {
			s.client("a/1").write("create", cm, web, "", `"data":{"a":"0","b":"0"}`)
			for i := range 20 {
				s.client([]string{"a/1", "b/1"}[i%2]).write("patch", cm, web, "",
					fmt.Sprintf(`"data":{"a":"%d","b":"%d"}`, (i+1)/2, i/2))
			}
		}, nil},
		"leases": {func(s *story) {
			for i := range 20 {
				s.client([]string{"a/1", "b/1"}[i%2]).write("update", "leases.coordination.k8s.io", web, "", data(i%2))
			}
		}, nil},
		"events": {func(s *story) {
			for i := range 20 {
				s.client([]string{"a/1", "b/1"}[i%2]).write("update", "events.events.k8s.io", web, "", data(i%2))
			}
		}, nil},
		"after a gap": {func(s *story) {
			turns(3, two, "a/1", "b/1")(s)
			s.miss(1)
			s.client("b/1").write("update", cm, web, "", data(1), s.versioned(cm, web))
		}, nil},
	})
}

func TestCircles(t *testing.T) {
	answers := func(rounds int, gap time.Duration, watch bool, tell func(s *story, a, b *actor, i int)) func(s *story) {
		return func(s *story) {
			a, b := s.client("a/1"), s.client("b/1")
			if watch {
				a.watch(cm, "", "sendInitialEvents=true")
				b.watch(cm, "", "sendInitialEvents=true")
			}
			s.client("c/1").write("create", cm, "default/x", "", data(0))
			s.client("c/1").write("create", cm, "default/y", "", data(0))
			s.client("c/1").write("update", cm, "default/y", "", data(-1))
			for i := range rounds {
				tell(s, a, b, i)
				s.wait(gap)
			}
		}
	}
	pair := func(value func(i int) int) func(s *story, a, b *actor, i int) {
		return func(s *story, a, b *actor, i int) {
			a.write("update", cm, "default/x", "", data(value(i)), s.versioned(cm, "default/x"))
			b.write("update", cm, "default/y", "", data(value(i)), s.versioned(cm, "default/y"))
		}
	}
	self := func(s *story, a, _ *actor, i int) {
		a.write("patch", cm, "default/x", "", data(i+1))
	}
	up, toggle := func(i int) int { return i + 1 }, func(i int) int { return 1 + i%2 }
	hear(t, "write-circles", map[string]tale{
		"two objects": {answers(30, 10*time.Millisecond, true, pair(toggle)),
			[]string{"warning a/1 and b/1 configmaps default/x: nothing else that their clients watch changed in between: " +
				"b/1 writes configmaps default/y, then a/1 writes configmaps default/x; in configmaps default/x only data.a changed"}},
		"new values each time": {answers(40, 10*time.Millisecond, true, pair(up)),
			[]string{"warning a/1 and b/1 configmaps default/x: rounds of writes"}},
		"its own writes": {answers(40, 10*time.Millisecond, true, self),
			[]string{"warning a/1 configmaps default/x: a/1 writes configmaps default/x; in configmaps default/x only data.a " +
				"changed."}},
		"a few steps":       {answers(12, 10*time.Millisecond, true, self), nil},
		"a few corrections": {answers(4, 10*time.Millisecond, true, pair(toggle)), nil},
		"slowly":            {answers(40, 2*time.Second, true, self), nil},
		"heartbeats":        {answers(40, 1500*time.Millisecond, true, pair(up)), nil},
		"without a watch":   {answers(40, 10*time.Millisecond, false, pair(toggle)), nil},
		"pods are made in between": {answers(40, 10*time.Millisecond, true, func(s *story, a, b *actor, i int) {
			self(s, a, b, i)
			a.write("create", cm, fmt.Sprintf("default/p%d", i), "", data(0))
		}), nil},
		"other fields": {answers(40, 10*time.Millisecond, true, func(s *story, a, _ *actor, i int) {
			a.write("patch", cm, "default/x", "", fmt.Sprintf(`"data":{"n%d":"1"}`, i))
		}), nil},
		"after gaps": {answers(40, 10*time.Millisecond, true, func(s *story, a, b *actor, i int) {
			if i%10 == 9 {
				s.miss(1)
			}
			self(s, a, b, i)
		}), nil},
	})
}

func TestFinalizersLeft(t *testing.T) {
	held := func(finalizer string) string {
		return fmt.Sprintf(`"finalizers":[%q],"managedFields":[{"manager":"op","operation":"Update","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"%s\"":{}}}}}]`, finalizer, finalizer)
	}
	stuck := func(finalizer string, then func(s *story)) func(s *story) {
		return func(s *story) {
			op := s.client("op/1")
			op.write("create", cm, web, held(finalizer), data(0))
			s.wait(time.Minute)
			s.client("a/1").write("delete", cm, web, `"deletionTimestamp":"2026-11-22T12:01:00Z",`+held(finalizer), data(0))
			if then != nil {
				then(s)
			}
			s.client("c/1").get("pods", "default/x")
		}
	}
	wait := func(d time.Duration) func(s *story) { return func(s *story) { s.wait(d) } }
	hear(t, "finalizers-left", map[string]tale{
		"long": {stuck("x.io/f", wait(time.Minute)),
			[]string{"warning a/1 configmaps default/web: configmaps default/web has been terminating for 1 min 0 s: it " +
				"waits for x.io/f, last written by op, who sent nothing since."}},
		"some":  {stuck("x.io/f", wait(15*time.Second)), []string{"note a/1 configmaps default/web: 15.0 s"}},
		"short": {stuck("x.io/f", wait(5*time.Second)), nil},
		"its client watches": {func(s *story) {
			s.client("op/1").watch(cm, "", "sendInitialEvents=true")
			stuck("x.io/f", wait(time.Minute))(s)
		}, []string{"note a/1 configmaps default/web: last written by op"}},
		"its client is there": {stuck("x.io/f",
			func(s *story) { s.wait(30 * time.Second); s.client("op/1").get(cm, "default/z"); s.wait(time.Minute) }),
			[]string{"note a/1 configmaps default/web: last written by op, who is there, and sent nothing about it since."}},
		"its client is there for a moment": {stuck("x.io/f",
			func(s *story) { s.wait(15 * time.Second); s.client("op/1").get(cm, "default/z") }), nil},
		"its client is at work": {stuck("x.io/f",
			func(s *story) { s.wait(30 * time.Second); s.client("op/1").get(cm, web); s.wait(time.Minute) }), nil},
		"taken away": {stuck("x.io/f",
			func(s *story) { s.wait(time.Minute); s.client("d/1").remove(cm, web) }), nil},
		"Kubernetes' own": {stuck("kubernetes.io/pvc-protection", wait(time.Hour)), nil},
		"a write was not seen": {stuck("x.io/f", func(s *story) {
			s.rv++
			s.client("d/1").write("create", cm, "default/z", "", data(0))
			s.wait(time.Minute)
		}), nil},
		"after a gap": {stuck("x.io/f", func(s *story) { s.miss(1); s.wait(time.Minute) }), nil},
	})
}

func TestOwnersLeft(t *testing.T) {
	owned := func(uid string) string {
		return fmt.Sprintf(`"ownerReferences":[{"apiVersion":"v1","kind":"Deployments.app","name":"web","uid":%q}]`, uid)
	}
	left := func(object, uid string, then func(s *story)) func(s *story) {
		return func(s *story) {
			s.client("a/1").write("create", deploy, web, "", data(0))
			s.client("b/1").write("create", "pods", object, owned(uid), data(0))
			s.wait(time.Second)
			if then != nil {
				then(s)
			}
			s.wait(time.Minute)
			s.client("c/1").get(cm, web)
		}
	}
	gone := func(s *story) { s.client("a/1").remove(deploy, web) }
	hear(t, "owners-left", map[string]tale{
		"gone, no collector": {left("default/p", "uid-1", gone),
			[]string{"note a/1 deployments.apps default/web: deployments.apps default/web was deleted 1 min 0 s ago, and " +
				"what names it as its owner is still there: pods default/p; no garbage collector was seen among the clients."}},
		"gone, a collector is there": {left("default/p", "uid-1",
			func(s *story) { gone(s); s.client("kube-controller-manager/v1/generic-garbage-collector").get(cm, web) }),
			[]string{"warning a/1 deployments.apps default/web: is still there: pods default/p."}},
		"of another namespace": {left("other/p", "uid-1", nil),
			[]string{"warning b/1 pods other/p: an owner in another namespace, deployments.apps default/web: the garbage " +
				"collector treats such an owner as gone"}},
		"another uid": {left("default/p", "uid-9", nil),
			[]string{"warning b/1 pods default/p: Deployments.app web as its owner with the uid uid-9, which has the uid uid-1"}},
		"created again, unseen": {func(s *story) {
			s.client("a/1").write("create", deploy, web, "", data(0))
			s.rv += 2
			s.client("b/1").write("create", "pods", "default/p", owned("uid-9"), data(0))
		}, nil},
		"there": {left("default/p", "uid-1", nil), nil},
		"collected": {left("default/p", "uid-1",
			func(s *story) { gone(s); s.client("gc/1").remove("pods", "default/p") }), nil},
		"orphaned": {left("default/p", "uid-1",
			func(s *story) { s.client("gc/1").write("patch", "pods", "default/p", "", data(0)); gone(s) }), nil},
		"not known": {left("default/p", "uid-1", func(s *story) { gone(s); s.miss(5) }), nil},
		"a write was not seen": {left("default/p", "uid-1",
			func(s *story) { gone(s); s.rv++; s.client("gc/1").write("create", cm, web, "", data(0)) }), nil},
	})
}

func TestRecreated(t *testing.T) {
	again := func(agent string, times int, between, after func(s *story)) func(s *story) {
		return func(s *story) {
			a := s.client(agent)
			a.write("create", cm, web, "", data(0))
			for range times {
				a.remove(cm, web)
				if between != nil {
					between(s)
				}
				a.write("create", cm, web, "", data(0))
				if s.wait(time.Minute); after != nil {
					after(s)
				}
			}
		}
	}
	wait := func(d time.Duration) func(s *story) { return func(s *story) { s.wait(d) } }
	graceful := func(resource, last string) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			for range 4 {
				a.write("create", resource, web, "", data(0))
				a.write("delete", resource, web, `"deletionTimestamp":"2026-11-22T12:01:00Z"`, data(0))
				s.wait(time.Minute)
				s.client("b/1").remove(resource, web, func(f *flow.Flow) { f.Target.Verb = last })
			}
			a.write("create", resource, web, "", data(0))
		}
	}
	hear(t, "recreated-objects", map[string]tale{
		"often": {again("a/1", 4, nil, nil), []string{"warning a/1 configmaps default/web: a/1 deleted configmaps default/web and " +
			"created it again, 4 times within 3 min 0 s."}},
		"twice":           {again("a/1", 2, nil, nil), []string{"note a/1 configmaps default/web: twice"}},
		"once":            {again("a/1", 1, nil, nil), nil},
		"after a while":   {again("a/1", 9, wait(time.Minute), nil), nil},
		"by a test":       {again("suite.test/v0", 9, nil, nil), []string{"note suite.test/v0 configmaps default/web: 9 times"}},
		"runs of kubectl": {func(s *story) { again("kubectl/v1", 1, nil, nil)(s); again("kubectl/v2", 1, nil, nil)(s) }, nil},
		"of many": {func(s *story) {
			a := s.client("a/1")
			for i := range 30 {
				a.write("create", cm, fmt.Sprintf("default/o%d", i), "", data(0))
				a.remove(cm, fmt.Sprintf("default/o%d", i))
			}
		}, nil},
		"that others delete": {func(s *story) {
			for range 9 {
				s.client("a/1").write("create", cm, web, "", data(0))
				s.client("b/1").remove(cm, web)
			}
		}, nil},
		"updated instead":                     {func(s *story) { put(s, 9) }, nil},
		"with a finalizer that others remove": {graceful(cm, "patch"), []string{"warning a/1 configmaps default/web: 4 times within 4 min 0 s."}},
		"with a grace period":                 {graceful("pods", "delete"), []string{"note a/1 pods default/web: 4 times within 4 min 0 s."}},
		"after gaps":                          {again("a/1", 9, func(s *story) { s.miss(1) }, nil), nil},
	})
}

func TestBursts(t *testing.T) {
	quiet := func(s *story, a *actor, n int) {
		for i := range n {
			a.get(cm, fmt.Sprintf("default/n%d", i))
			s.wait(time.Second)
		}
	}
	burst := func(s *story, tell func(i int)) {
		s.now = s.now.Truncate(time.Second)
		for i := range 200 {
			tell(i)
		}
		s.wait(2 * time.Second)
	}
	hear(t, "bursts", map[string]tale{
		"requests": {func(s *story) {
			a := s.client("a/1")
			quiet(s, a, 20)
			burst(s, func(i int) { a.get(cm, fmt.Sprintf("default/m%d", i)) })
			quiet(s, a, 20)
		}, []string{"note a/1 configmaps: a/1 sent 200 requests within a second from 12:00:20 on, but 1.0 a second otherwise."}},
		"creates": {func(s *story) {
			a := s.client("a/1")
			quiet(s, a, 20)
			burst(s, func(i int) { a.write("create", "pods", fmt.Sprintf("default/p%d", i), "", data(0)) })
			quiet(s, a, 20)
		}, []string{"warning a/1 pods: a/1 created 200 objects within a second"}},
		"a command": {func(s *story) {
			burst(s, func(i int) { s.client("a/1").write("create", "pods", fmt.Sprintf("default/p%d", i), "", data(0)) })
			quiet(s, s.client("b/1"), 60)
		}, nil},
		"always": {func(s *story) {
			for range 30 {
				burst(s, func(i int) { s.client("a/1").get(cm, fmt.Sprintf("default/m%d", i)) })
			}
		}, nil},
		"informers": {func(s *story) {
			a := s.client("a/1")
			burst(s, func(i int) { a.list(fmt.Sprintf("r%d", i), "", 3) })
			quiet(s, a, 60)
		}, nil},
	})
}

func TestThrottledWaits(t *testing.T) {
	paced := func(burst, even int, gap time.Duration, path func(i int) string) func(s *story) {
		return func(s *story) {
			a := s.client("a/1")
			for i := range burst {
				a.get(cm, path(i))
			}
			for i := range even {
				s.wait(gap - time.Millisecond)
				a.get(cm, path(i))
			}
		}
	}
	each := func(i int) string { return fmt.Sprintf("default/n%d", i) }
	busy := func(times int, sub string) func(s *story) {
		return func(s *story) {
			for range times {
				f := s.client("a/1").tell("create", "pods"+sub, "default/p", 429)
				f.ResponseHeader = map[string][]string{"Retry-After": {"1"}}
				s.wait(time.Second)
			}
			s.client("a/1").tell("create", "pods"+sub, "default/p", 201)
		}
	}
	hear(t, "throttled-waits", map[string]tale{
		"client-go's queue": {paced(10, 40, 200*time.Millisecond, each),
			[]string{"warning a/1 configmaps in namespace default: After a burst of 10 requests a/1 sent 40 more at one each " +
				"200 ms, as client-go's default limit of 5 a second lets it; its own queue made it wait about 8.0 s in all."}},
		"shortly": {paced(10, 12, 200*time.Millisecond, each),
			[]string{"note a/1 configmaps in namespace default: wait about 2.4 s"}},
		"too few":         {paced(10, 9, 200*time.Millisecond, each), nil},
		"no burst":        {paced(3, 40, 200*time.Millisecond, each), nil},
		"another pace":    {paced(10, 40, 250*time.Millisecond, each), nil},
		"about that pace": {paced(10, 40, 215*time.Millisecond, each), nil},
		"polling":         {paced(10, 40, 200*time.Millisecond, func(int) string { return web }), nil},
		"creates of one collection": {func(s *story) {
			paced(10, 0, 0, each)(s)
			for range 20 {
				s.wait(199 * time.Millisecond)
				s.client("a/1").tell("create", cm, "default/", 201)
			}
		}, []string{"note a/1 configmaps in namespace default: sent 20 more at one each 200 ms"}},
		"429": {busy(4, ""),
			[]string{"warning a/1 pods in namespace default: a/1 was answered 429 Too Many Requests 4 times for pods in " +
				"namespace default, was asked to wait 4.0 s in all, and sent the same again after 4.0 s in all."}},
		"429 once":  {busy(1, ""), []string{"note a/1 pods in namespace default: once"}},
		"evictions": {busy(4, "/eviction"), nil},
	})
}

// Kubarium's own requests are reported if that is asked for.
func TestOptions_Own(t *testing.T) {
	s := newStory()
	for range 12 {
		s.client("kubarium-controller/x").write("update", cm, web, "", data(0))
	}
	if p := s.report(doctor.Options{Own: true}); len(findings(p, "writes-that-change-nothing")) != 1 || p.Flows != 12 ||
		p.Clients[0].Unchanged != 11 {
		t.Errorf("%+v", p)
	}
	if p := s.report(doctor.Options{}); len(p.Findings) != 0 || p.Flows != 0 || len(p.Clients) != 0 || !p.To.IsZero() {
		t.Errorf("%+v", p)
	}
}

// A sentence names a client without the build in its user agent.
func TestFinding_names(t *testing.T) {
	for agent, want := range map[string]string{
		"kubectl/v1.37.0 (linux/amd64) kubernetes/0f1e2d3":                                    "kubectl/v1.37.0 wrote configmaps",
		"kube-controller-manager/v1.37.0 (linux/amd64) kubernetes/$Format/deployment-manager": "kube-controller-manager/v1.37.0/deployment-manager wrote configmaps",
		"curl/8": "curl/8 wrote configmaps",
	} {
		s := newStory()
		for range 12 {
			s.client(agent).write("update", cm, web, "", data(0))
		}
		if f := s.report(doctor.Options{}).Findings[0]; f.Client != agent || !strings.HasPrefix(f.What, want) {
			t.Errorf("%s: %s", f.Client, f.What)
		}
	}
}
