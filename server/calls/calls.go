package calls

import (
	"context"
	"net"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// A Way leads to webhooks.
type Way struct {
	Services webhook.ServiceResolver // finds those behind a Service
	// Dial opens all connections to webhooks; nil is the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Through is a resolver whose clients send their requests through a further transport, on this way.
func (w Way) Through(next webhook.AuthenticationInfoResolver, further transport.WrapperFunc) webhook.AuthenticationInfoResolver {
	through := func(c *rest.Config, err error) (*rest.Config, error) {
		if err != nil {
			return nil, err
		}
		c = rest.CopyConfig(c) // which may be that of the loopback
		c.Wrap(further)
		if w.Dial != nil {
			c.Dial = w.Dial
		}
		return c, nil
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) { return through(next.ClientConfigFor(hostPort)) },
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return through(next.ClientConfigForService(name, namespace, port))
		},
	}
}
