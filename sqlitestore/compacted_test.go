package sqlitestore_test

import (
	"path/filepath"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// Who asks to be told what can no longer be read is.
func TestStore_Compacted(t *testing.T) {
	told := make(chan storage.Revision, 100)
	s := mustOpen(t, sqlitestore.Options{Path: filepath.Join(t.TempDir(), "k.db"), Compacted: func(readable storage.Revision) { told <- readable }})
	var last storage.Revision
	for range 3 {
		last = mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "things", Name: time.Now().String()}, Value: []byte(`{}`)}).Revision
	}
	if err := s.Compact(t.Context(), last-1); err != nil {
		t.Fatal(err)
	}
	if _, readable := s.Head(); <-told != readable {
		t.Error("another boundary was told")
	}
}
