package cache_test

import (
	"path/filepath"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

func openStore(t testing.TB) storage.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "k.db"))
}

func openFile(t testing.TB, path string) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Sync: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}
