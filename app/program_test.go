package app_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"kubarium/app"
)

// mustStart starts a whole Kubarium on a free port and a new database, without controllers.
func mustStart(t testing.TB, sync string) *app.Program {
	t.Helper()
	c := app.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: sync}
	c.Admission.Disable = []string{"ServiceAccount"} // nobody makes the accounts
	return mustStartConfig(t, c)
}

func mustStartConfig(t testing.TB, c app.Config) *app.Program {
	t.Helper()
	p, err := app.Start(context.Background(), c, discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	awaitBootstrap(t, p)
	return p
}

// awaitBootstrap waits until nothing is written any more that nobody has asked for.
func awaitBootstrap(t testing.TB, p *app.Program) {
	t.Helper()
	select {
	case <-p.Bootstrapped():
	case <-time.After(time.Minute):
		t.Fatal("bootstrap objects are missing after a minute")
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
