package apitest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/apitest"
)

// mustModule makes a module with these files, and goes to its folder sub; neither the variable nor PATH names a program.
func mustModule(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/suite\n\ngo 1.24.0\n"
	files["sub/sub.go"] = "package sub\n"
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "go")); err != nil {
		t.Skip("no links: ", err)
	}
	t.Setenv("KUBARIUM", "")
	t.Setenv("PATH", bin)
	t.Chdir(filepath.Join(dir, "sub"))
}

const program = "package main\n\nfunc main() { print(\"found\") }\n"

// The program is a tool in a file or a module next to the tested module, which keeps its own requirements.
func TestProgram_Tool(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"module": {"kubarium/go.mod": "module tools\n\ngo 1.24.0\n\ntool tools/kubarium\n", "kubarium/kubarium/main.go": program},
		"file":   {"kubarium.mod": "module suite\n\ngo 1.24.0\n\ntool suite/cmd/kubarium\n", "cmd/kubarium/main.go": program},
		"vendor": {"kubarium/go.mod": "module tools\n\ngo 1.24.0\n\ntool tools/kubarium\n", "kubarium/kubarium/main.go": program,
			"vendor/modules.txt": "# example.com/other v1.0.0\n## explicit\n"},
		"workspace": {"go.work": "go 1.24.0\n\nuse .\n", "kubarium.mod": "module suite\n\ngo 1.24.0\n\ntool suite/cmd/kubarium\n",
			"cmd/kubarium/main.go": program},
	} {
		t.Run(name, func(t *testing.T) {
			mustModule(t, files)
			if out, err := exec.Command(apitest.Program(t)).CombinedOutput(); err != nil || string(out) != "found" {
				t.Errorf("%q %v", out, err)
			}
		})
	}
}

// The error says what to do, and why go has no tool.
func TestProgram_Errors(t *testing.T) {
	for want, files := range map[string]map[string]string{
		`(go.mod: go: no such tool "kubarium")`:       {},
		`(kubarium.mod: go: no such tool "kubarium")`: {"kubarium.mod": "module suite\n\ngo 1.24.0\n"},
		`kubarium.mod:3: unknown directive: tol`:      {"kubarium.mod": "module suite\n\ntol suite/cmd/kubarium\n"},
	} {
		t.Run(want, func(t *testing.T) {
			mustModule(t, files)
			said := hear(t, func(t testing.TB) { apitest.Program(t) })
			if len(said) != 1 || !strings.Contains(said[0], want) || strings.Contains(said[0], "\n") ||
				!strings.Contains(said[0], "go get -tool -modfile=kubarium.mod kubarium@latest") {
				t.Errorf("%q, want %q", said, want)
			}
		})
	}
}
