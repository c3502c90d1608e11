package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/pki"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// maxForks is how many forks a Program may have at once: each is a whole server.
const maxForks = 16

// forks are the servers that began with a state of this one's, and end with it.
type forks struct {
	mu      sync.Mutex // guards the rest, and is held while one starts or ends
	running []*fork
	last    int
	closed  bool
}

// A fork is one of them.
type fork struct {
	*Program
	id       int
	revision storage.Revision
}

// An origin is where a fork's Program comes from.
type origin struct {
	parent *Program
	at     storage.Revision
}

var (
	errTooManyForks = debug.Refusal(http.StatusConflict, fmt.Errorf("there are %d forks already; end one", maxForks))
	errFewFiles     = debug.Refusal(http.StatusServiceUnavailable, errors.New("too few open files are allowed"))
	errForkFile     = debug.Refusal(http.StatusConflict, errors.New("there is a file of that name already"))
)

// fileName is what a fork's file may be called: nothing that leads elsewhere, or that stands beside another database.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// besides are the ends of names of what stands beside a database.
var besides = []string{"-wal", "-shm", "-journal", ".lock", ".pki"}

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
	f := &fork{Program: child, id: p.forks.last, revision: at}
	p.forks.running = append(p.forks.running, f)
	return f.row(), nil
}

// row is the fork as /debug/fork has it.
func (f *fork) row() debug.Fork {
	return debug.Fork{ID: f.id, URL: f.URL, Secure: f.Secure, Revision: int64(f.revision), File: f.DB}
}

// forkedAt is the revision that is asked for. It refuses one that cannot be read before anything is made for it.
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

// forkConfig is the configuration of a fork: the parent's but for its ports and its file.
func (p *Program) forkConfig(asked debug.ForkRequest, at storage.Revision) (c Config, err error) {
	c = p.config
	c.origin, c.Remedy = &origin{p, at}, "the database of a fork is beside that of the first server"
	if c.Announce != "" {
		c.Announce = "fork"
	}
	c.Store = Etcd{}    // a fork has a file
	c.Record = Record{} // it is of the first server
	c.Audit = c.Audit.beside(fmt.Sprintf("fork-%d", p.forks.last+1))
	switch {
	case c.Listen != "":
		c.Listen = cmp.Or(asked.Listen, "127.0.0.1:0")
	case asked.Listen != "": // whoever reaches it would be an administrator
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

// forkFile is the path of a fork's database: beside the parent's, or temporary if that is. A parent on etcd has none: its fork is temporary
// unless it is given a name, and then where databases are.
func (p *Program) forkFile(name string, at storage.Revision) (string, error) {
	if p.file == nil && name == "" {
		return ":memory:", nil
	}
	if p.DB == ":memory:" {
		if name != "" {
			return "", debug.Wrong(errors.New("the database is a temporary one, and so is a fork's: it has no file name"))
		}
		return p.DB, nil
	}
	folder := filepath.Dir(p.config.DB)
	if name != "" {
		if err := checkFileName(name); err != nil {
			return "", err
		}
		path := filepath.Join(folder, name)
		if isThere(path) {
			return "", fmt.Errorf("%w: %s", errForkFile, name)
		}
		return path, nil
	}
	ext := filepath.Ext(p.DB)
	begin := fmt.Sprintf("%s-%d", strings.TrimSuffix(p.DB, ext), at)
	for n := 2; ; n++ {
		if path := begin + ext; !isThere(path) {
			return path, nil
		}
		begin = fmt.Sprintf("%s-%d-%d", strings.TrimSuffix(p.DB, ext), at, n)
	}
}

func checkFileName(name string) error {
	beside := slices.ContainsFunc(besides, func(end string) bool { return strings.HasSuffix(name, end) })
	if beside || !fileName.MatchString(name) {
		return debug.Wrong(errors.New("file is the name of a new database beside this one, of letters, digits, \".\", \"-\" and \"_\", such as fork.db"))
	}
	return nil
}

// isThere tells whether a database has that path, or whether something stands there beside which one would not be alone.
func isThere(path string) bool {
	for _, end := range append([]string{""}, besides...) {
		if _, err := os.Lstat(path + end); err == nil {
			return true
		}
	}
	return false
}

// removeFork removes what a fork that did not start has left, unless a file that was there kept it from starting: that is not the fork's.
func (c *Config) removeFork(why error) error {
	if c.DB == ":memory:" || errors.Is(why, sqlitestore.ErrIsThere) || errors.Is(why, sqlitestore.ErrInUse) {
		return nil
	}
	var errs []error
	for _, end := range append([]string{""}, besides...) {
		errs = append(errs, os.RemoveAll(c.DB+end))
	}
	if c.Audit.AuditOptions != nil && c.Audit.LogOptions.Path != "" && c.Audit.LogOptions.Path != "-" {
		if s, err := os.Stat(c.Audit.LogOptions.Path); err == nil && s.Size() == 0 {
			errs = append(errs, os.Remove(c.Audit.LogOptions.Path))
		}
	}
	return errors.Join(errs...)
}

// forkError is why a fork did not start; what it was asked wrongly is told as that.
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
	i := slices.IndexFunc(p.forks.running, func(f *fork) bool { return f.id == id })
	if i < 0 {
		return fmt.Errorf("fork %d: %w", id, storage.ErrNotFound)
	}
	f := p.forks.running[i]
	p.forks.running = slices.Delete(p.forks.running, i, i+1)
	return f.Close()
}

// close ends all forks, and lets none begin.
func (fs *forks) close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	errs := make([]error, len(fs.running))
	var ending sync.WaitGroup
	for i, f := range fs.running {
		ending.Go(func() { errs[i] = f.Close() })
	}
	ending.Wait()
	fs.running = nil
	return errors.Join(errs...)
}

// Forks returns the forks that run, the oldest first.
func (p *Program) Forks() []debug.Fork {
	p.forks.mu.Lock()
	defer p.forks.mu.Unlock()
	var all []debug.Fork
	for _, f := range p.forks.running {
		all = append(all, f.row())
	}
	return all
}

// beginning is what a new database begins with; nil for nothing. A fork's is a state of its parent's store.
func (c *Config) beginning(ctx context.Context) sqlitestore.Beginning {
	o := c.origin
	switch {
	case o == nil:
		return c.Begin
	case o.parent.file == nil:
		return ToldBy(o.at, StateOf(ctx, o.parent.store, o.at))
	}
	return &sqlitestore.State{Of: o.parent.file, At: o.at}
}

// folder is where the keys and certificates of a Program are: those of a fork are its parent's, so that whoever is known there is known here.
func (c *Config) folder() string {
	if c.origin != nil {
		return c.origin.parent.credentials.folder
	}
	if c.keys != "" {
		return c.keys
	}
	return pki.Folder(c.DB)
}

// inherit gives a fork the keys of a parent that keeps them in memory.
func (p *Program) inherit(o *origin) {
	if o == nil || p.credentials.folder != "" {
		return
	}
	if p.credentials.signingKey == nil {
		p.credentials.signingKey, p.credentials.keys = o.parent.credentials.signingKey, o.parent.credentials.keys
	}
	if p.certificate.ca == nil {
		p.certificate.ca = o.parent.certificate.ca
	}
}
