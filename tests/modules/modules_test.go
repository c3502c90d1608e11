package modules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The module apitest and its example have their own tests, which run here as their users run them: with the program on
// PATH.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	path := pathWithProgram(t)
	for _, dir := range []string{"../../apitest", "../../apitest/example"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cmd := exec.Command("go", "test", "./...")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "KUBARIUM=", path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// pathWithProgram builds kubarium, and returns the variable PATH with its folder first.
func pathWithProgram(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "kubarium"), "kubarium")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
}
