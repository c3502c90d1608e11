// Package calls has what Kubernetes' own clients of webhooks have in common, whatever those are asked: the way to their transports.
package calls

import (
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Through is a resolver whose clients send their requests through a further transport.
func Through(next webhook.AuthenticationInfoResolver, further transport.WrapperFunc) webhook.AuthenticationInfoResolver {
	through := func(c *rest.Config, err error) (*rest.Config, error) {
		if err != nil {
			return nil, err
		}
		c = rest.CopyConfig(c) // which may be that of the loopback
		c.Wrap(further)
		return c, nil
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) { return through(next.ClientConfigFor(hostPort)) },
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return through(next.ClientConfigForService(name, namespace, port))
		},
	}
}
