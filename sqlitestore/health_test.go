package sqlitestore_test

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A logbook is a log that can be read while it is written.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines are those that have a text.
func (l *logbook) lines(text string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// TestStore_ErrFull proves that a store without space says so to each writer in one line, to whoever asks after its
// health, and to the log once a minute; that nothing of it is half done; and that it goes on by itself once there is space.
func TestStore_ErrFull(t *testing.T) {
	var log logbook
	var now atomic.Int64
	s := mustOpen(t, sqlitestore.Options{Logger: log.logger(), Elapsed: func() time.Duration { return time.Duration(now.Load()) }})
	a := create(t, s, "a", `1`)
	if err := sqlitestore.Limit(s, 12); err != nil {
		t.Fatal(err)
	}
	large := []byte(`"` + strings.Repeat("x", 100_000) + `"`)
	for range 5 {
		_, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key("b"), Value: large})
		refuses(t, err, storage.ErrFull, "no space left")
		refuses(t, s.Healthy(), storage.ErrFull, "no space left")
	}
	if found := log.lines("no space left"); len(found) != 1 {
		t.Errorf("logged %d times: %q", len(found), found)
	}
	now.Add(int64(61 * time.Second))
	_, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key("b"), Value: large})
	refuses(t, err, storage.ErrFull, "no space left")
	if found := log.lines("notLogged=4"); len(found) != 1 {
		t.Errorf("the log does not tell of the other four: %q", log.lines(""))
	}
	if page, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"}); err != nil || len(page.Records) != 1 {
		t.Errorf("%d objects, %v", len(page.Records), err)
	}
	if err := sqlitestore.Limit(s, 1<<30); err != nil {
		t.Fatal(err)
	}
	now.Add(int64(2 * time.Second))
	eventually(t, "the store is well again", func() bool { return s.Healthy() == nil })
	if r := create(t, s, "b", string(large)); r.Revision != a.Revision+1 {
		t.Errorf("revision %d after %d", r.Revision, a.Revision)
	}
}

// TestStore_ErrReadOnly proves that a database which takes no writes any more is told as that, that reads go on, and that
// the store does when it can.
func TestStore_ErrReadOnly(t *testing.T) {
	s := mustOpen(t, sqlitestore.Options{})
	a := create(t, s, "a", `1`)
	if err := sqlitestore.Pragma(s, "query_only = ON"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key("b"), Value: []byte(`1`)})
	refuses(t, err, storage.ErrReadOnly, "read-only")
	refuses(t, s.Healthy(), storage.ErrReadOnly, "read-only")
	if _, err := s.Get(t.Context(), a.Key, 0); err != nil {
		t.Error(err)
	}
	if err := sqlitestore.Pragma(s, "query_only = OFF"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the store is well again", func() bool { return s.Healthy() == nil })
	create(t, s, "b", `1`)
}

// TestStore_HistoryByElapsedTime proves that a clock which is set back or forth while the store runs, or was before, neither
// keeps the history too long nor makes it too short.
func TestStore_HistoryByElapsedTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var now, elapsed atomic.Int64
	o := sqlitestore.Options{
		Path: path, History: 100 * time.Millisecond, // which is looked after every 20 ms
		Now:     func() time.Time { return noon.Add(time.Duration(now.Load())) },
		Elapsed: func() time.Duration { return time.Duration(elapsed.Load()) },
	}
	now.Store(int64(time.Hour)) // the log has times from the future of the next start
	var before storage.Record
	t.Run("Before", func(t *testing.T) { before = create(t, mustOpen(t, o), "a", `1`) })
	now.Store(0)
	s := mustOpen(t, o)
	b := create(t, s, "b", `1`)
	c := create(t, s, "c", `1`)
	now.Store(int64(24 * time.Hour))
	time.Sleep(100 * time.Millisecond) // some looks
	if _, compacted := s.Head(); compacted > before.Revision {
		t.Errorf("a clock set forth compacted to %d", compacted)
	}
	now.Store(-int64(24 * time.Hour))
	elapsed.Store(int64(50 * time.Millisecond))
	time.Sleep(100 * time.Millisecond)
	if _, err := s.Get(t.Context(), b.Key, b.Revision); err != nil {
		t.Errorf("within the history: %v", err)
	}
	elapsed.Store(int64(200 * time.Millisecond))
	eventually(t, "what is older than the history is compacted", func() bool {
		_, compacted := s.Head()
		return compacted == c.Revision
	})
	if _, err := s.Get(t.Context(), b.Key, b.Revision); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("older than the history: %v", err)
	}
}
