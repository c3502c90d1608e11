package sqlitestore_test

import (
	"path/filepath"
	"sync"
	"testing"

	"kubarium/sqlitestore"
)

// TestStore_LooksWhileCopying proves that copying what was written ahead, by the store and by somebody else, is never taken
// for somebody who overwrites the file, however many look at it meanwhile.
func TestStore_LooksWhileCopying(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "off"})
	other := plain(t, path)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				db, err := s.Beside("ro")
				if err == nil {
					err = db.Ping()
					db.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = other.Exec("PRAGMA wal_checkpoint(PASSIVE)") // which may be busy
			}
		}
	})
	writeMany(t, s, "a", 3000)
	close(stop)
	all.Wait()
	if err := s.Healthy(); err != nil {
		t.Error(err)
	}
}
