// Package testservers runs API servers that tests ask for over HTTP, all of them in one process (docs/apitest.md).
package testservers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/cli"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/server/controllers"
	"kubarium/server/features"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// testServers are API servers that tests have asked for. They share a process and nothing else, but for the feature
// gates of Kubernetes' packages.
type testServers struct {
	ctx    context.Context
	gates  features.Gates
	logger *slog.Logger
	folder string // of their databases

	starting sync.WaitGroup // starts under way; one is added with mu held, unless closed

	mu        sync.Mutex // guards the rest
	count     int
	running   map[string]*testServer
	templates map[string]*sqlitestore.State // what servers with the same flags begin with
	closed    bool
}

// A testServer is one of them.
type testServer struct {
	id     string
	folder string
	*program.Program
}

// newTestServers returns an empty set. ctx ends starts that are under way.
func newTestServers(ctx context.Context, gates features.Gates, logger *slog.Logger) (*testServers, error) {
	folder, err := os.MkdirTemp("", "kubarium-apitest-")
	if err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	return &testServers{ctx: ctx, gates: gates, logger: logger, folder: folder, running: map[string]*testServer{}, templates: map[string]*sqlitestore.State{}}, nil
}

// ownedFlags are those of serve that a test cannot set, and why.
var ownedFlags = map[string]string{
	"listen":        "each server has a free port",
	"secure-listen": "each server has a free port",
	"db":            "each server has a database of its own, gone with it",
	"sync":          "a test's database never waits for the disk",
	"feature-gates": "they are of the process; give them to kubarium apitest",
}

// config reads the flags of a server, those of kubarium serve. Without them it is as envtest's kube-apiserver: RBAC
// decides, no controllers run except for those of nodes, and pods need no ServiceAccount.
func (s *testServers) config(args []string) (c program.Config, err error) {
	f := pflag.NewFlagSet("args", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	c.Flags(f)
	c.Controllers = controllers.List{}
	c.Admission.Disable = []string{"ServiceAccount"}
	if err := c.Modes.Set("RBAC"); err != nil {
		return c, err
	}
	if err := f.Parse(args); err != nil {
		return c, cli.Misuse(err)
	}
	if rest := f.Args(); len(rest) > 0 {
		return c, cli.Misuse(fmt.Errorf("args are flags of kubarium serve; %q is none", rest[0]))
	}
	f.Visit(func(flag *pflag.Flag) {
		if why := ownedFlags[flag.Name]; why != "" && err == nil {
			err = cli.Misuse(fmt.Errorf("--%s cannot be set: %s", flag.Name, why))
		}
	})
	if c.Nodes > 0 && !f.Changed("controllers") { // what runs on nodes is made by controllers
		c.Controllers = controllers.All()
	}
	c.Listen, c.Secure.Listen, c.DB, c.Sync, c.Features = "127.0.0.1:0", "127.0.0.1:0", "", "off", s.gates
	c.Announce = "apitest"
	return c, err
}

// start makes a server, with all objects that it has from its start.
func (s *testServers) start(ctx context.Context, args []string) (_ *testServer, err error) {
	c, err := s.config(args)
	if err != nil {
		return nil, err
	}
	id, folder, err := s.next()
	if err != nil {
		return nil, err
	}
	defer s.starting.Done()
	key := strings.Join(args, "\x00")
	c.DB = filepath.Join(folder, "kubarium.db")
	if t := s.template(key); t != nil {
		c.Begin = t
	}
	p, err := program.Start(s.ctx, c, s.logger.With("server", id))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	t := &testServer{id: id, folder: folder, Program: p}
	select {
	case <-p.Started():
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), t.end())
	}
	if c.Begin == nil {
		if err := s.keepTemplate(ctx, key, t); err != nil {
			return nil, errors.Join(err, t.end())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(errEnding, t.end())
	}
	s.running[id] = t
	return t, nil
}

// template is the state of a server with the same flags after its start; each object gets a new uid. A server starts
// faster with it than with nothing. It is nil for the first server.
func (s *testServers) template(key string) *sqlitestore.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.templates[key]
}

// keepTemplate copies the state of a server after its start.
func (s *testServers) keepTemplate(ctx context.Context, key string, t *testServer) error {
	newest, _ := t.File().Head()
	kept, err := sqlitestore.Open(ctx, sqlitestore.Options{
		Path: filepath.Join(s.folder, "template-"+t.id+".db"), Sync: "off", Begin: &sqlitestore.State{Of: t.File(), At: newest}, Logger: s.logger,
	})
	if err != nil {
		return err
	}
	if newest, err = withoutTrust(ctx, kept); err != nil {
		return errors.Join(err, kept.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.templates[key] != nil || s.closed { // another one was faster
		return kept.Close()
	}
	s.templates[key] = &sqlitestore.State{Of: kept, At: newest, Anew: true}
	return nil
}

// withoutTrust removes the ConfigMap that says whose certificates are believed. A server adds its own CA to those
// that it finds there, as one of several servers of a cluster.
func withoutTrust(ctx context.Context, s *sqlitestore.Store) (at storage.Revision, err error) {
	trust := storage.NewKey("configmaps", metav1.NamespaceSystem, "extension-apiserver-authentication")
	r, err := s.Get(ctx, trust, 0)
	switch {
	case err == nil:
		_, err = s.Write(ctx, storage.Write{Op: storage.OpDelete, Key: trust, Expect: r.Revision})
	case errors.Is(err, storage.ErrNotFound): // it is made a moment later
		err = nil
	}
	at, _ = s.Head()
	return at, err
}

// errEnding is the error of a start while the process ends.
var errEnding = errors.New("the process ends")

// next names a server and makes its folder. The server is starting then.
func (s *testServers) next() (id, folder string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", "", errEnding
	}
	s.count++
	id = strconv.Itoa(s.count)
	folder = filepath.Join(s.folder, id)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", "", err
	}
	s.starting.Add(1)
	return id, folder, nil
}

// get returns a server that runs, or nil.
func (s *testServers) get(id string) *testServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[id]
}

// all are those that run, in the order in which they were made.
func (s *testServers) all() (all []*testServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.count {
		if t := s.running[strconv.Itoa(n+1)]; t != nil {
			all = append(all, t)
		}
	}
	return all
}

// end ends a server and reports whether there was one.
func (s *testServers) end(id string) (there bool, err error) {
	s.mu.Lock()
	t := s.running[id]
	delete(s.running, id)
	s.mu.Unlock()
	if t == nil {
		return false, nil
	}
	return true, t.end()
}

func (t *testServer) end() error { return errors.Join(t.Close(), os.RemoveAll(t.folder)) }

// close ends all servers.
func (s *testServers) close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.starting.Wait()
	var wg sync.WaitGroup
	all := s.all()
	errs := make([]error, len(all))
	for i, t := range all {
		wg.Go(func() { errs[i] = t.end() })
	}
	wg.Wait()
	for _, t := range s.templates {
		errs = append(errs, t.Of.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.folder))...)
}

// begin makes the present state the one that a reset goes back to.
func (t *testServer) begin(ctx context.Context) error {
	return t.SaveStart(ctx)
}
