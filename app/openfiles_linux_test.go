package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"kubarium/app"
)

// TestMain_FewFiles starts a server that may not open as many files as it needs: it says so in one line, and exits with 1.
func TestMain_FewFiles(t *testing.T) {
	if os.Getenv("KUBARIUM_FEW_FILES") != "" {
		os.Exit(app.Main([]string{"serve", "--db", ":memory:", "--listen", "127.0.0.1:0"}, strings.NewReader(""), os.Stdout, os.Stderr))
	}
	for _, n := range []string{"64", "128", "200"} {
		cmd := exec.Command("sh", "-c", `ulimit -n "$1"; exec "$0" -test.run='^TestMain_FewFiles$'`, os.Args[0], n)
		cmd.Env = append(os.Environ(), "KUBARIUM_FEW_FILES=1")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "too few open files are allowed: the process may have "+n) {
			t.Errorf("%s: exit code %d, %s%s", n, cmd.ProcessState.ExitCode(), &out, &errs)
		}
	}
}
