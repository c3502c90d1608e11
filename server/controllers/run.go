package controllers

import (
	"context"
	"log/slog"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"

	"kubarium/server/loopback"
)

// manager is the field manager of what controllers write.
const manager = "kube-controller-manager"

// A controller is one loop, which runs until its context ends.
type controller struct {
	name string
	run  func(context.Context, host)
}

// known are all controllers that can be switched off.
var known = []controller{
	{names.NamespaceController, runNamespaces},
	{names.PodGarbageCollectorController, runPods},
	{names.GarbageCollectorController, runGarbage},
	{names.ServiceAccountController, runServiceAccounts},
	{names.RootCACertificatePublisherController, runRootCA},
	{names.ClusterRoleAggregationController, runAggregation},
	{names.ResourceQuotaController, runQuotas},
}

// A host has what a controller works with.
type host struct {
	server loopback.Server
	client loopback.Client // in the name of the controller
	name   string          // of the controller
	log    *slog.Logger
}

// api is the official client.
func (h host) api() kubernetes.Interface { return h.client.Kubernetes() }

// plain is Kubarium's own.
func (h host) plain() Client { return Client{Server: h.server.URL, Name: h.name, HTTP: h.client.HTTP} }

// Run runs the controllers of a list against a server until ctx ends.
func Run(ctx context.Context, server loopback.Server, list List, log *slog.Logger) {
	dialer := loopback.To(server)
	defer dialer.Close()
	var wg sync.WaitGroup
	for _, c := range known {
		if list.Enabled(c.name) {
			wg.Go(func() { c.run(ctx, host{server, dialer.As(c.name, manager), c.name, log}) })
		}
	}
	wg.Wait()
}
