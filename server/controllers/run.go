package controllers

import (
	"context"
	"log/slog"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"

	"kubarium/server/loopback"
)

// manager is the field manager of what controllers write.
const manager = "kube-controller-manager"

// A controller is one loop, which runs until its context ends.
type controller struct {
	name     string
	alias    string // the name that it had before; "" if it had none
	run      func(context.Context, host)
	workload bool // "*" means it only where there are simulated nodes
}

// known are all controllers that can be switched off.
var known = append([]controller{
	{name: names.NamespaceController, alias: "namespace", run: runNamespaces},
	{name: names.PodGarbageCollectorController, alias: "podgc", run: runPods},
	{name: names.GarbageCollectorController, alias: "garbagecollector", run: runGarbage},
	{name: names.ServiceAccountController, alias: "serviceaccount", run: runServiceAccounts},
	{name: names.RootCACertificatePublisherController, alias: "root-ca-cert-publisher", run: runRootCA},
	{name: names.ClusterRoleAggregationController, alias: "clusterrole-aggregation", run: runAggregation},
	{name: names.ResourceQuotaController, alias: "resourcequota", run: runQuotas},
	{name: KubeScheduler, run: runScheduler, workload: true},
}, workloadControllers()...)

func workloadControllers() (all []controller) {
	for _, w := range workloads {
		all = append(all, controller{name: w.name, alias: w.alias, run: official(w.make), workload: true})
	}
	return all
}

// A host has what a controller works with.
type host struct {
	server loopback.Server
	client loopback.Client // in the name of the controller
	name   string          // of the controller
	nodes  bool            // whether there are simulated nodes
	shared *shared
	log    *slog.Logger
}

// api is the official client.
func (h host) api() kubernetes.Interface { return h.client.Kubernetes() }

// plain is Kubarium's own.
func (h host) plain() Client { return Client{Server: h.server.URL, Name: h.name, HTTP: h.client.HTTP} }

// Options say which controllers run.
type Options struct {
	List   List
	Nodes  bool    // whether there are simulated nodes
	Switch *Switch // by which they are paused; nil for not at all
	Log    *slog.Logger
}

// Run runs controllers against a server until ctx ends.
func Run(ctx context.Context, server loopback.Server, o Options) {
	dialer := loopback.To(server)
	defer dialer.Close()
	informers := informers.NewSharedInformerFactory(dialer.As("shared-informers", manager).Kubernetes(), 0)
	defer informers.Shutdown()
	if o.Switch == nil {
		o.Switch = &Switch{}
	}
	var wg sync.WaitGroup
	for _, c := range known {
		if o.List.Enabled(c.name, o.Nodes) {
			h := host{server, dialer.As(c.name, managerOf(c.name)), c.name, o.Nodes, &shared{ctx, informers}, o.Log}
			wg.Go(func() { o.Switch.keep(ctx, c.name, func(ctx context.Context) { c.run(ctx, h) }) })
		}
	}
	wg.Wait()
}

// managerOf is the field manager of what a controller writes.
func managerOf(name string) string {
	if name == KubeScheduler {
		return KubeScheduler
	}
	return manager
}
