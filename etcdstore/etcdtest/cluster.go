package etcdtest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// patience is how long anything may take that must happen, on a machine that is busy with other things.
const patience = time.Minute

// A Cluster is an etcd cluster of processes, which end with the test that started it.
type Cluster struct {
	t       testing.TB
	members []*Member
	mu      sync.Mutex // guards what is cut off and what flows, of all members
	byID    map[string]*Member
}

// Start starts a cluster with flags of etcd after its own, and returns when each member answers. Members do not wait
// for the disk: what they have written outlives their processes, not the machine.
func Start(t testing.TB, members int, flags ...string) *Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("builds etcd")
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, byID: map[string]*Member{}}
	var initial []string
	for i := range members {
		m := newMember(c, fmt.Sprintf("m%d", i+1), program)
		c.members = append(c.members, m)
		initial = append(initial, m.name+"="+m.peerURL)
	}
	for _, m := range c.members {
		m.flags = append(m.flags, "--initial-cluster", strings.Join(initial, ","))
		m.flags = append(m.flags, flags...)
		m.Restart()
	}
	c.Await()
	return c
}

// Members are the cluster's members, those that do not run too.
func (c *Cluster) Members() []*Member { return c.members }

// Endpoints are where clients reach the members.
func (c *Cluster) Endpoints() []string {
	var all []string
	for _, m := range c.members {
		all = append(all, m.clientURL)
	}
	return all
}

// Client is a client of all members, which is closed when the test ends.
func (c *Cluster) Client(t testing.TB, options ...grpc.DialOption) *clientv3.Client {
	t.Helper()
	return Connect(t, c.Endpoints(), options...)
}

// Connect makes a client of some members, which is closed when the test ends.
func Connect(t testing.TB, endpoints []string, options ...grpc.DialOption) *clientv3.Client {
	t.Helper()
	client, err := connect(endpoints, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func connect(endpoints []string, options ...grpc.DialOption) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, DialOptions: options, Logger: zap.NewNop()})
}

// Await waits until each member that runs and is neither cut off nor isolated answers what the cluster agrees on.
func (c *Cluster) Await() {
	c.t.Helper()
	for _, m := range c.members {
		if !m.reachable() {
			continue
		}
		c.with(m, func(ctx context.Context, client *clientv3.Client) error {
			_, err := client.Get(ctx, "etcdtest")
			if err != nil {
				return err
			}
			s, err := client.Status(ctx, m.clientURL)
			if err == nil {
				m.setID(s.Header.MemberId)
			}
			return err
		})
	}
}

// Leader waits for a leader among the members that can be reached, and returns it.
func (c *Cluster) Leader() *Member {
	c.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, m := range c.members {
			if m.reachable() && m.leads() {
				return m
			}
		}
	}
	c.t.Fatal("no member leads")
	return nil
}

// MoveLeader makes a member the leader.
func (c *Cluster) MoveLeader(to *Member) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		from := c.Leader()
		if from == to {
			return
		}
		// An error is tried again: the leader may have changed since, and the member may still be catching up.
		_ = from.ask(func(ctx context.Context, client *clientv3.Client) error {
			_, err := client.MoveLeader(ctx, to.id())
			return err
		})
	}
	c.t.Fatalf("%s does not become the leader", to.name)
}

// with asks one member until it answers.
func (c *Cluster) with(m *Member, ask func(context.Context, *clientv3.Client) error) {
	c.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = m.ask(ask); err == nil {
			return
		}
	}
	c.t.Fatalf("%s does not answer: %v", m.name, err)
}

func httpURL(address string) string { return (&url.URL{Scheme: "http", Host: address}).String() }
