package app

import (
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"kubarium/server/aggregate"
)

// aggregate makes what leads requests to other servers. The past leads nowhere: its servers may be gone, or others.
func (p *Program) aggregate(g *guards) (*aggregate.Aggregator, error) {
	if p.config.past {
		return nil, nil
	}
	return aggregate.New(aggregate.Options{
		APIServices: g.informers.InformerFor(&apiregistrationv1.APIService{}, nil),
		Resolver:    p.registry.WebhookServices(),
	})
}
