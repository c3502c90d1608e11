package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The load on several servers of one etcd cluster: so many clients at once, for so long each kind of request, on lists of so many objects.
const (
	clients  = 32
	loadFor  = 5 * time.Second
	listed   = 1000
	severals = "several" // begins the names of namespaces
)

// A load is one kind of request. Each client has a number of its own, and counts its requests.
type load struct {
	figure figure
	ask    func(ctx context.Context, s *server, client, n int) error
}

var loads = []load{
	{figure{title: "Creates", unit: "1/s"}, func(ctx context.Context, s *server, client, n int) error {
		_, err := s.send(ctx, http.MethodPost, "/api/v1/namespaces/"+severals+"-creates/configmaps", severalMap(fmt.Sprintf("m-%d-%d-%d", time.Now().UnixNano(), client, n), n))
		return err
	}},
	{figure{title: "Updates", unit: "1/s"}, func(ctx context.Context, s *server, client, n int) error {
		name := fmt.Sprintf("u-%d", client)
		_, err := s.send(ctx, http.MethodPut, "/api/v1/namespaces/"+severals+"-updates/configmaps/"+name, severalMap(name, n))
		return err
	}},
	{figure{title: "Consistent gets", unit: "1/s"}, getFrom("/m-7")},
	{figure{title: "Gets at resourceVersion 0", unit: "1/s"}, getFrom("/m-7?resourceVersion=0")},
	{figure{title: "Consistent lists of 1,000", unit: "1/s"}, getFrom("")},
	{figure{title: "Lists of 1,000 at resourceVersion 0", unit: "1/s"}, getFrom("?resourceVersion=0")},
}

func getFrom(path string) func(context.Context, *server, int, int) error {
	return func(ctx context.Context, s *server, _, _ int) error {
		return s.drain(ctx, "/api/v1/namespaces/"+severals+"-lists/configmaps"+path)
	}
}

// severalMap is a ConfigMap of 1 KB.
func severalMap(name string, n int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"scale"}},"data":{"n":"%d","pad":%q}}`, name, n, strings.Repeat("x", 1000))
}

// measureSeveral measures n Kubariums on one etcd cluster, and by turns with them another API server, if one is named.
func measureSeveral(ctx context.Context, o options, n int, c column) (err error) {
	var servers []*server
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.stop())
		}
	}()
	for range n {
		s, err := serve(ctx, o, "--store", o.store)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	turns := []turn{{"Kubarium", servers}}
	if o.peer != "" {
		turns = append(turns, turn{"kube-apiserver", []*server{newPeer(o.peer)}})
	}
	for _, t := range turns {
		if err := t.prepare(ctx); err != nil {
			return err
		}
	}
	for _, l := range loads {
		for _, t := range turns {
			rate, err := t.rate(ctx, l)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", strings.ToLower(l.figure.title), t.name, err)
			}
			c.note(l.figure, t.name, 0, rate)
		}
	}
	return nil
}

// A turn is that of the servers of one sort.
type turn struct {
	name    string
	servers []*server
}

// prepare makes the objects that are updated and listed, unless they are there.
func (t turn) prepare(ctx context.Context) error {
	s := t.servers[0]
	for _, ns := range []string{"-creates", "-updates", "-lists"} {
		if _, err := s.get(ctx, "/api/v1/namespaces/"+severals+ns); err == nil {
			continue
		}
		if _, err := s.send(ctx, http.MethodPost, "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":%q}}`, severals+ns)); err != nil {
			return err
		}
		maps, prefix := 0, "m"
		switch ns {
		case "-updates":
			maps, prefix = clients, "u"
		case "-lists":
			maps = listed
		}
		for i := range maps {
			if _, err := s.send(ctx, http.MethodPost, "/api/v1/namespaces/"+severals+ns+"/configmaps", severalMap(fmt.Sprintf("%s-%d", prefix, i), 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// rate is how many requests a second all clients together have answered, each by one of the servers.
func (t turn) rate(ctx context.Context, l load) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var answered atomic.Int64
	var asking sync.WaitGroup
	begun := time.Now()
	for client := range clients {
		asking.Go(func() {
			for n := 1; ctx.Err() == nil && time.Since(begun) < loadFor; n++ {
				if err := l.ask(ctx, t.servers[client%len(t.servers)], client, n); err != nil {
					cancel(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	asking.Wait()
	return float64(answered.Load()) / time.Since(begun).Seconds(), context.Cause(ctx)
}
