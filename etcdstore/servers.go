package etcdstore

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// attendance is after how many seconds a server that was killed is no longer listed: as in kube-apiserver.
const attendance = 15

// leaving is how long a server that ends waits until its key is gone.
const leaving = 2 * time.Second

// Attend announces to all servers of the store that one more serves it, under an address such as "10.0.0.7:6443",
// until ctx ends or the store has.
func (s *Store) Attend(ctx context.Context, address string) {
	for ctx.Err() == nil && s.running.Err() == nil {
		if err := s.attend(ctx, address); err != nil {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// attend keeps the server's key until ctx ends, or until etcd has not heard of it for too long.
func (s *Store) attend(ctx context.Context, address string) error {
	life, end := context.WithCancel(s.running)
	defer end()
	session, err := concurrency.NewSession(s.client.Client, concurrency.WithTTL(attendance), concurrency.WithContext(life))
	if err != nil {
		return err
	}
	defer func() {
		late := time.AfterFunc(leaving, end)
		defer late.Stop()
		_ = session.Close() // which takes the key away; if it cannot, time does
	}()
	if _, err := s.client.Put(ctx, s.keys.servers()+address, "", clientv3.WithLease(session.Lease())); err != nil {
		return err
	}
	select {
	case <-session.Done():
	case <-ctx.Done():
	}
	return nil
}

// Servers are the addresses of the servers that attend now, in order.
func (s *Store) Servers(ctx context.Context) ([]string, error) {
	return Servers(ctx, s.client.Client, s.options.Prefix)
}

// Servers are those of a store that is not open.
func Servers(ctx context.Context, etcd *clientv3.Client, prefix string) ([]string, error) {
	below := keysBelow(prefix).servers()
	got, err := client{etcd}.Get(ctx, below, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return nil, err
	}
	var addresses []string
	for _, kv := range got.Kvs {
		addresses = append(addresses, strings.TrimPrefix(string(kv.Key), below))
	}
	return addresses, nil
}
