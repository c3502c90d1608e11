package sqlitestore_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kubarium/sqlitestore"
)

// TestStore_CloseSettles proves that after Close the database file alone, without what SQLite keeps beside it, is whole.
func TestStore_CloseSettles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	r := create(t, s, "a", `1`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := mustOpen(t, sqlitestore.Options{Path: copied}).Get(t.Context(), r.Key, 0)
	if err != nil || got.Revision != r.Revision || string(got.Value) != `1` {
		t.Errorf("the copy has %s at %d, %v", got.Value, got.Revision, err)
	}
}
