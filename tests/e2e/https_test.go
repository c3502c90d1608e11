package e2e_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app"
	"kubarium/tests/e2e"
)

// TestKubectl_https plays the scripts in testdata/https over HTTPS only, with a user's kubeconfig.
func TestKubectl_https(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	minor := e2e.MinorVersion(t, kubectl)
	names, err := filepath.Glob("testdata/https/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts, %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			config := plain()
			config.Listen, config.Secure.Listen, config.Authn.Anonymous = "", "127.0.0.1:0", true
			p := start(t, config)
			file := filepath.Join(t.TempDir(), "config")
			var errs bytes.Buffer
			args := []string{"kubeconfig", "--server", p.Secure, "--db", p.DB, "--user", "alice", "--group", "dev",
				"--out", file}
			if code := app.Main(args, strings.NewReader(""), &errs, &errs); code != 0 {
				t.Fatal(errs.String())
			}
			e2e.Play(t, name, kubectl, "--kubeconfig="+file, minor)
		})
	}
}
