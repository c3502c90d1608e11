// Package program is a whole Kubarium without its command line and its UI: store, server, guards, controllers, and
// one stack of closers that ends them. It is what commands and tests start.
//
// A Config says what is served and from where, and declares the flags for that. A Program does not know who shows it.
package program

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/analysis/chain"
	"kubarium/app/record"
	"kubarium/etcdstore"
	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/aggregate/documents"
	"kubarium/server/audit"
	"kubarium/server/bootstrap"
	"kubarium/server/cache"
	"kubarium/server/controllers"
	"kubarium/server/gate"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A Program is a whole Kubarium without its terminal UI: the store, the API server on its port, and the controllers.
type Program struct {
	URL        string    // "http://127.0.0.1:8080", or as Secure where there is no plain port
	Secure     string    // "https://127.0.0.1:6443"; "" for no HTTPS
	CommandURL string    // a plain port whose requests are known as those of a command (flow.ViaRun); "" for none
	CA         []byte    // the certificate by which that of HTTPS is checked, as text; nil for no HTTPS
	DB         string    // path of the database
	Log        *flow.Log // what every request did

	config      Config
	store       storage.Engine
	file        *sqlitestore.Store // the store, where it is a database file; otherwise nil
	shared      *etcdstore.Store   // the store, where it is an etcd cluster, which other servers may use too; otherwise nil
	cluster     *cluster           // that of shared
	health      chan struct{}      // has a value when the store has become well, or unwell
	snapshots   snapshots
	forks       forks
	loops       loops
	pauses      controllers.Switch
	registry    *registry.Registry
	cache       *cache.Cache
	api         *server.Server
	servers     []*http.Server
	silent      silent
	listeners   listeners
	credentials *credentials
	certificate *certificate
	frontProxy  *frontProxy
	logger      *slog.Logger
	bootstrap   *bootstrap.Bootstrap
	controllers sync.WaitGroup
	guards      *guards
	documents   *documents.Documents // of aggregated servers
	audit       *audit.Log
	id          string // of this run
	feed        record.Feed
	why         *chain.Follower
	recorder    *record.Recorder // nil for none
	drain       time.Duration
	withheld    []schema.GroupVersionResource
	gate        *gate.Gate
	stop        context.CancelFunc
	served      chan error // what each HTTP server ended with
	closers     closers
	closing     sync.Once
	ended       error // what Close says
}

var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// defaultDrain is how long requests under way may take to finish when a Program closes.
const defaultDrain = 5 * time.Second

// committed puts each change of the store on the flow log's timeline.
func (p *Program) committed(b storage.Batch) {
	commits := make([]flow.Commit, len(b.Changes))
	for i, c := range b.Changes {
		ns, name := c.Key.Split()
		commits[i] = flow.Commit{
			Revision: int64(c.Revision), Type: flow.ChangeType(c.Type), Resource: c.Key.Resource,
			Namespace: ns, Name: name, At: c.At, Outside: c.Outside,
		}
	}
	p.Log.Committed(commits...)
	p.feed.Committed(b)
	p.restored(b)
}

// compacted notes which revisions can no longer be read.
func (p *Program) compacted(readable storage.Revision) { p.Log.SetHead(0, int64(readable)) }

// background is the life of what runs next to the server.
func (p *Program) background() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	p.closers.push(func() error { cancel(); return nil })
	return ctx
}

// Bootstrapped is closed when the objects that every cluster has from its start are there.
func (p *Program) Bootstrapped() <-chan struct{} { return p.bootstrap.Done() }

// Close ends the Program: watches at once, other requests when they are done or after a while. A second Close waits
// for the first, and says the same.
func (p *Program) Close() error {
	p.closing.Do(func() { p.ended = p.closers.close() })
	return p.ended
}

// finish ends watches and controllers at once, and other requests when they are done or after a while.
func (p *Program) finish() error {
	p.stop()
	p.gate.Close()
	ctx, cancel := context.WithTimeout(context.Background(), p.drain)
	defer cancel()
	p.loops.resigned(ctx)
	p.api.EndWatches()
	p.silent.close()
	defer p.controllers.Wait()
	return p.shutdown(ctx)
}
