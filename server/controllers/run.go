package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
)

// Run runs all controllers against a server until ctx ends.
func Run(ctx context.Context, server string, log *slog.Logger) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	named := func(name string) Client { return Client{Server: server, Name: name, HTTP: client} }
	f := &furnisher{Client: named("furniture"), log: log}
	e := &emptier{Client: named("namespaces"), log: log}
	p := &podCollector{Client: named("pods"), log: log}

	var wg sync.WaitGroup
	f.kubernetesService(ctx)
	for _, loop := range []struct {
		client Client
		path   string
		act    func(context.Context, json.RawMessage)
	}{
		{f.Client, "/api/v1/namespaces", f.furnish},
		{e.Client, "/api/v1/namespaces", e.empty},
		{p.Client, "/api/v1/pods", p.collect},
	} {
		wg.Go(func() { loop.client.follow(ctx, log, loop.path, present(loop.act)) })
	}
	wg.Go(func() { newCollector(named("garbage"), log).run(ctx) })
	wg.Go(func() { f.seed(ctx) })
	wg.Go(func() { (&aggregator{Client: named("clusterroles"), log: log}).run(ctx) })
	wg.Go(func() { (&danglingTeller{Client: named("flowschemas"), log: log}).run(ctx) })
	wg.Go(func() { (&addressBook{Client: named("addresses"), log: log}).run(ctx) })
	wg.Wait()
	e.wait()
}
