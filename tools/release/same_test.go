//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPack_Same proves that the files of a release are the same bytes wherever they are made: in another folder, later,
// with another umask.
func TestPack_Same(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	mustBuild(t, program, "./app/envtest/etcd")
	first, second := packWith(t, 0o002, program), packWith(t, 0o077, program)
	files, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		a, errA := os.ReadFile(filepath.Join(first, f.Name()))
		b, errB := os.ReadFile(filepath.Join(second, f.Name()))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v %v", f.Name(), errA, errB)
		}
	}
	if others, err := os.ReadDir(second); err != nil || len(others) != len(files) || len(files) < 8 {
		t.Errorf("%d files and %d, %v", len(files), len(others), err)
	}
}

// packWith makes a release whose programs are all the same, and returns its folder.
func packWith(t *testing.T, umask int, program string) string {
	t.Helper()
	defer syscall.Umask(syscall.Umask(umask))
	r := release{version: "v1.2.3", kubernetes: "v1.37.2", written: time.Unix(1_800_000_000, 0).UTC(), root: root,
		out: filepath.Join(t.TempDir(), "dist"), url: "https://example.com"}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var built []binaries
	for _, b := range []binaries{{"linux", "amd64", t.TempDir()}, {"linux", "arm64", t.TempDir()}, {"windows", "amd64", t.TempDir()}} {
		for _, name := range []string{"kubarium", "etcd", "kubectl"} {
			if err := os.WriteFile(b.file(name), text, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		built = append(built, b)
	}
	if err := r.pack(built); err != nil {
		t.Fatal(err)
	}
	return r.out
}
