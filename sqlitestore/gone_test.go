package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// TestStore_Gone proves that a write whose caller goes away is either reported with its revision, or not stored.
func TestStore_Gone(t *testing.T) {
	s := mustOpen(t, sqlitestore.Options{})
	stored, refused := 0, 0
	for i := range 400 {
		ctx, cancel := context.WithCancel(t.Context())
		if i%20 == 0 {
			cancel() // so that some have gone, however fast the writer is
		}
		time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
		w := storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint("c-", i)), Value: []byte("{}")}
		_, err := s.Write(ctx, w)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		_, lookErr := s.Get(t.Context(), w.Key, 0)
		switch {
		case err == nil && lookErr == nil:
			stored++
		case err != nil && errors.Is(lookErr, storage.ErrNotFound):
			refused++
		default:
			t.Fatalf("write %d: %v, and then its object: %v", i, err, lookErr)
		}
	}
	if stored == 0 || refused == 0 {
		t.Errorf("%d stored, %d refused: the callers all went away too late or too early", stored, refused)
	}
}
