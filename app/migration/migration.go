// Package migration copies all objects, with the keys and certificates next to them, from one store to another.
package migration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/cli"
	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/etcdstore"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A Migration is what kubarium migrate is asked for.
type Migration struct {
	From, To string
	TLS      program.Etcd // without a URL
}

// check refuses what makes no sense, before anything is opened.
func (m *Migration) check() error {
	etcd := 0
	for flag, where := range map[string]string{"--from": m.From, "--to": m.To} {
		switch {
		case where == "":
			return fmt.Errorf("%s is missing: say a database file, or etcd://HOST:PORT/PREFIX", flag)
		case where == ":memory:":
			return fmt.Errorf("%s %s is a temporary database, which has nothing to migrate and keeps nothing", flag, where)
		case strings.Contains(where, "://"):
			etcd++
			e := m.etcd(flag, where)
			if err := e.Check(); err != nil {
				return err
			}
		}
	}
	switch {
	case m.From == m.To:
		return errors.New("--from and --to are the same store")
	case etcd == 0 && m.TLS != (program.Etcd{}):
		return errors.New("--etcd-cafile, --etcd-certfile, --etcd-keyfile and --etcd-compact-shared are for etcd://…")
	}
	return nil
}

// etcd is a cluster that a flag names.
func (m *Migration) etcd(flag, url string) *program.Etcd {
	e := m.TLS
	e.URL, e.Flag = url, flag
	return &e
}

func (m *Migration) Run(ctx context.Context, out, errs io.Writer) error {
	if err := m.check(); err != nil {
		return cli.Misuse(err)
	}
	program.QuietLibraries()
	from, err := m.source(ctx, cli.NewLogger(errs))
	if err != nil {
		return fmt.Errorf("--from %s: %w", m.From, err)
	}
	done, err := m.fill(ctx, from, errs)
	if err = errors.Join(err, from.close()); err != nil {
		return fmt.Errorf("nothing was migrated: %w", err)
	}
	fmt.Fprintf(out, "migrated %d objects to %s, at revision %d\n", done.Objects, m.To, done.Revision)
	return nil
}

func (m *Migration) fill(ctx context.Context, from *source, errs io.Writer) (done etcdstore.Filled, err error) {
	if strings.Contains(m.To, "://") {
		done, err = m.toEtcd(ctx, from, errs)
	} else {
		done, err = m.toFile(ctx, from)
	}
	if err != nil {
		err = fmt.Errorf("--to %s: %w", m.To, err)
	}
	return done, err
}

// A source is a store that objects are copied from.
type source struct {
	storage.Engine
	head    storage.Revision
	objects int // copied so far
	keys    map[string][]byte
	client  *clientv3.Client // nil of a file
}

func (s *source) close() error {
	err := s.Close()
	if s.client != nil {
		err = errors.Join(err, s.client.Close())
	}
	return err
}

