package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const limits = "# a comment\ntells 2 \\b(tells|told)\\b\nanew  1 \\banew\\b\n"

// Comments, messages and pages count; names, tests and testdata do not.
func TestCount(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "// Package a tells.\npackage a\n\n/* It is\ntold. */\n" +
			"var told, s = 1, \"is told so\" // \"tells\"\n\nconst key = \"told\"\n",
		"a_test.go":         "// It is told.\npackage a\n",
		"docs/page.md":      "# Page\n\nMade anew.\n",
		"testdata/told.md":  "told\n",
		"docs/told/told.md": "",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	words, err := parse(limits)
	if err != nil {
		t.Fatal(err)
	}
	found, err := count(root, words)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(found["tells"]); n != 4 {
		t.Errorf("%d, want 4:\n%s", n, strings.Join(found["tells"], "\n"))
	}
	want := filepath.Join(root, "docs", "page.md") + ":3: Made anew."
	if len(found["anew"]) != 1 || found["anew"][0] != want {
		t.Errorf("%q, want %q", found["anew"], want)
	}
	want = strings.Replace(limits, "anew  1", "anew  0", 1)
	if lowered(limits, words, map[string][]string{"tells": found["tells"]}) != want {
		t.Error("limits are not lowered to what is there, or raised")
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"tells", "tells 2", "tells two told", "tells 2 ("} {
		if _, err := parse("# first\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
