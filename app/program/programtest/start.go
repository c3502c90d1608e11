// Package programtest starts Programs for tests, and has what several rooms' tests ask of them. It is for tests only:
// what goes wrong ends the test.
package programtest

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/server/controllers"
)

// MustStart starts a whole Kubarium on a free port and a new database, without controllers.
func MustStart(t testing.TB, sync string) *program.Program {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: sync}
	c.Admission.Disable = []string{"ServiceAccount"} // no controller makes the accounts
	return MustStartConfig(t, c)
}

func MustStartConfig(t testing.TB, c program.Config) *program.Program {
	t.Helper()
	p, err := program.Start(context.Background(), c, Discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	AwaitBootstrap(t, p)
	return p
}

// AwaitBootstrap waits until the server writes nothing by itself any more.
func AwaitBootstrap(t testing.TB, p *program.Program) {
	t.Helper()
	select {
	case <-p.Bootstrapped():
	case <-time.After(time.Minute):
		t.Fatal("bootstrap objects are missing after a minute")
	}
}

func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// RecordingConfig is that of a Program which records into a file of its own.
func RecordingConfig(t testing.TB) program.Config {
	dir := t.TempDir()
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: 5 * time.Minute, Sync: "off", Controllers: controllers.All()}
	c.Record.File = filepath.Join(dir, "run.kubarium")
	return c
}
