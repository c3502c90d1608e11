package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What makes no sense is said in one line, with code 2, before anything is played or written.
func TestMain_scenarioBookMisuse(t *testing.T) {
	full := t.TempDir()
	notes := filepath.Join(full, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "book")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "say where to write the book: --out DIR"},
		{[]string{"--out", full}, notes + " is not a page of a book; name an empty folder, or one with a book"},
		{[]string{"--out", notes}, "notes.txt: not a directory"},
		{[]string{"--out", fresh, "lost-updat"}, "lost-updat"},
		{[]string{"--out", fresh, "lost-update", "lost-update"}, "two pages named lost-update.html cannot be in one book"},
		{[]string{"--out", fresh, "--lang", "eo"}, "--lang eo: no lesson is translated into it"},
		{[]string{"--out", fresh, "--pages", "3"}, "--pages"},
	} {
		code, out, errs := run(append([]string{"scenario", "book"}, c.args...)...)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: code %d, stdout %q, stderr %q", c.args, code, out, errs)
		}
	}
	if entries, err := os.ReadDir(full); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// The command writes a page a lesson and the contents, and writes them again into the same folder.
func TestMain_scenarioBook(t *testing.T) {
	out := filepath.Join(t.TempDir(), "book")
	for _, lang := range []string{"en", "zh"} {
		code, said, errs := run("scenario", "book", "create-and-read", "--lang", lang, "--out", out)
		if code != 0 || errs != "" || said != "2 pages in "+out+"\n" {
			t.Fatalf("code %d, stdout %q, stderr %q", code, said, errs)
		}
		text, err := os.ReadFile(filepath.Join(out, "create-and-read.html"))
		if err != nil || !strings.Contains(string(text), `<html lang="`+lang+`" dir="ltr">`) {
			t.Errorf("%s: %v in %d bytes", lang, err, len(text))
		}
	}
}
