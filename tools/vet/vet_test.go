package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestVet proves that faults of one system are found, in code and in tests, by the types and by the analyzers, and that
// another system has nothing of them.
func TestVet(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	write("a.go", "package a\n\nimport \"fmt\"\n\n// Say prints.\nfunc Say(format string, args ...any) { fmt.Printf(format, args...) }\n")
	write("a_windows.go", "package a\n\nfunc say() { Say(\"%d\", \"x\") }\n")
	write("b_windows_test.go", "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example\"\n)\n\nfunc TestSay(t *testing.T) { a.Say(\"%s\", 1) }\n")
	expect := func(system, arch string, want ...string) {
		t.Helper()
		got, err := vet(system, arch)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", system, got, err, want)
		}
	}
	expect("linux", "amd64")
	expect("darwin", "arm64")
	expect("windows", "amd64",
		`a_windows.go:3:19: example.Say format %d has arg "x" of wrong type string`,
		`b_windows_test.go:9:37: example.Say format %s has arg 1 of wrong type int`)
	write("b_windows_test.go", "package a_test\n\nimport \"syscall\"\n\nvar _ = syscall.Umask\n")
	expect("windows", "arm64", "b_windows_test.go:5:17: undefined: syscall.Umask")
	expect("darwin", "arm64")
}
