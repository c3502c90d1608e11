package quiet_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"kubarium/analysis/quiet"
	"kubarium/flow"
)

func publish(l *flow.Log, agent, verb, resource string, effects int) {
	publishIn(l, agent, verb, "", resource, effects)
}

func publishIn(l *flow.Log, agent, verb, group, resource string, effects int) {
	r := l.Begin(nil)
	r.Flow.Client = flow.Client{UserAgent: agent, Tag: agent}
	r.Flow.Target = flow.Target{Verb: verb, Group: group, Resource: resource, Namespace: "shop", Name: "web"}
	r.Flow.Effects = make([]flow.Effect, effects)
	r.Known()
	r.Publish(flow.Whole)
}

// What is asked, is under way or was not sent keeps a server busy, and it is said who does that. What comes by the clock does not.
func TestWait(t *testing.T) {
	const rest = 150 * time.Millisecond
	again := func(do func(l *flow.Log)) func(context.Context, *flow.Log) {
		return func(ctx context.Context, l *flow.Log) {
			for ctx.Err() == nil {
				do(l)
				time.Sleep(rest / 5)
			}
		}
	}
	watch := func(pending int, position int64, resource string) func(context.Context, *flow.Log) {
		return func(_ context.Context, l *flow.Log) {
			l.Committed(flow.Commit{Revision: 9, Resource: resource})
			l.OpenWatch(flow.WatchInfo{Client: flow.Client{UserAgent: "k", Tag: "k"}, Target: flow.Target{Verb: "watch", Resource: "pods"}}).
				Reached(position, pending)
		}
	}
	for name, c := range map[string]struct {
		happens func(context.Context, *flow.Log)
		want    string // who is the busiest; "" for rest
	}{
		"nothing":          {func(context.Context, *flow.Log) {}, ""},
		"a loop of reads":  {again(func(l *flow.Log) { publish(l, "k", "get", "configmaps", 0) }), "k: get configmaps shop/web"},
		"a loop of writes": {again(func(l *flow.Log) { publish(l, "k", "update", "configmaps", 1) }), "k: update configmaps shop/web"},
		"Leases and Events": {again(func(l *flow.Log) {
			publishIn(l, "k", "update", "coordination.k8s.io", "leases", 1)
			publish(l, "k", "create", "events", 1)
		}), ""},
		"Kubarium's reads":   {again(func(l *flow.Log) { publish(l, "kubarium-controller/gc", "list", "pods", 0) }), ""},
		"Kubarium's work":    {again(func(l *flow.Log) { publish(l, "kubarium-controller/gc", "delete", "pods", 1) }), "kubarium-controller/gc: delete pods shop/web"},
		"a watch that is up": {watch(0, 9, "pods"), ""},
		"a watch that lags":  {watch(0, 8, "pods"), "k: watch pods"},
		"commits of others":  {watch(0, 8, "configmaps"), ""},
		"events to be sent":  {watch(3, 9, "pods"), "k: watch pods"},
		"a request under way": {func(_ context.Context, l *flow.Log) {
			r := l.Begin(nil)
			r.Flow.Client, r.Flow.Target = flow.Client{UserAgent: "k"}, flow.Target{Verb: "create", Resource: "pods"}
			r.Known()
		}, "k1: create pods"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := flow.NewLog(flow.Limits{})
				ctx, end := context.WithTimeout(t.Context(), 6*rest)
				defer end()
				ended := make(chan struct{})
				go func() { defer close(ended); c.happens(ctx, l) }()
				busy := quiet.Wait(ctx, l, quiet.Options{For: rest})
				end()
				<-ended
				got := ""
				if len(busy) > 0 {
					busy[0].Count = 0
					got = busy[0].String()
				}
				if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}
