package chain_test

import (
	"context"
	"testing"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
)

// A follower reads a log as it grows, and adds chains to copies of flows.
func TestFollower(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	f := chain.Follow(log)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	w := log.OpenWatch(flow.WatchInfo{Client: client(shared), Target: target("watch", "configmaps", "")})
	log.Publish(&flow.Flow{Phase: flow.WatchOpened, Client: client(shared), Watch: w, Start: noon})
	frame(w, 1, "ADDED", "c", 7)
	write := func() *flow.Flow {
		return &flow.Flow{
			Client: client(manager + "x"), Target: target("update", "configmaps", "c"), Start: at(3), Status: 200,
		}
	}
	first := write()
	log.Publish(first)
	got := f.With(first)
	if got == first || first.Chain != nil || told(got.Chain) != "object:configmaps/c@7-2ms" {
		t.Errorf("it is %s", told(got.Chain))
	}
	if f.With(got) != got {
		t.Error("a flow with a chain is copied")
	}
	read := &flow.Flow{Client: client("k"), Target: target("get", "configmaps", "c"), Status: 200}
	log.Publish(read)
	if f.With(read) != read || (*chain.Follower)(nil).With(first) != first {
		t.Error("a flow without a chain is copied")
	}
	stop()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("it goes on after its end")
	}
}
