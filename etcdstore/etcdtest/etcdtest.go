// Package etcdtest runs real etcd clusters for tests: each member a process, built from etcd's own module, whose
// traffic with clients and with the other members goes through the test, so that a member can be cut off while it
// lives.
package etcdtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Each program is built once; go keeps it in its build cache.
var (
	binary  = sync.OnceValues(func() (string, error) { return tool("go.etcd.io/etcd/server/v3") })
	etcdctl = sync.OnceValues(func() (string, error) { return tool("go.etcd.io/etcd/etcdctl/v3") })
)

// Etcdctl is the path of etcdctl.
func Etcdctl(t testing.TB) string {
	t.Helper()
	path, err := etcdctl()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tool builds a program and returns its path.
func tool(name string) (string, error) {
	module, err := run("go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	return run("go", "tool", "-modfile="+filepath.Join(filepath.Dir(module), "etcdstore", "etcdtest", "etcd.mod"), "-n", name)
}

func run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+plain(os.Getenv("GOFLAGS")), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// plain are the flags of go without those of the tests' own build: etcd is neither checked nor measured by it.
func plain(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(f string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		return slices.Contains([]string{"race", "msan", "asan", "cover", "covermode", "coverpkg", "modfile"}, name)
	}), " ")
}
