package clients_test

import (
	"testing"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
	"kubarium/flow/rule"
)

const second = time.Second

// What a client waits for follows from what happened to it; the gravest reason is the first.
func TestClient_Waits(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(*story)
		kind clients.Kind
		want string // the first Wait of ctl
	}{
		{"idle", func(s *story) {
			w := s.watch("ctl", "pods shop", "")
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.event(w, "a")
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of its 1 watch; the last one came 12 s ago — that was MODIFIED " +
			"of pods/a in shop at rv 101"},
		{"no watch", func(s *story) {
			s.send("ctl", "get pods shop/a", 200)
			s.after(12 * second)
		}, clients.Idle, "idle: for nothing that is known: it has no watch, and its last request was answered 12 " +
			"s ago"},
		{"watches of its program", func(s *story) {
			s.send("ctl", "get pods shop/a", 200)
			s.watch("ctl", "pods", "").Client.Tag = "inf"
		}, clients.Idle, "idle: for the next event of the 1 watch of its program"},

		{"timeout of a watch", func(s *story) {
			w := s.watch("ctl", "sites.example.com shop", "")
			s.watch("ctl", "pods shop", "")
			s.end(w, "timeout")
			s.write("k1", "update sites.example.com shop/a", obj(""), obj(""))
			s.write("k1", "update sites.example.com shop/a", obj(""), obj(""))
			s.write("k1", "update sites.example.com other/a", obj(""), obj(""))
			s.after(12 * second)
		}, clients.EndedWatch, "watch ended: its watch of sites in shop ended 12 s ago, and no other took its " +
			"place — it ended with a timeout, " +
			"as each watch does after some minutes or the time that its client asked for; it has not been sent 2 " +
			"changes after rv 100, " +
			"the last one of sites/a in shop: rv 102 by k1 (#5)"},
		{"410 of a watch", func(s *story) {
			s.end(s.watch("ctl", "pods shop", ""), "revision 90: expired (200)")
			s.after(12 * second)
		}, clients.EndedWatch, "watch ended: its watch of pods in shop ended 12 s ago, and no other took its " +
			"place — it ended with 410 Gone: " +
			"what it was to be sent next is compacted, so its client has to list again; nothing of it has changed " +
			"since rv 100"},
		{"a cut watch", func(s *story) {
			w := s.watch("ctl", "pods shop", "labelSelector=a%3Db")
			w.Touched(flow.FaultMark{Rule: "cut watch pods", Name: "net", Action: "cut"})
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.end(w, "the connection was cut at the gate")
			s.after(12 * second)
		}, clients.EndedWatch, "watch ended: its watch of pods in shop with a=b ended 12 s ago, and no other took " +
			"its place — " +
			"the connection was cut by the fault rule net; it has not been sent at most 1 change after rv 100, " +
			"the last one of pods/a in shop: rv 101 by k1 (#2)"},
		{"a watch that was opened again", func(s *story) {
			s.end(s.watch("ctl", "pods shop", ""), "timeout")
			s.after(second).watch("ctl", "pods", "")
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of its 1 watch"},
		{"a watch that its program opened again", func(s *story) {
			s.end(s.watch("ctl", "pods shop", ""), "timeout")
			s.after(second)
			w := s.watch("ctl", "pods shop", "")
			w.Client.Tag = "inf"
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of the 1 watch of its program"},
		{"a watch with another selector", func(s *story) {
			s.end(s.watch("ctl", "pods shop", "labelSelector=a"), "timeout")
			s.after(second).watch("ctl", "pods shop", "labelSelector=b")
			s.after(12 * second)
		}, clients.EndedWatch, "watch ended: its watch of pods in shop with a ended 13 s ago, and no other took " +
			"its place — it ended with a timeout, " +
			"as each watch does after some minutes or the time that its client asked for; nothing of it has " +
			"changed since rv 100"},
		{"a watch that has just ended", func(s *story) {
			s.watch("ctl", "nodes", "")
			s.end(s.watch("ctl", "pods shop", ""), "timeout")
			s.after(second)
		}, clients.Idle, "idle: for the next event of its 1 watch"},
		{"a watch that the client closed without a loss", func(s *story) {
			s.watch("ctl", "nodes", "")
			s.end(s.watch("ctl", "pods shop", ""), "client went away")
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of its 1 watch"},
		{"a watch that the client closed", func(s *story) {
			s.watch("ctl", "nodes", "")
			s.end(s.watch("ctl", "pods shop", ""), "client went away")
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.after(12 * second)
		}, clients.EndedWatch, "watch ended: its watch of pods in shop ended 12 s ago, and no other took its " +
			"place — the client closed it; " +
			"it has not been sent 1 change after rv 100, the last one of pods/a in shop: rv 101 by k1 (#4)"},
		{"gone", func(s *story) {
			a, b := s.watch("ctl", "pods shop", ""), s.watch("ctl", "nodes", "")
			s.end(a, "client went away")
			s.end(b, "client went away")
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.after(12 * second)
		}, clients.Gone, "gone: for nothing: it closed its 2 watches 12 s ago, and has sent nothing since"},
		{"server stopped", func(s *story) {
			s.end(s.watch("ctl", "pods shop", ""), "server is stopping")
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of its 1 watch — the server has stopped since"},

		{"conflict loop", func(s *story) {
			w := s.watch("ctl", "sites.example.com shop", "")
			s.write("k1", "update sites.example.com shop/a", obj(""), obj(""))
			s.event(w, "a")
			for _, pause := range []time.Duration{0, 5, 10, 20, 40} {
				s.after(pause*time.Millisecond).send("ctl", "update sites.example.com shop/a", 409, stale(100, 101))
			}
			s.after(second)
		}, clients.ConflictLoop, "conflicts: 5 updates of sites/a in shop were refused with 409 in a row: it " +
			"sends rv 100 again and again, and rv 101 is stored — " +
			"rv 101 was written by k1 (#2); between the last tries it waited 5 ms, 10 ms, 20 ms and 40 ms; " +
			"its watch of sites in shop has been sent rv 101: it would end if it took the object from there"},
		{"conflict loop of a reader", func(s *story) {
			s.write("k1", "update sites.example.com shop/a", obj(""), obj(""))
			for range 3 {
				s.send("ctl", "get sites.example.com shop/a", 200, func(f *flow.Flow) { f.Revision = 101 })
				s.send("ctl", "update sites.example.com/status shop/a", 409, stale(100, 101))
			}
		}, clients.ConflictLoop, "conflicts: 3 updates of status of sites/a in shop were refused with 409 in a " +
			"row: it sends rv 100 again and again, and rv 101 is stored — " +
			"rv 101 was written by k1 (#1); between the last tries it waited 1 ms and 1 ms; it has read rv 101 " +
			"(#6), and does not send what it read"},
		{"creates of what is there", func(s *story) {
			s.write("k1", "create configmaps shop/a", "", obj(""))
			for range 3 {
				s.after(second).send("ctl", "create configmaps shop", 409, func(f *flow.Flow) {
					f.RequestBody = flow.Keep([]byte(`{"metadata":{"name":"a"}}`))
					f.Conflict = &flow.Conflict{Kind: flow.AlreadyExists, Stored: 101}
				})
			}
		}, clients.ConflictLoop, "conflicts: 3 creates of configmaps/a in shop were refused with 409 in a row: it " +
			"is there already, at rv 101 by k1 (#1) — " +
			"between the last tries it waited 1.0 s and 1.0 s; it would end if it updated the object in place of " +
			"creating it"},
		{"applies against an owner", func(s *story) {
			for range 3 {
				s.send("ctl", "apply deployments.apps default/a", 409, func(f *flow.Flow) {
					f.Conflict = &flow.Conflict{Kind: flow.FieldOwnership,
						Causes: []flow.Cause{{Message: `conflict with "hpa" using apps/v1`}}}
				})
			}
		}, clients.ConflictLoop, "conflicts: 3 applies of deployments/a were refused with 409 in a row: hpa owns " +
			"fields that it sets to other values — " +
			"between the last tries it waited below 1 ms and below 1 ms; it would end if it left these fields " +
			"out, took their values, or applied with force"},
		{"a conflict that was solved", func(s *story) {
			s.watch("ctl", "pods shop", "")
			for range 4 {
				s.send("ctl", "update pods shop/a", 409, stale(100, 101))
			}
			s.write("ctl", "update pods shop/a", obj(""), obj(""))
		}, clients.Idle, "idle: for the next event of its 1 watch"},
		{"leases are lost by design", func(s *story) {
			for range 5 {
				s.send("ctl", "update leases.coordination.k8s.io shop/a", 409, stale(100, 101))
			}
		}, clients.Idle, "idle: for nothing that is known: it has no watch, and its last request was answered " +
			"below 1 ms ago"},

		{"forbidden", func(s *story) {
			for range 3 {
				s.after(second).send("ctl", "list pods shop", 403, func(f *flow.Flow) {
					f.Reason = "Forbidden"
					f.Rights = []flow.Right{{Verb: "list", Resource: "pods", Namespace: "shop",
						Decision: flow.NoOpinion}}
				})
			}
		}, clients.Refused, "refused: 3 lists of pods in shop were refused with 403 Forbidden in a row — admin " +
			"may not list pods in shop: a role that allows it is missing; " +
			"between the last tries it waited 1.0 s and 1.0 s"},
		{"refused once", func(s *story) {
			s.watch("ctl", "pods shop", "")
			s.send("ctl", "create configmaps shop", 403, func(f *flow.Flow) {
				f.Reason, f.Message = "Forbidden", "exceeded quota"
				f.RequestBody = flow.Keep([]byte(`{"metadata":{"name":"a"}}`))
				f.Plugins = []flow.PluginMark{{Plugin: "ResourceQuota", Refusal: "exceeded quota"}}
			})
			s.after(2 * time.Minute)
		}, clients.Refused, "refused: the create of configmaps/a in shop was refused with 403 Forbidden 2 min 0 s " +
			"ago, and not sent again since — " +
			"it was refused by ResourceQuota; exceeded quota"},
		{"refused by a webhook", func(s *story) {
			for range 3 {
				s.send("ctl", "update pods shop/a", 422, func(f *flow.Flow) {
					f.Reason = "Invalid"
					f.Plugins = []flow.PluginMark{{Plugin: "ValidatingAdmissionWebhook", Refusal: "no",
						Opinions: []flow.Opinion{{Kind: flow.WebhookPart, Name: "check.example.com",
							Said: flow.SaidDenied}}}}
				})
			}
		}, clients.Refused, "refused: 3 updates of pods/a in shop were refused with 422 Invalid in a row — it was " +
			"refused by webhook check.example.com; no; " +
			"between the last tries it waited below 1 ms and below 1 ms"},
		{"an object that is not there", func(s *story) {
			for range 3 {
				s.after(second).send("ctl", "get secrets shop/tls", 404, func(f *flow.Flow) {
					f.Reason,
						f.Message = "NotFound", "not found"
				})
			}
		}, clients.Refused, "refused: 3 gets of secrets/tls in shop were refused with 404 NotFound in a row — the " +
			"server said: not found; between the last tries it waited 1.0 s and 1.0 s"},
		{"an object that need not be there", func(s *story) {
			for range 4 {
				s.after(second).send("ctl", "get secrets shop/tls", 404)
				s.write("ctl", "update pods shop/a", obj(""), obj(""))
			}
		}, clients.Idle, "idle: for nothing that is known: it has no watch, and its last request was answered " +
			"below 1 ms ago"},

		{"asked to wait", func(s *story) {
			s.send("ctl", "update pods shop/a", 429, retryIn(1))
			s.after(1005*time.Millisecond).send("ctl", "update pods shop/a", 429, retryIn(5), func(f *flow.Flow) {
				f.Faults = []flow.FaultMark{{Rule: "refuse 429 update pods", Action: "refuse",
					Outcome: "refused 429"}}
			})
			s.after(second)
		}, clients.Throttled, "asked to wait: the update of pods/a in shop was twice in a row answered 429: the " +
			"server asks it to wait 5.0 s (Retry-After) — " +
			"it was refused by a fault rule (refuse 429 update pods); it waited 1.0 s before it sent it again"},

		{"own finalizer", func(s *story) {
			w := s.watch("ctl", "sites.example.com shop", "")
			s.write("ctl", "update sites.example.com shop/a", obj(""), obj(`,"finalizers":["x.io/f"]`))
			s.write("k1", "delete sites.example.com shop/a", obj(`,"finalizers":["x.io/f"]`),
				obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`))
			s.event(w, "a")
			s.after(12 * second)
		}, clients.Finalizer, "finalizer: sites/a in shop is terminating for 12 s and waits for the finalizer " +
			"x.io/f, which it added itself (#2) — " +
			"k1 deleted it (rv 102, #3); its watch of sites in shop was sent the deletion; it has sent nothing " +
			"about it since"},
		{"own finalizer without a watch", func(s *story) {
			s.write("ctl", "create configmaps shop/a", "", obj(`,"finalizers":["x.io/f"]`))
			s.write("ctl", "delete configmaps shop/a", obj(`,"finalizers":["x.io/f"]`),
				obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`))
			s.send("ctl", "get configmaps shop/a", 200)
			s.after(12 * second)
		}, clients.Finalizer, "finalizer: configmaps/a in shop is terminating for 12 s and waits for the " +
			"finalizer x.io/f, which it added itself (#1) — " +
			"ctl deleted it (rv 102, #2); it does not watch configmaps; it has read the object since (#3), and " +
			"not written it"},
		{"another's finalizer", func(s *story) {
			s.write("b", "create configmaps shop/a", "", obj(`,"finalizers":["x.io/f"]`))
			s.write("ctl", "delete configmaps shop/a", obj(`,"finalizers":["x.io/f"]`),
				obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`))
			s.after(12 * second)
		}, clients.Finalizer, "finalizer: configmaps/a in shop, which it deleted, is terminating for 12 s and " +
			"waits for the finalizer x.io/f — x.io/f was added by b (#1)"},
		{"a finalizer that was removed", func(s *story) {
			s.watch("ctl", "configmaps shop", "")
			s.write("ctl", "create configmaps shop/a", "", obj(`,"finalizers":["x.io/f"]`))
			dying := obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`)
			s.write("k1", "delete configmaps shop/a", obj(`,"finalizers":["x.io/f"]`), dying)
			s.write("ctl", "update configmaps shop/a", dying, "")
			s.watches[0].Reached(s.rv, 0)
			s.after(12 * second)
		}, clients.Idle, "idle: for the next event of its 1 watch"},

		{"slow watch", func(s *story) {
			s.watch("ctl", "pods shop", "")
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.write("k1", "update pods shop/b", obj(""), obj(""))
			s.after(12 * second)
		}, clients.SlowWatch, "slow watch: its watch of pods in shop has not been sent 2 changes, the oldest from " +
			"12 s ago — the client does not read it as fast as events come"},
		{"a watch that a rule delays", func(s *story) {
			w := s.watch("ctl", "pods shop", "")
			w.Touched(flow.FaultMark{Name: "late", Action: "lag"})
			s.write("k1", "update pods shop/a", obj(""), obj(""))
			s.after(12 * second)
		}, clients.SlowWatch, "slow watch: its watch of pods in shop has not been sent 1 change, the oldest from " +
			"12 s ago — its events are held or delayed by the fault rule late"},

		{"held at the gate", func(s *story) {
			s.send("ctl", "get pods shop/a", 200)
			at := s.now
			s.r.Held = func() []rule.Held {
				return []rule.Held{{Client: client("ctl"), Station: "store", Since: at,
					Target: target("update pods shop/a")},
					{Client: client("b"), Station: "store", Since: at, Target: target("update pods shop/b")}}
			}
			s.after(12 * second)
		}, clients.Unanswered, "unanswered: its update of pods/a in shop is held at the gate before store for 12 " +
			"s — a fault rule holds it until a person lets it go or its time is up"},
		{"in progress", func(s *story) {
			s.send("ctl", "get pods shop/a", 200)
			at := s.now
			s.r.Underway = func() []flow.Underway {
				return []flow.Underway{{Client: client("ctl"), Start: at, Target: target("update pods shop/a")},
					{Client: client("ctl"), Start: at, Target: target("get pods/log shop/a")}}
			}
			s.after(12 * second)
		}, clients.Unanswered, "unanswered: its update of pods/a in shop has not been answered for 12 s"},

		{"the gravest first", func(s *story) {
			w := s.watch("ctl", "sites.example.com shop", "")
			s.write("k1", "update sites.example.com shop/a", obj(""), obj(""))
			s.end(w, "timeout")
			for range 5 {
				s.send("ctl", "update sites.example.com shop/a", 409, stale(100, 101))
			}
			s.after(5 * second)
		}, clients.EndedWatch, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t)
			c.tell(s)
			w := s.of("ctl").Waits[0]
			if got := text(w); w.Kind != c.kind || c.want != "" && got != c.want {
				t.Errorf("\n%s, want\n%s", got, c.want)
			}
		})
	}
}
