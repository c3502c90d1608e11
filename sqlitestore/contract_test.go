package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"kubarium/server/storage"
	"kubarium/server/storage/storagetest"
	"kubarium/sqlitestore"
)

// TestStore_Contract proves that a Store keeps the contract on a true file, and that the file, opened again, has the same
// newest revision and agrees with itself.
func TestStore_Contract(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store { return mustContract(t) })
}

// TestStore_Snapshots proves the same of its snapshots.
func TestStore_Snapshots(t *testing.T) {
	storagetest.RunSnapshots(t, func(t testing.TB) storagetest.Restorable { return mustContract(t) })
}

// TestStore_Engine proves the same of what it is beside a store.
func TestStore_Engine(t *testing.T) {
	storagetest.RunEngine(t, func(t testing.TB) storage.Engine { return mustContract(t) })
}

// mustContract opens a new store, which is opened again at the end.
func mustContract(t testing.TB) *sqlitestore.Store {
	o := sqlitestore.Options{Path: filepath.Join(t.TempDir(), "kubarium.db"), Sync: "off"}
	s, err := sqlitestore.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		newest, compacted := s.Head()
		n, c := mustOpen(t, o).Head()
		if n != newest || c != compacted {
			t.Errorf("opened again at %d, compacted to %d; was at %d and %d", n, c, newest, compacted)
		}
	})
	return s
}
