package modules_test

import (
	"os/exec"
	"testing"

	"kubarium/tests/require"
)

// runPytest runs the tests of the Python package and of its example.
func runPytest(t *testing.T, env []string) {
	python := findPytest()
	if python == "" {
		require.Missing(t, "pytest", "no python3 has pytest")
	}
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider", "-ra", ".")
	cmd.Dir = "../../apitest/python"
	cmd.Env = append(env, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", python, err, out)
	}
	t.Logf("%s\n%s", python, out)
}

// findPytest returns a python3 with pytest, or "". Debian's packages are for its own python3, which need not be the
// first one on PATH.
func findPytest() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-m", "pytest", "--version").Run() == nil {
			return python
		}
	}
	return ""
}
