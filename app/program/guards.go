package program

import (
	"context"
	"time"

	"kubarium/server/aggregate"
	"kubarium/server/informers"
	"kubarium/server/loopback"
)

// guards decide on a request before it reaches the store; informers are where they look things up.
type guards struct {
	informers  *informers.Factory
	dialer     *loopback.Dialer
	aggregator *aggregate.Aggregator // nil in the past
}

// readPolicies reads policies and their bindings before the plugins start. A plugin that lacks them at its start looks
// again after a tenth of a second, and the first write would wait for that.
func (g *guards) readPolicies(ctx context.Context) {
	api := g.informers.Admissionregistration().V1()
	api.ValidatingAdmissionPolicies().Informer()
	api.ValidatingAdmissionPolicyBindings().Informer()
	api.MutatingAdmissionPolicies().Informer()
	api.MutatingAdmissionPolicyBindings().Informer()
	g.informers.StartWithContext(ctx)
	g.settle(ctx)
}

// longestSettle bounds how much later the port answers in a database with many roles and policies.
const longestSettle = 100 * time.Millisecond

// settle waits until authorizers and plugins have read their objects, which as a rule takes a few milliseconds.
func (g *guards) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestSettle)
	defer cancel()
	g.informers.WaitForCacheSyncWithContext(ctx)
}

// close waits for what ends with the guards' context.
func (g *guards) close() {
	g.informers.Shutdown()
	if g.dialer != nil {
		g.dialer.Close()
	}
}
