package app

import (
	"context"

	"k8s.io/client-go/informers"

	"kubarium/server/authz"
	"kubarium/server/loopback"
)

// authorization follows roles and bindings for the authorizer. In a mode that asks nobody it does nothing.
type authorization struct {
	dialer  *loopback.Dialer
	factory informers.SharedInformerFactory
}

// open makes the authorizer of a server that is about to serve.
func (a *authorization) open(modes authz.Modes, server string) (*authz.Authorizer, error) {
	if modes.Has(authz.ModeRBAC) {
		a.dialer = loopback.New(server)
		a.factory = informers.NewSharedInformerFactory(a.dialer.As("authorizer", "kubarium").Kubernetes(), 0)
	}
	return authz.New(modes, a.factory)
}

// start begins to follow, until ctx ends.
func (a *authorization) start(ctx context.Context) {
	if a.factory != nil {
		a.factory.Start(ctx.Done())
	}
}

// close waits for the end of what start began.
func (a *authorization) close() {
	if a.factory != nil {
		a.factory.Shutdown()
		a.dialer.Close()
	}
}
