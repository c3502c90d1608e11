package program

import (
	"context"
	"os"
	"path/filepath"

	"kubarium/sqlitestore"
)

// openStore opens the store, in etcd or a database file.
func (p *Program) openStore(ctx context.Context, c Config) (err error) {
	p.health = make(chan struct{}, 1)
	if p.cluster != nil {
		err = p.openEtcd(ctx, c)
	} else {
		err = p.openFile(ctx, c)
	}
	if err == nil {
		p.closers.push(p.store.Close)
	}
	return err
}

// openFile opens the database file.
func (p *Program) openFile(ctx context.Context, c Config) (err error) {
	if c.DB != ":memory:" {
		if err := os.MkdirAll(filepath.Dir(c.DB), 0o700); err != nil {
			return c.Advise(err)
		}
	}
	p.file, err = sqlitestore.Open(ctx, sqlitestore.Options{
		Path: c.DB, Sync: c.Sync, History: c.History, Logger: p.logger, Begin: c.beginning(ctx), Compacted: p.compacted, Health: p.healthChanged,
	})
	if err != nil {
		return c.Advise(err)
	}
	p.store = p.file
	return nil
}

// Where says where the objects are.
func (p *Program) Where() string {
	if p.shared != nil {
		return "store=" + p.DB
	}
	return "db=" + p.DB
}

// File is the database file that keeps the objects; nil where that is etcd.
func (p *Program) File() *sqlitestore.Store { return p.file }
