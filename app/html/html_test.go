package html_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The program of the page is what its sources make: "go generate ./app/html" after a change.
func TestScript(t *testing.T) {
	out := filepath.Join(t.TempDir(), "page.js")
	build := exec.Command("go", "tool", "-modfile=../../tools/esbuild.mod", "esbuild", "page/main.ts", "--bundle", "--format=iife", "--target=es2022", "--charset=utf8", "--outfile="+out)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("page.js")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, kept) {
		t.Error("page.js is not what page/*.ts makes: run go generate ./app/html")
	}
}
