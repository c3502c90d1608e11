package record_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app/record"
	"kubarium/flow"
	"kubarium/server/storage"
)

type noHistory struct{ storage.Engine }

func (noHistory) ReadHistory(_ context.Context, _ storage.Revision, begin func(storage.Span) error, _, _ func(storage.Change) error) error {
	return begin(storage.Span{})
}

// A recording that is removed or cut while it grows ends with an error that says so. Nothing is written to what is left of it.
func TestRecorder_FileGone(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(path string) error
		said string
	}{
		"removed": {os.Remove, "was removed"},
		"cut":     {func(path string) error { return os.Truncate(path, 0) }, "was cut from"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.kubarium")
			log := flow.NewLog(flow.Limits{})
			r, err := record.Start(t.Context(), record.Run{Log: log, Feed: &record.Feed{}, Store: noHistory{}}, path, 1<<20, discard)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.harm(path); err != nil {
				t.Fatal(err)
			}
			go r.Run(context.Background())
			log.Publish(&flow.Flow{Path: "/version"})
			if err := r.Wait(); err == nil || !strings.Contains(err.Error(), c.said) {
				t.Errorf("%v, want that it %s", err, c.said)
			}
			if s, err := os.Stat(path); err == nil && s.Size() > 0 {
				t.Errorf("%d bytes behind the cut", s.Size())
			}
		})
	}
}

var discard = slog.New(slog.DiscardHandler)
