// Package glass runs the glass: the handler of server/glass on a port of the loopback interface, with HTTPS by a CA of
// this run, a kubeconfig that leads to it, and the record of what goes by.
package glass

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"kubarium/analysis/chain"
	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/home"
	"kubarium/app/pki"
	"kubarium/app/port"
	"kubarium/app/program"
	"kubarium/app/record"
	"kubarium/app/remedy"
	"kubarium/app/running"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/server/gate"
	"kubarium/server/glass"
	"kubarium/server/glass/seen"
	"kubarium/server/storage"
	"kubarium/tui/label"
)

// A Config says to which server the glass leads, and what is kept of what goes by.
type Config struct {
	Target Target
	Listen string // address and port on the loopback interface; port 0 picks a free one
	Keep   func(*flow.Flow) bool
	Flows  flow.Limits
	Record program.Record
	Writes bool // its reader may write through it, and has a gate
}

// A Glass is one that runs.
type Glass struct {
	URL        string
	Kubeconfig string // the file that leads clients to it
	// CommandKubeconfig is another one, with a key of its own by which the requests of a command are known.
	CommandKubeconfig string
	DB                string // what takes the place of a database in records: "glass://CONTEXT"
	Log               *flow.Log
	Seen              *seen.Store
	Handler           *glass.Glass

	gate   *gate.Gate
	writes bool
	why    *chain.Follower
	id     string
	target Target
	key    string // of Kubeconfig
	ca     *pki.CA
	folder string
	end    func() // of what is open
	close  []func() error
}

// share is the part of the memory for requests that versions of objects may take besides.
const share = 2

// Start takes a port and serves. It asks nothing of the server but its certificate.
func Start(ctx context.Context, c Config, logger *slog.Logger) (g *Glass, err error) {
	up, err := glass.NewUpstream(c.Target.Config)
	if err != nil {
		return nil, cli.Misuse(err)
	}
	if err := reach(ctx, up.URL, c.Target.Config); err != nil {
		return nil, err
	}
	g = &Glass{DB: label.GlassScheme + c.Target.Context, Log: flow.NewLog(c.Flows), id: uuid.NewString(), target: c.Target, key: glass.NewKey(), writes: c.Writes}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	g.Seen = seen.New(int(g.Log.Stats().Limits.Bytes / share))
	g.why = chain.Follow(g.Log)
	l, err := port.Listen(c.Listen, "--listen")
	if err != nil {
		return g, err
	}
	g.URL = "https://" + l.Addr().String()
	ctx, g.end = context.WithCancel(ctx)
	g.close = append(g.close, func() error { g.end(); return nil })
	if c.Writes {
		g.gate = glass.NewGate(g.Seen)
	}
	go g.why.Run(ctx)
	command := glass.NewKey()
	g.Handler = glass.New(glass.Options{
		Upstream: up, Keys: map[string]string{g.key: "", command: flow.ViaRun}, User: c.Target.User, Log: g.Log, Seen: g.Seen, Keep: c.Keep, Local: g.local(), Gate: g.gate, Closing: ctx,
	})
	if err := g.record(ctx, c.Record, logger); err != nil { // so that it ends after what serves
		return g, err
	}
	if err := g.serve(l, logger); err != nil {
		return g, err
	}
	if err := g.write(command); err != nil {
		return g, err
	}
	g.announce(logger)
	return g, nil
}

// serve begins to answer.
func (g *Glass) serve(l net.Listener, logger *slog.Logger) (err error) {
	if g.ca, err = pki.NewCA(); err != nil {
		return err
	}
	cert, key, err := g.ca.Serve([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback})
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return err
	}
	s := &http.Server{
		Handler: g.Handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 3 * time.Minute,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}},
		ErrorLog:  slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	go func() { _ = s.ServeTLS(l, "", "") }() // which ends with Close
	g.close = append(g.close, s.Close, func() error { return g.release(s) })
	return nil
}

// answerTime is how long what was held may take to be answered when the glass ends; tests have more of it.
var answerTime = time.Second

// release lets what is held go with an answer.
func (g *Glass) release(s *http.Server) error {
	if g.gate == nil {
		return nil
	}
	g.gate.Close()
	g.end()
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_ = s.Shutdown(ctx) // of what is late the connections are closed
	return nil
}

// write writes the kubeconfigs, for their owner alone.
func (g *Glass) write(command string) (err error) {
	if g.folder, err = os.MkdirTemp("", "kubarium-glass-"); err != nil {
		return remedy.Add(err, remedy.Temporary)
	}
	g.close = append(g.close, func() error { return os.RemoveAll(g.folder) })
	g.Kubeconfig, g.CommandKubeconfig = filepath.Join(g.folder, "kubeconfig"), filepath.Join(g.folder, "command.kubeconfig")
	return errors.Join(g.target.write(g.Kubeconfig, g.URL, g.ca.PEM(), g.key), g.target.write(g.CommandKubeconfig, g.URL, g.ca.PEM(), command))
}

// record begins a recording, if one is wanted.
func (g *Glass) record(ctx context.Context, o program.Record, logger *slog.Logger) error {
	if o.File == "" {
		return nil
	}
	r, err := record.Start(ctx, g.Run(o.Secrets), o.Path(), o.Size(), logger)
	if err != nil {
		return remedy.Add(err, "say --record FILE for one that can be written")
	}
	ctx, end := context.WithCancel(context.Background())
	go r.Run(ctx)
	g.close = append(g.close, func() error { end(); return r.Wait() })
	return nil
}

// announce lets the glass be found by "kubarium attach", for its user alone.
func (g *Glass) announce(logger *slog.Logger) {
	withdraw, err := running.Announce(home.Running(), running.Server{
		URL: g.URL, DB: g.DB, Since: time.Now().Round(0), What: "glass", Version: version.String(), Token: g.key, CA: string(g.ca.PEM()), Kubeconfig: g.Kubeconfig,
	})
	if err != nil {
		logger.Debug("not found among the running servers", "error", err)
		return
	}
	g.close = append(g.close, func() error { withdraw(); return nil })
}

// Flows is the log of what went by.
func (g *Glass) Flows() *flow.Log { return g.Log }

// Why says what led to writes.
func (g *Glass) Why() *chain.Follower { return g.why }

// Gate has the fault rules, and what they hold; nil without writes.
func (g *Glass) Gate() *gate.Gate { return g.gate }

// CacheHead is the newest revision that went by.
func (g *Glass) CacheHead() storage.Revision { return storage.Revision(g.Seen.Newest()) }

// local are the pages that the glass answers itself.
func (g *Glass) local() map[string]http.Handler {
	all := debug.Records(g)
	if g.gate == nil {
		maps.Copy(all, debug.NoGate("the glass has no gate: start it with --allow-writes"))
	} else {
		maps.Copy(all, debug.Gate(g))
	}
	return all
}

// Run is the run as a recording has it.
func (g *Glass) Run(secrets bool) record.Run {
	return record.Run{Log: g.Log, Why: g.why, Begin: recording.Begin{MadeBy: version.String(), Run: g.id, URL: g.URL, DB: g.DB, Secrets: secrets}}
}

// Close ends it: what is under way is cut off.
func (g *Glass) Close() (err error) {
	for i := len(g.close) - 1; i >= 0; i-- {
		err = errors.Join(err, g.close[i]())
	}
	g.close = nil
	return err
}

// String names the glass for people.
func (g *Glass) String() string {
	return fmt.Sprintf("%s, the glass in front of %s (%s)", g.URL, g.target.Context, g.target.Config.Host)
}
