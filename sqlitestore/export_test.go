package sqlitestore

import (
	"fmt"
	"runtime"
	"time"
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
		s.writer.wroteAhead()
		pages = s.writer.pagesWritten
		batches = s.writer.batches
	}
	<-done
	return pages, batches
}

// Tidy has one slice of old rows removed, or of free pages given back. took is the time that the processors spent on it, 0 if
// something else had to be done first, and more whether there is more to do.
func Tidy(s *Store) (took time.Duration, more bool) {
	done := make(chan struct{})
	s.control <- func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		begun := threadTime()
		if s.tidy() {
			took = threadTime() - begun
		}
		more = s.writer.sweeping || s.writer.shrinking
	}
	<-done
	return took, more
}

// Maintain has the writer do what it does every 30 s.
func Maintain(s *Store) {
	done := make(chan struct{})
	s.control <- func() { s.maintain(); close(done) }
	<-done
}
