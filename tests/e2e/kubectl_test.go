package e2e_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/server/controllers"
	"kubarium/tests/e2e"
)

// TestKubectl plays the scripts in testdata, each against its own Kubarium, with the kubectl in the environment
// variable KUBECTL, else the one on the path, else one built from this module's dependencies.
func TestKubectl(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	minor := e2e.MinorVersion(t, kubectl)
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts, %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			e2e.Play(t, name, kubectl, "--server="+start(t, plain()).URL, minor)
		})
	}
}

// plain is a Kubarium on a loopback port.
func plain() program.Config {
	return program.Config{Listen: "127.0.0.1:0", Sync: "normal", History: time.Hour, Controllers: controllers.All()}
}

// start starts a Kubarium with a new database for the length of the test.
func start(t *testing.T, config program.Config) *program.Program {
	config.DB = filepath.Join(t.TempDir(), "e2e.db")
	p, err := program.Start(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func write(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
