package main

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const root = "../.."

// mustBuild builds packages with the settings that other tests have, whose results are in Go's cache.
func mustBuild(t *testing.T, output string, args ...string) {
	t.Helper()
	build := exec.Command("go", append([]string{"build", "-C", root, "-ldflags=-s -w", "-o", output}, args...)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// TestEnvtest proves that setup-envtest and envtest itself take the archive and its index as they take the original
// ones, and that a suite runs on it.
func TestEnvtest(t *testing.T) {
	const tool = "sigs.k8s.io/controller-runtime/tools/setup-envtest"
	if testing.Short() {
		t.Skip("builds the program")
	}
	if out, err := exec.Command("go", "list", "-C", root, "-modfile=tools/setup-envtest.mod", "-deps", tool).CombinedOutput(); err != nil {
		t.Skipf("setup-envtest cannot be downloaded: %s", out)
	}
	bin := t.TempDir()
	b := binaries{runtime.GOOS, runtime.GOARCH, bin}
	mustBuild(t, b.file("setup-envtest"), "-modfile=tools/setup-envtest.mod", tool)
	mustBuild(t, b.file("kubarium"), ".")
	mustBuild(t, b.file("kubectl"), "./tests/e2e/kubectl")
	mustBuild(t, b.file("etcd"), "./app/envtest/etcd")

	out := t.TempDir()
	var downloads atomic.Int32
	files := http.FileServer(http.Dir(out))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		downloads.Add(1)
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	version, err := kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	defer func(level int) { packLevel = level }(packLevel)
	packLevel = gzip.NoCompression // of 170 MB, with which the race detector takes minutes; other tests compress
	r := release{version: "v1.2.3", kubernetes: version, written: time.Unix(1_800_000_000, 0).UTC(), out: out, url: server.URL + "/"}
	name, err := r.packEnvtest(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.writeIndex([]string{name}); err != nil {
		t.Fatal(err)
	}
	index := server.URL + "/" + indexName

	store := t.TempDir()
	use := func(args ...string) string {
		t.Helper()
		args = append([]string{"use", "--index", index, "--bin-dir", store, "-p", "path"}, args...)
		text, err := exec.Command(b.file("setup-envtest"), args...).Output()
		if err != nil {
			t.Fatalf("setup-envtest %q: %v", args, err)
		}
		return string(text)
	}
	folder := filepath.Join(store, "k8s", fmt.Sprintf("%s-%s-%s", strings.TrimPrefix(version, "v"), b.system, b.arch))
	defer os.Chmod(folder, 0o755) // setup-envtest makes it read-only, and it could not be removed

	// A version that the store has is taken, whichever index it came from, unless --force is said.
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := use("1.37.x"); got != folder || downloads.Load() > 0 {
		t.Errorf("%s, after %d downloads; want %s without any", got, downloads.Load(), folder)
	}
	if got := use("1.37.x", "--force"); got != folder {
		t.Errorf("%s, want %s", got, folder)
	}
	text, err := exec.Command(filepath.Join(folder, "kubectl"), "version", "--client").Output()
	if err != nil || !strings.HasPrefix(string(text), "Client Version: ") {
		t.Errorf("kubectl: %s %v", text, err)
	}
	if size := size(t, filepath.Join(folder, "etcd")); size > 4<<20 {
		t.Errorf("etcd has %d bytes", size)
	}

	suite := exec.Command("go", "test", "-count=1", "-v", "-run", "TestGreets_(Envtest|Download)", ".")
	suite.Dir = filepath.Join(root, "apitest", "example")
	suite.Env = append(os.Environ(), "KUBEBUILDER_ASSETS="+folder, "ENVTEST_INDEX="+index)
	said, err := suite.CombinedOutput()
	if err != nil || strings.Count(string(said), "--- PASS") != 2 {
		t.Errorf("%v\n%s", err, said)
	}
}

func size(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
