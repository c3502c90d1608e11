package modules_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The Python package's tests and its example run under pytest, as their users run them: with the program on PATH. The
// variable KUBARIUM_REQUIRE, a list with commas, says which programs must be there: "pytest".
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	python := findPytest()
	if python == "" {
		if slices.Contains(strings.Split(os.Getenv("KUBARIUM_REQUIRE"), ","), "pytest") {
			t.Fatal("no python3 has pytest, and KUBARIUM_REQUIRE wants it")
		}
		t.Skip("no python3 has pytest")
	}
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider", "-ra", ".")
	cmd.Dir = "../../apitest/python"
	cmd.Env = append(os.Environ(), "KUBARIUM=", "PYTHONDONTWRITEBYTECODE=1", pathWithProgram(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s\n%s", python, out)
}

// findPytest returns a python3 with pytest, or "". Debian's packages are for its own python3, which need not be the
// first one on PATH.
func findPytest() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pytest").Run() == nil {
			return python
		}
	}
	return ""
}
