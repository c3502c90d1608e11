package programtest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow/recording"
	"kubarium/server/controllers"
)

// MustRecord writes a recording.
func MustRecord(t testing.TB, write func(e *recording.Encoder) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.kubarium")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := recording.NewEncoder(f)
	if err == nil {
		err = write(e)
	}
	if err == nil {
		err = e.Close(recording.End{At: time.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Parallel runs do in clients goroutines n times in all. done counts on from one call to the next.
func Parallel(clients, n int, done *atomic.Int64, do func(i int64)) {
	most := done.Load() + int64(n)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := done.Add(1); i <= most; i = done.Add(1) {
				do(i)
			}
		})
	}
	wg.Wait()
}

// MustStartFor starts a Program with controllers for lessons.
func MustStartFor(t *testing.T) *program.Program {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal", Controllers: controllers.All()}
	p, err := program.Start(context.Background(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}
