package program

import (
	"context"

	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"kubarium/server/aggregate"
)

// availability keeps the conditions of APIServices until ctx ends, from when the bootstrap objects are there.
func (p *Program) availability(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-p.Bootstrapped():
	}
	if p.guards.aggregator == nil || !p.api.Serves(apiregistrationv1.SchemeGroupVersion.WithResource("apiservices")) {
		return
	}
	c := p.guards.dialer.As("apiservice-availability", "kube-apiserver")
	api, err := apiregistrationclient.NewForConfigAndClient(c.Config, c.HTTP)
	if err != nil {
		panic(err) // the address of our own server is no URL
	}
	(&aggregate.Availability{Aggregator: p.guards.aggregator, Informers: p.guards.informers, Client: api}).Run(ctx)
}
