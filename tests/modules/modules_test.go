package modules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The module apitest, its example and the Python package have their own tests, which run here as their users run them:
// with the program on PATH.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "kubarium"), "kubarium")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := append(os.Environ(), "KUBARIUM=", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, dir := range []string{"../../apitest", "../../apitest/example"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cmd := exec.Command("go", "test", "./...")
			cmd.Dir = dir
			cmd.Env = env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("python", func(t *testing.T) { runPytest(t, env) })
}
