package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const (
	root      = "../.."
	published = "example.org/kubarium"
)

// minors are releases of Kubernetes' modules that a suite may have, with the line go of each.
var minors = map[string]string{"v0.33.0": "1.24.0", "v0.34.0": "1.24.0", "v0.35.0": "1.25.0", "v0.36.0": "1.26.0"}

const suite = `package suite

import (
	"k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var namespaces = v1.SchemeGroupVersion.WithResource("namespaces")

func dial(c *rest.Config) (dynamic.NamespaceableResourceInterface, error) {
	d, err := dynamic.NewForConfig(c)
	return d.Resource(namespaces), err
}
`

const suiteTest = `package suite

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.org/kubarium/apitest"
)

func TestSuite(t *testing.T) {
	s := apitest.Start(t)
	s.RecordFailed("run.kubarium")
	d, err := dial(s.Config)
	if err == nil {
		_, err = d.Get(t.Context(), "default", metav1.GetOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Faults("refuse 500 on verb:list")()
	if _, err := d.List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a list was not refused")
	}
	s.AtLeast(1, "verb:list code:500 fault:yes")
}
`

// A place is a folder with an environment in which go takes the published modules from a tree.
type place struct{ dir, proxy string }

func (p place) must(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOPROXY="+p.proxy, "GONOSUMDB="+published+","+published+"/*", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p place) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mod reads the suite's go.mod: its requirements, with its line go as one of them.
func (p place) mod(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"go": f.Go.Version}
	if f.Toolchain != nil {
		all["toolchain"] = f.Toolchain.Name
	}
	for _, r := range f.Require {
		all[r.Mod.Path] = r.Mod.Version
	}
	return all
}

// TestSuites proves that the copy is whole, and that a suite can require apitest, and the program as a tool, while its own
// requirements and its line go stay as they were.
func TestSuites(t *testing.T) {
	copied, version, proxy := mustPublish(t)
	for _, dir := range []string{".", "apitest", "apitest/example"} { // all imports lead to packages
		place{filepath.Join(copied, dir), proxy}.must(t, "list", "-test", "-deps", "./...")
	}
	for _, minor := range slices.Sorted(maps.Keys(minors)) {
		t.Run(minor, func(t *testing.T) {
			p := place{t.TempDir(), proxy}
			p.write(t, "go.mod", "module example.com/suite\n\ngo "+minors[minor]+"\n")
			p.write(t, "suite.go", suite)
			p.must(t, "get", "k8s.io/api@"+minor, "k8s.io/apimachinery@"+minor, "k8s.io/client-go@"+minor)
			p.must(t, "mod", "tidy")
			before := p.mod(t)

			p.write(t, "suite_test.go", suiteTest)
			p.must(t, "get", published+"/apitest@"+version)
			p.must(t, "mod", "tidy")
			p.write(t, "kubarium.mod", "module tools\n\ngo "+minors[minor]+"\n")
			p.must(t, "get", "-tool", "-modfile=kubarium.mod", published+"@"+version)
			if all := p.must(t, "list", "-modfile=kubarium.mod", "-deps", "tool"); !strings.HasSuffix(all, "\n"+published+"\n") {
				t.Errorf("the tool is not %s: %s", published, all)
			}
			after := p.mod(t)
			for name, was := range before {
				if is := after[name]; is != was {
					t.Errorf("%s %s was %s", name, is, was)
				}
			}
			for name, is := range after {
				if before[name] == "" && (name == "toolchain" || strings.HasPrefix(name, "k8s.io/")) {
					t.Errorf("%s %s is new", name, is)
				}
			}
			if after[published+"/apitest"] != version || before["k8s.io/client-go"] != minor || before["go"] != minors[minor] {
				t.Errorf("before %v, after %v", before, after)
			}
			if testing.Short() {
				return
			}
			p.must(t, "vet", ".")
			if minor == "v0.33.0" {
				t.Setenv("KUBARIUM", mustBuild(t, "."))
				p.must(t, "test", "-count=1", ".")
			}
		})
	}
}

// mustBuild builds a package of the repository.
func mustBuild(t *testing.T, pkg string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-C", root, "-o", program, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return program
}

// mustPublish makes a copy and its tree by the command, without the race detector. The module cache keeps a version for
// ever, so that it depends on the files, and is removed from there.
func mustPublish(t *testing.T) (copied, version, proxy string) {
	t.Helper()
	files, err := tracked(root)
	if err != nil {
		t.Skip("this is not a clone: ", err)
	}
	sum := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", file, len(text), text)
	}
	version = fmt.Sprintf("v0.0.1-h%x", sum.Sum(nil)[:6])
	copied, tree := filepath.Join(t.TempDir(), "copy"), t.TempDir()
	publish := exec.Command(mustBuild(t, "./tools/publish"), "-module", published, "-out", copied, "-version", version, "-proxy", tree)
	publish.Dir = root
	if out, err := publish.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	paths, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxies, cache, _ := strings.Cut(strings.TrimSpace(string(paths)), "\n")
	t.Cleanup(func() { forget(t, cache, version) })
	return copied, version, "file://" + filepath.ToSlash(tree) + "," + proxies
}

// forget removes a version of the published modules from the module cache, where all is read-only.
func forget(t *testing.T, cache, version string) {
	for _, pattern := range []string{"%s@%s", "%s/apitest@%s", "cache/download/%s/@v/%s.*", "cache/download/%s/apitest/@v/%s.*"} {
		found, err := filepath.Glob(filepath.Join(cache, fmt.Sprintf(pattern, published, version)))
		if err != nil {
			t.Error(err)
		}
		for _, name := range found {
			_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
				if d.IsDir() {
					return os.Chmod(path, 0o755)
				}
				return err
			})
			if err := os.RemoveAll(name); err != nil {
				t.Error(err)
			}
		}
	}
}
