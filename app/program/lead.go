package program

import (
	"context"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"kubarium/server/loopback"
)

// leaderLease is the Lease in kube-system by which the servers of one store agree which of them runs the controllers.
const leaderLease = "kubarium-controllers"

// The times of kube-controller-manager's own election: how long a silent leader stays one, how long a leader tries to
// renew its Lease before it gives up, and the time between two tries.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// lead runs work while this server is the leader of those that share the store, until ctx ends. Work ends before
// another server begins it. A server with a store of its own is always the leader.
func (p *Program) lead(ctx context.Context, self loopback.Server, work func(context.Context)) {
	if p.shared == nil {
		work(ctx)
		return
	}
	p.loops.office.Lock()
	defer p.loops.office.Unlock()
	dialer := loopback.To(self)
	defer dialer.Close()
	client := dialer.As("leader-election", "kube-controller-manager").Kubernetes()
	host, _ := os.Hostname() // "" if it is not known
	lock := &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: leaderLease}, Client: client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
	}
	for ctx.Err() == nil {
		if err := p.term(ctx, lock, work); err != nil {
			p.logger.Error("no election of who runs the controllers", "error", err)
			return
		}
	}
}

// term waits until this server is elected, runs work while it is the leader, and gives the Lease back.
func (p *Program) term(ctx context.Context, lock resourcelock.Interface, work func(context.Context)) error {
	candidate, withdraw := context.WithCancel(context.WithoutCancel(ctx)) // outlives ctx until work is over
	defer withdraw()
	var once sync.Once // of work
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: leaderLease, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				once.Do(func() {
					defer withdraw()
					leading, stop := context.WithCancel(leading)
					defer stop()
					defer context.AfterFunc(ctx, stop)()
					p.logger.Info("this server runs the controllers")
					work(leading)
				})
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	over := func() { once.Do(func() {}) } // work has ended, or never begins: the elector does not wait until it has begun
	defer context.AfterFunc(ctx, func() { over(); withdraw() })()
	elector.Run(candidate)
	over()
	return nil
}
