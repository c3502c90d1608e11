package etcdtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore/etcdtest"
)

// A member that is killed has what it had when it is back; one that is cut off answers nobody, and hears of what the others have agreed on only
// when it is mended, as one does that is isolated; and the cluster goes on without it.
func TestCluster(t *testing.T) {
	c := etcdtest.Start(t, 3)
	client, n := c.Client(t), 0
	put := func() {
		t.Helper()
		n++
		for deadline := time.Now().Add(time.Minute); ; {
			// What was handed to a leader that is gone then is never answered: it is asked again.
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			_, err := client.Put(ctx, "a", fmt.Sprint(n))
			cancel()
			switch {
			case err == nil:
				return
			case time.Now().After(deadline):
				t.Fatal(err)
			}
		}
	}
	has := func(m *etcdtest.Member) {
		t.Helper()
		if got := ask(t, m); got != fmt.Sprint(n) {
			t.Errorf("%s has %q, want %d", m.Name(), got, n)
		}
	}
	put()
	for _, m := range c.Members() {
		has(m)
		m.Kill()
		put()
		m.Restart()
		c.Await()
		has(m)
	}
	for range c.Members() {
		m := c.Leader()
		m.Cut()
		put()
		if other := c.Leader(); other == m {
			t.Errorf("%s still leads", m.Name())
		}
		m.Mend()
		c.Await()
		has(m)
	}
	m := c.Leader()
	m.Isolate()
	last := n
	put()
	if got := ask(t, m, clientv3.WithSerializable()); got != fmt.Sprint(last) {
		t.Errorf("%s has %q while it is isolated, want %d", m.Name(), got, last)
	}
	m.Mend()
	c.Await()
	has(m)
	for _, m := range c.Members() {
		c.MoveLeader(m)
		if c.Leader() != m {
			t.Errorf("%s does not lead", m.Name())
		}
	}
}

func ask(t *testing.T, m *etcdtest.Member, how ...clientv3.OpOption) string {
	t.Helper()
	client := etcdtest.Connect(t, []string{m.Endpoint()})
	got, err := client.Get(t.Context(), "a", how...)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return string(got.Kvs[0].Value)
}
