package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// Fork starts a server with a state of this one's.
func (p *Program) Fork(ctx context.Context, asked debug.ForkRequest) (debug.Fork, error) {
	at, err := p.forkedAt(ctx, asked)
	if err != nil {
		return debug.Fork{}, err
	}
	p.forks.mu.Lock()
	defer p.forks.mu.Unlock()
	switch {
	case p.forks.closed:
		return debug.Fork{}, errors.New("the server is stopping")
	case len(p.forks.running) >= maxForks:
		return debug.Fork{}, errTooManyForks
	}
	c, err := p.forkConfig(asked, at)
	if err != nil {
		return debug.Fork{}, err
	}
	child, err := Start(ctx, c, p.logger)
	if err != nil {
		return debug.Fork{}, errors.Join(forkError(err), c.removeFork(err))
	}
	p.forks.last++
	f := debug.Fork{ID: p.forks.last, URL: child.URL, Secure: child.Secure, Revision: int64(at), File: child.DB}
	p.forks.running = append(p.forks.running, &fork{f, child.Close})
	return f, nil
}

// forkedAt is the revision that is asked for. It refuses a revision that cannot be read.
func (p *Program) forkedAt(ctx context.Context, asked debug.ForkRequest) (storage.Revision, error) {
	newest, readable := p.store.Head()
	at := storage.Revision(asked.Revision)
	switch {
	case asked.Snapshot != "" && at != 0:
		return 0, debug.Wrong(errors.New("say a revision or a snapshot, not both"))
	case asked.Snapshot != "":
		s, err := p.snapshots.named(ctx, asked.Snapshot)
		return s.Revision, err
	case at < 0:
		return 0, debug.Wrong(fmt.Errorf("revision is a number from 1 on, not %d", at))
	case at == 0:
		return newest, nil
	case at > newest:
		return 0, &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
	case at >= readable:
		return at, nil
	}
	expired := &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: readable}
	if p.file == nil {
		return 0, expired
	}
	all, err := p.snapshots.all(ctx)
	if err == nil && !slices.ContainsFunc(all, func(s storage.Snapshot) bool { return s.Revision == at }) {
		err = expired
	}
	return at, err
}

// forkConfig is the configuration of a fork: the parent's except for its ports and its file.
func (p *Program) forkConfig(asked debug.ForkRequest, at storage.Revision) (c Config, err error) {
	c = p.config
	c.origin, c.Remedy = p.origin(at), "the database of a fork is next to that of the first server"
	if c.Announce != "" {
		c.Announce = "fork"
	}
	c.Store = Etcd{}    // a fork has a file
	c.Record = Record{} // it is of the first server
	c.Command = false
	c.Audit = c.Audit.beside(fmt.Sprintf("fork-%d", p.forks.last+1))
	switch {
	case c.Listen != "":
		c.Listen = cmp.Or(asked.Listen, "127.0.0.1:0")
	case asked.Listen != "": // any client of the port would be an administrator
		return c, debug.Wrong(errors.New("a fork has a plain port only where the first server has one; this one has HTTPS alone"))
	}
	if c.Secure.Listen != "" {
		host, _, err := net.SplitHostPort(c.Secure.Listen)
		if err != nil {
			return c, err
		}
		c.Secure.Listen = net.JoinHostPort(host, "0")
	}
	c.DB, err = p.forkFile(asked.File, at)
	return c, err
}

// forkError is why a fork did not start; what was asked wrongly is a refusal.
func forkError(err error) error {
	var address *net.OpError // one that nothing can listen on
	if cli.IsMisuse(err) || errors.As(err, &address) && address.Op == "listen" {
		return debug.Wrong(err)
	}
	return err
}

// EndFork ends a fork. Its file stays, unless it is temporary.
func (p *Program) EndFork(id int) error {
	p.forks.mu.Lock()
	defer p.forks.mu.Unlock()
	i := slices.IndexFunc(p.forks.running, func(f *fork) bool { return f.ID == id })
	if i < 0 {
		return fmt.Errorf("fork %d: %w", id, storage.ErrNotFound)
	}
	f := p.forks.running[i]
	p.forks.running = slices.Delete(p.forks.running, i, i+1)
	return f.end()
}

// Forks returns the forks that run, the oldest first.
func (p *Program) Forks() []debug.Fork {
	p.forks.mu.Lock()
	defer p.forks.mu.Unlock()
	var all []debug.Fork
	for _, f := range p.forks.running {
		all = append(all, f.Fork)
	}
	return all
}

// origin is what a fork of a revision takes from this server.
func (p *Program) origin(at storage.Revision) *origin {
	return &origin{credentials: p.credentials, certificate: p.certificate, begin: func(ctx context.Context) sqlitestore.Beginning {
		if p.file == nil {
			return ToldBy(at, StateOf(ctx, p.store, at))
		}
		return &sqlitestore.State{Of: p.file, At: at}
	}}
}
