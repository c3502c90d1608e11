package sqlitestore

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kubarium/server/storage"
)

// Options say how a Store is opened. Path alone is needed.
type Options struct {
	Path    string           // of the database file; ":memory:" is a temporary file without sync, removed by Close
	Sync    string           // PRAGMA synchronous: "full" (or ""), "normal" or "off"
	History time.Duration    // how long old revisions stay readable; 0 means until Compact is called
	Now     func() time.Time // the clock; nil means time.Now
	// Elapsed is the time since some moment, and goes on evenly when the clock is set; nil means since Open.
	Elapsed func() time.Duration
	Logger  *slog.Logger // for what happens in the background; nil discards
	// Accept opens a database that has less than was acknowledged, as after the loss of its write-ahead log. Resource
	// versions go on above those that were acknowledged, and what is older than that is compacted.
	Accept bool
	// Begin, if set, is what a new database begins with; a file that is there already is refused.
	Begin Beginning
	// Compacted, if set, is called each time that revisions below one can no longer be read, by Compact or because of
	// History. The writer calls it, so it must not block or write.
	Compacted func(readable storage.Revision)
	// Health, if set, is called whenever Healthy has something else to say. It must not block.
	Health func()
}

// A Beginning is what a new database begins with: a *State or a *Told.
type Beginning interface {
	copyTo(ctx context.Context, to *sql.Tx) error
}

// A State is what all objects of a store were at a revision that can be read, or is that of a snapshot.
type State struct {
	Of *Store
	At storage.Revision
	// Anew gives each object a uid of its own: what begins with the state is another cluster, not the same one further on.
	Anew bool
}

// A Store is a storage.Store on a SQLite file.
type Store struct {
	Options
	opened      time.Time // as Options.Now
	begun       bool      // whether there was no database file when the store was opened
	dir         string    // to be removed by Close; "" unless Path was ":memory:"
	side        *sideFile
	files       *files  // closed after the connections, as closing drops their locks
	db          *sql.DB // holds the writer's connection alone
	conn        *sql.Conn
	readers     *sql.DB
	reads       readStatements
	checkpoints *checkpointer
	busyAfter   time.Duration // the constant; tests do not wait so long

	queue     chan *request
	control   chan func() // what the writer does between batches for others
	closing   chan struct{}
	done      chan struct{} // closed when the writer has ended
	closeOnce sync.Once
	closeErr  error

	newest    atomic.Int64 // what the follower has had
	compacted atomic.Int64 // reads below are expired

	health health

	followMu sync.Mutex // guards follower, and the order of its calls
	follower func(storage.Batch)

	writer writer // of the writer's goroutine alone
}

var _ storage.Engine = (*Store)(nil)

// Head implements storage.Store.
func (s *Store) Head() (newest, compacted storage.Revision) {
	return storage.Revision(s.newest.Load()), storage.Revision(s.compacted.Load())
}

// Current implements storage.Store. Only this process gives out revisions of the store, so it is the head.
func (s *Store) Current(context.Context) (storage.Revision, error) {
	return storage.Revision(s.newest.Load()), nil
}
