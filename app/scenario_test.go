package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/scenarios"
)

// What new writes is a lesson, to stdout or to a file of its own, and never over another one.
func TestMain_scenarioNew(t *testing.T) {
	code, out, errs := run("scenario", "new")
	if code != 0 || out != scenarios.Template {
		t.Fatalf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if code, out, errs := run("scenario", "new", file); code != 0 || out != "" {
		t.Fatalf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	if l, err := scenarios.Load(file); err != nil || l.Name != "mine" {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("scenario", "new", file); code != 1 || !strings.Contains(errs, "exists") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}
