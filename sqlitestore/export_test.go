package sqlitestore

import (
	"fmt"
	"time"

	"modernc.org/sqlite"
)

// SetBusyAfter makes a store give up sooner on a foreign lock. Call it before anything is written.
func SetBusyAfter(s *Store, d time.Duration) { s.busyAfter = d }

// CheckPlanned refuses the statements that Plan does, without planning them.
var CheckPlanned = checkPlanned

// Pragma runs a pragma on the connection that writes.
func Pragma(s *Store, text string) error {
	result := make(chan error)
	s.control <- func() { result <- s.writer.drainRows("PRAGMA " + text) }
	return <-result
}

// Unseen are the longer statements of the writer's own work, which no flow shows.
var Unseen = []string{sqlSweepOld, sqlSweepDeleted, sqlThen, sqlRemoveNew, sqlUpdateChanged, sqlCreateDeleted, sqlStateAt}

// Limit lets the database file have no more than so many pages.
func Limit(s *Store, pages int) error { return Pragma(s, fmt.Sprint("max_page_count = ", pages)) }

// URIPath is an absolute path with slashes as a URI has it.
var URIPath = uriPath

// Written tells how many pages the writer has written ahead, and in how many batches.
func Written(s *Store) (pages int, batches uint64) {
	done := make(chan struct{})
	s.control <- func() {
		defer close(done)
		_ = s.conn.Raw(func(c any) (err error) {
			pages, _, err = c.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, false)
			return err
		})
		batches = s.writer.batches
	}
	<-done
	return pages, batches
}
