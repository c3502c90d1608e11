package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A row replaces that of its project, or comes last, and the rest of the page stays as it was.
func TestWriteRow(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	before := "# Title\n\n" + header + "\n|---|---|---|---|---|---|\n| [a](x) | old |\n| [b](x) | old |\n\nText | more\n"
	if err := os.WriteFile(page, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	of := func(passed int, time time.Duration, memory int64) result {
		return result{passed, nil, time, memory << 20}
	}
	r := row{
		suite:    suite{Name: "a", Repository: "o/a", Commit: "0123456789abcdef", Packages: []string{"./x", "./y/..."}, Folder: "z", Flags: []string{"-f=1"}},
		real:     []result{of(5, 3*time.Second, 300), of(5, time.Second, 100), of(5, 2*time.Second, 200)},
		kubarium: []result{of(5, 1500*time.Millisecond, 50), {4, []string{"T"}, time.Second, 60 << 20}, of(5, 20*time.Second, 70)},
	}
	for range 2 { // the second time changes nothing
		if err := writeRow(page, r); err != nil {
			t.Fatal(err)
		}
	}
	r.Name, r.Folder = "c", ""
	if err := writeRow(page, r); err != nil {
		t.Fatal(err)
	}
	rest := "5 | 5; 4, 1 failed | 2.0 → 1.5 s | 200 → 60 MiB |\n"
	want := strings.Replace(before, "| [a](x) | old |\n", "| [a](https://github.com/o/a/tree/0123456789abcdef), 0123456789 | `z`: `./x` `./y/...` `-f=1` | "+rest, 1)
	want = strings.Replace(want, "\n\nText", "\n| [c](https://github.com/o/a/tree/0123456789abcdef), 0123456789 | `./x` `./y/...` `-f=1` | "+rest+"\nText", 1)
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, got, want)
	}
	if err := writeRow(os.DevNull, r); err == nil {
		t.Error("a page without the table is accepted")
	}
}
