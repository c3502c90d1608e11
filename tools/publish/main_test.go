package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be made is refused in one line, before anything is written.
func TestPublication_Errors(t *testing.T) {
	full, fresh := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(filepath.Join(full, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]publication{
		"-out must name":       {module: "example.org/k"},
		"missing dot in first": {module: "kubarium", out: fresh},
		"is not empty":         {module: "example.org/k", out: full},
		"go together":          {module: "example.org/k", out: fresh, version: "v1.0.0"},
		"not a whole version":  {module: "example.org/k", out: fresh, version: "v1", proxy: fresh},
		"should be v2":         {module: "example.org/k/v2", out: fresh, version: "v1.0.0", proxy: fresh},
		"does not know":        {module: "example.org/k", out: fresh, root: full},
	} {
		err := p.make()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
		if _, err := os.Stat(fresh); err == nil {
			t.Fatalf("%+v: it has written %s", p, fresh)
		}
	}
}
