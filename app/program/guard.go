package program

import (
	"context"

	"k8s.io/client-go/dynamic"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"kubarium/server/informers"

	"kubarium/app/debug"
	"kubarium/server"
	"kubarium/server/admission"
	"kubarium/server/aggregate"
	"kubarium/server/aggregate/documents"
	"kubarium/server/authz"
	"kubarium/server/loopback"
)

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

// aggregate makes what leads requests to other servers. The past leads nowhere: its servers may be gone, or others.
func (p *Program) aggregate(ctx context.Context, g *guards) (*aggregate.Aggregator, error) {
	if p.config.past {
		return nil, nil
	}
	a, err := aggregate.New(aggregate.Options{
		APIServices: g.informers.InformerFor(&apiregistrationv1.APIService{}, nil), Resolver: p.registry.WebhookServices(),
		ClientCert: p.frontProxy.client.CurrentCertKeyContent, RejectRedirects: p.frontProxy.options.RejectRedirects,
	})
	if err != nil {
		return nil, err
	}
	p.frontProxy.follow(ctx, a.Renew)
	return a, nil
}
