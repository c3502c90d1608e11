package cache_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kubarium/server/cache"
)

// What another process changes with plain SQL reaches a watcher and the map within 200 ms, marked, with a revision of
// its own.
func TestWatcher_Outside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.db")
	s := openFile(t, path)
	c := newCache(t, s, cache.Options{})
	rec := mustCreate(t, s, "a", -1)
	w := mustWatch(t, c, rec.Revision)
	shell, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	var took []time.Duration
	for i := range 5 {
		time.Sleep(time.Duration(i) * 30 * time.Millisecond) // at different times between two looks
		if _, err := shell.Exec(`UPDATE objects SET value = ? WHERE resource = ? AND key = ?`, string(value(100+i)), things, "a"); err != nil {
			t.Fatal(err)
		}
		committed := time.Now()
		events, err := w.Next(t.Context())
		took = append(took, time.Since(committed))
		if err != nil || len(events) != 1 || !events[0].Outside || events[0].Revision <= rec.Revision {
			t.Fatalf("got %v, %v", revisions(events), err)
		}
		rec.Revision = events[0].Revision
		if o, _, err := c.Get(t.Context(), key("a"), 0); err != nil || o != events[0].Object || string(o.Value) != string(value(100+i)) {
			t.Errorf("the map has %+v, %v", o, err)
		}
	}
	slices.Sort(took)
	if took[2] > 200*time.Millisecond { // the middle one: a busy machine may delay one or two
		t.Errorf("outside changes took %v", took)
	}
	if mustUpdate(t, s, rec, 1); w.Pending() != 1 {
		t.Errorf("%d pending after a write of our own", w.Pending())
	}
}
