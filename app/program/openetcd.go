package program

import (
	"context"
	"fmt"

	"kubarium/app/pki"
	"kubarium/etcdstore"
)

// reach connects to the etcd cluster that keeps the objects, if one is to, and fetches what is read before the store
// is opened.
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
