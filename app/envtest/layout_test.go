package envtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app/envtest"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func lay(t *testing.T, dir, binary string) string {
	t.Helper()
	abs, did, err := envtest.Lay(dir, binary)
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(abs) {
		t.Errorf("%s is not absolute", abs)
	}
	return strings.Join(did, "\n")
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A folder is laid out, is left alone when it is up to date, and follows a binary that was built anew, by writing into it or by
// putting another in its place.
func TestLay(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PATH", root)
	binary, dir := filepath.Join(root, "kubarium"), filepath.Join(root, "a b", "assets")
	write(t, binary, "one")
	if did := lay(t, dir, binary); strings.Count(did, "hard link of ") != 2 || !strings.Contains(did, "kubectl: none was found") {
		t.Error(did)
	}
	if did := lay(t, dir, binary); strings.Count(did, "is up to date") != 2 {
		t.Error(did)
	}
	next := filepath.Join(root, "next")
	write(t, next, "two")
	if err := os.Rename(next, binary); err != nil {
		t.Fatal(err)
	}
	etcd, api := filepath.Join(dir, "etcd"), filepath.Join(dir, "kube-apiserver")
	if mustRead(t, etcd) != "one" {
		t.Error("a hard link followed a binary that was replaced")
	}
	write(t, filepath.Join(root, "kubectl"), "kubectl")
	if did := lay(t, dir, binary); strings.Count(did, "hard link of ") != 2 || !strings.Contains(did, "kubectl: symbolic link to ") {
		t.Error(did)
	}
	if mustRead(t, etcd) != "two" || mustRead(t, api) != "two" || mustRead(t, filepath.Join(dir, "kubectl")) != "kubectl" {
		t.Error("the folder does not follow the binary")
	}
	if err := os.Remove(api); err != nil {
		t.Fatal(err)
	}
	write(t, api, "two")
	if did := lay(t, dir, binary); !strings.Contains(did, "kube-apiserver: is up to date") || !strings.Contains(did, "kubectl: is there") {
		t.Errorf("a copy of the same is not left alone: %s", did)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v %v", entries, err)
	}
}

// A link of kubectl's that leads nowhere is made anew, and what stands in the way of a program is told.
func TestLay_inTheWay(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PATH", root)
	binary, dir := filepath.Join(root, "kubarium"), filepath.Join(root, "assets")
	write(t, binary, "one")
	lay(t, dir, binary)
	if err := os.Symlink(filepath.Join(root, "gone"), filepath.Join(dir, "kubectl")); err != nil {
		t.Skip(err)
	}
	write(t, filepath.Join(root, "kubectl"), "kubectl")
	lay(t, dir, binary)
	if mustRead(t, filepath.Join(dir, "kubectl")) != "kubectl" {
		t.Error("the link leads nowhere")
	}
	if err := os.Remove(filepath.Join(dir, "etcd")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "etcd", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := envtest.Lay(dir, binary); err == nil || !strings.Contains(err.Error(), "put etcd into "+dir) {
		t.Error(err)
	}
	if _, _, err := envtest.Lay(dir, filepath.Join(root, "nosuch")); err == nil {
		t.Error("a binary that is not there was laid out")
	}
}