// source opens the store that has the objects. Nobody else may use it.
func (m *Migration) source(ctx context.Context, logger *slog.Logger) (s *source, err error) {
	s = &source{}
	if !strings.Contains(m.From, "://") {
		if _, err := os.Stat(m.From); err != nil {
			return nil, err
		}
		if s.keys, err = pki.ReadShared(pki.Folder(m.From)); err != nil {
			return nil, err
		}
		if s.Engine, err = sqlitestore.Open(ctx, sqlitestore.Options{Path: m.From, Logger: logger}); err != nil {
			return nil, err
		}
	} else if err = s.openEtcd(ctx, m.etcd("--from", m.From), logger); err != nil {
		return nil, err
	}
	if s.head, err = s.Current(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *source) openEtcd(ctx context.Context, e *program.Etcd, logger *slog.Logger) (err error) {
	var prefix string
	if s.client, prefix, err = e.Connect(ctx); err != nil {
		return err
	}
	if s.keys, err = etcdstore.Files(ctx, s.client, prefix, nil); err == nil {
		err = unattended(ctx, s.client, prefix)
	}
	if err == nil {
		s.Engine, err = etcdstore.Open(ctx, etcdstore.Options{Client: s.client, Prefix: prefix, Logger: logger})
	}
	if err != nil {
		return errors.Join(err, s.client.Close())
	}
	return nil
}

// unattended refuses a store that servers serve.
func unattended(ctx context.Context, client *clientv3.Client, prefix string) error {
	servers, err := etcdstore.Servers(ctx, client, prefix)
	if err == nil && len(servers) > 0 {
		err = fmt.Errorf("it is in use by the server at %s; stop it, or wait 15 seconds if it was killed", strings.Join(servers, ", "))
	}
	return err
}

// errWritten is why a copy is given up that may lack something.
var errWritten = errors.New("the source was written to during the copy; stop its servers, and try again")

// tell hands all objects to state, and fails if some may be missing.
func (s *source) tell(ctx context.Context, state func(storage.Change) error) error {
	err := program.StateOf(ctx, s, s.head)(func(c storage.Change) error {
		s.objects++
		return state(c)
	})
	if err != nil {
		return err
	}
	later, err := s.Changes(ctx, "", s.head, 1)
	if err == nil && len(later) > 0 {
		err = errWritten
	}
	return err
}

// toFile makes a new database with the objects. If it fails, it removes the files that it made.
func (m *Migration) toFile(ctx context.Context, from *source) (done etcdstore.Filled, err error) {
	folder := pki.Folder(m.To)
	for _, path := range []string{m.To, folder} {
		if _, err := os.Lstat(path); err == nil {
			return done, fmt.Errorf("there is a file of that name already: %s", path)
		}
	}
	_, locked := os.Lstat(m.To + ".lock") // a database leaves it, also one that was not made
	defer func() {
		if err == nil {
			return
		}
		err = errors.Join(err, os.RemoveAll(folder))
		if locked != nil {
			_ = os.Remove(m.To + ".lock")
		}
	}()
	told := program.ToldBy(from.head, func(state func(storage.Change) error) error {
		if err := pki.WriteShared(folder, from.keys); err != nil { // while the database is marked as not whole
			return err
		}
		return from.tell(ctx, state)
	})
	to, err := sqlitestore.Open(ctx, sqlitestore.Options{Path: m.To, Begin: told})
	if err != nil {
		return done, err
	}
	done.Objects = from.objects
	done.Revision, _ = to.Head()
	return done, to.Close()
}

// toEtcd puts the objects into a cluster.
func (m *Migration) toEtcd(ctx context.Context, from *source, errs io.Writer) (done etcdstore.Filled, err error) {
	client, prefix, err := m.etcd("--to", m.To).Connect(ctx)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if err := unattended(ctx, client, prefix); err != nil {
		return done, err
	}
	f := &etcdstore.Filling{Client: client, Prefix: prefix, Above: from.head, Shared: m.TLS.Shared, Progress: progress(errs, from.head)}
	if len(from.keys) > 0 {
		f.Files = from.files
	}
	return f.Run(ctx, func(put func(storage.Change) error) error { return from.tell(ctx, put) })
}

// files are all keys and certificates that the servers of a store have in common: those of the source, and what its
// server had no need of yet.
func (s *source) files() (map[string][]byte, error) {
	files, err := pki.NewShared()
	if err == nil {
		maps.Copy(files, s.keys)
	}
	return files, err
}

// progressEvery is the time between two lines of progress.
const progressEvery = 5 * time.Second

// progress says on a line now and then how far it is.
func progress(errs io.Writer, above storage.Revision) func(storage.Revision, int) {
	var mu sync.Mutex
	last := time.Now()
	return func(newest storage.Revision, objects int) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		if objects == 0 {
			fmt.Fprintf(errs, "kubarium: etcd is at revision %d, and must come above %d\n", newest, above)
		} else {
			fmt.Fprintf(errs, "kubarium: %d objects are copied\n", objects)
		}
	}
}
