package program

import (
	"context"
	"time"

	"k8s.io/client-go/dynamic"

	"kubarium/app/debug"
	"kubarium/server"
	"kubarium/server/admission"
	"kubarium/server/aggregate"
	"kubarium/server/aggregate/documents"
	"kubarium/server/authz"
	"kubarium/server/informers"
	"kubarium/server/loopback"
)

// guards are what stands between a request and the store, with what it looks things up in.
type guards struct {
	informers  *informers.Factory
	dialer     *loopback.Dialer
	aggregator *aggregate.Aggregator // nil in the past
}

// guard makes the guards of a Program whose registry is open; they work until ctx ends.
func (p *Program) guard(ctx context.Context, c Config) error {
	g := &guards{informers: informers.New(p.registry, p.logger)}
	p.closers.push(func() error {
		p.stop()
		g.close()
		return nil
	})
	var err error
	if p.registry.Authorizer, err = authz.New(c.Modes, g.informers); err != nil {
		return err
	}
	station, err := p.authenticate(c, p.registry)
	if err != nil {
		return err
	}
	g.dialer = loopback.To(p.self())
	if err := p.audit.Run(ctx.Done()); err != nil {
		return err
	}
	client := g.dialer.As("admission", "kube-apiserver")
	dynamicClient, err := dynamic.NewForConfigAndClient(client.Config, client.HTTP)
	if err != nil {
		return err
	}
	if g.aggregator, err = p.aggregate(ctx, g); err != nil {
		return err
	}
	p.documents = documents.New(g.aggregator, p.logger)
	p.api = server.New(server.Options{
		Registry: p.registry, Authn: station, Log: p.Log, Logger: p.logger, Debug: debug.Handlers(p), Features: c.Features,
		Ready: p.store.Healthy, Withheld: p.withheld, Audit: p.audit, Gate: p.gate, Aggregator: g.aggregator, Documents: p.documents,
	})
	p.guards = g
	g.readPolicies(ctx)
	p.registry.Admission, err = admission.New(ctx, admission.Options{
		Plugins: c.Admission, Registry: p.registry, Informers: g.informers,
		Authorizer: p.registry.Authorizer,
		Client:     client.Kubernetes(), Dynamic: informers.Dynamic(dynamicClient, p.registry), Loopback: client.Config, Webhooks: p.registry.Webhooks(), Schemas: p.api.Schemas(),
	})
	if err != nil {
		return err
	}
	g.informers.StartWithContext(ctx)
	g.settle(ctx)
	return nil
}

// readPolicies reads policies and their bindings before there are plugins, which look a tenth of a second later again, and let the
// first write wait for that, if these were not there when they began.
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

// settle waits until authorizers and plugins have read what is there, which as a rule takes a few milliseconds.
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
