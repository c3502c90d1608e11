package program

import (
	"context"
	"errors"
	"fmt"
	"os"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/pki"
	"kubarium/app/remedy"
	"kubarium/etcdstore"
)

// A cluster is the etcd cluster of a Program.
type cluster struct {
	client *clientv3.Client
	prefix string
	folder string // of the keys and certificates that all its servers have, as long as the Program runs
}

// reach connects to the etcd cluster that keeps the objects, if one is to, and fetches what is read before the store is opened.
func (p *Program) reach(ctx context.Context, c *Config) error {
	if c.Store.URL == "" {
		return nil
	}
	client, prefix, err := c.Store.Connect(ctx)
	if err != nil {
		return err
	}
	p.cluster = &cluster{client: client, prefix: prefix}
	p.closers.push(p.cluster.close)
	if p.cluster.folder, err = FetchKeys(ctx, client, prefix, pki.NewShared); err != nil {
		return fmt.Errorf("the keys in %s: %w", c.Store.URL, err)
	}
	c.keys, p.DB = p.cluster.folder, c.Store.whole(prefix)
	return nil
}

// FetchKeys writes the keys and certificates that all servers of a store have into a temporary folder; made makes them if there are none.
func FetchKeys(ctx context.Context, client *clientv3.Client, prefix string, made func() (map[string][]byte, error)) (folder string, err error) {
	files, err := etcdstore.Files(ctx, client, prefix, made)
	if err != nil {
		return "", err
	}
	if folder, err = os.MkdirTemp("", "kubarium-pki-"); err != nil {
		return "", remedy.Add(err, remedy.Temporary)
	}
	if err = pki.WriteShared(folder, files); err != nil {
		return "", errors.Join(remedy.Add(err, remedy.Temporary), os.RemoveAll(folder))
	}
	return folder, nil
}

// close ends the connection, and removes the keys from this machine.
func (c *cluster) close() error {
	return errors.Join(c.client.Close(), os.RemoveAll(c.folder))
}

// openEtcd opens the store in the cluster.
func (p *Program) openEtcd(ctx context.Context, c Config) (err error) {
	p.shared, err = etcdstore.Open(ctx, etcdstore.Options{
		Client: p.cluster.client, Prefix: p.cluster.prefix, History: c.History, Shared: c.Store.Shared, Logger: p.logger,
		Compacted: p.compacted, Health: p.healthChanged,
	})
	if err != nil {
		return err
	}
	p.store = p.shared
	return nil
}
