//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// mustServe serves a release v1.2.3 whose kubarium is a shell script, and returns its folder and its URL, below which it
// is once more, in all, by its version.
func mustServe(t *testing.T) (dir, url string) {
	t.Helper()
	b := binaries{runtime.GOOS, runtime.GOARCH, t.TempDir()}
	const script = "#!/bin/sh\n[ \"$1\" = envtest ] && mkdir -p \"$3\" && echo \"export KUBEBUILDER_ASSETS=$3\" || echo hello from $0\n"
	if err := os.WriteFile(b.file("kubarium"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r := release{version: "v1.2.3", written: time.Unix(1_700_000_000, 0), root: root, out: t.TempDir()}
	name, err := r.packArchive(b)
	if err != nil {
		t.Fatal(err)
	}
	other := "kubarium_1.2.3_linux_riscv64.tar.gz"
	err = r.write(other, func(w io.Writer) error { return writePackedTar(w, nil, r.written) })
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSums(r.out, []string{other, name}); err != nil {
		t.Fatal(err)
	}
	files, mux := http.FileServer(http.Dir(r.out)), http.NewServeMux()
	mux.Handle("/", files)
	mux.Handle("/all/v1.2.3/", http.StripPrefix("/all/v1.2.3", files))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return r.out, s.URL
}

func install(env []string, args ...string) (said string, err error) {
	cmd := exec.Command("sh", append([]string{filepath.Join(root, "install.sh")}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// TestInstall proves that the script installs the binary of this system, over an older one and by arguments or variables.
func TestInstall(t *testing.T) {
	_, url := mustServe(t)
	home := t.TempDir()
	folder := filepath.Join(home, ".local", "bin")
	if said, err := install([]string{"HOME=" + home, "KUBARIUM_URL="}); err == nil || !strings.Contains(said, "say the URL") {
		t.Errorf("without a URL: %s %v", said, err)
	}
	for _, c := range []struct{ env, args []string }{
		{nil, []string{url + "/", folder}},
		{[]string{"HOME=" + home, "KUBARIUM_URL=" + url}, nil},
	} {
		if said, err := install(c.env, c.args...); err != nil || !strings.HasPrefix(said, "installed "+folder+"/kubarium\n") {
			t.Fatalf("%s %v", said, err)
		}
		text, err := exec.Command(filepath.Join(folder, "kubarium")).Output()
		if err != nil || !strings.HasPrefix(string(text), "hello") {
			t.Errorf("%s %v", text, err)
		}
		if err := os.WriteFile(filepath.Join(folder, "kubarium"), []byte("older"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInstall_Refuses proves that what is not the release, or not for this machine, changes nothing and is said in a line.
func TestInstall_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"another archive": {func(t *testing.T, dir string) { appendTo(t, dir, "kubarium_*"+runtime.GOARCH+".tar.gz", "x") }, "the checksum of kubarium_1.2.3_"},
		"no archive":      {func(t *testing.T, dir string) { remove(t, dir, "kubarium_*"+runtime.GOARCH+".tar.gz") }, "cannot download"},
		"no sums":         {func(t *testing.T, dir string) { remove(t, dir, sums) }, "cannot download"},
		"no line":         {func(t *testing.T, dir string) { keepFirstLine(t, filepath.Join(dir, sums)) }, "has no archive for " + runtime.GOOS + "/" + runtime.GOARCH},
	} {
		t.Run(name, func(t *testing.T) {
			dir, url := mustServe(t)
			c.spoil(t, dir)
			folder := filepath.Join(t.TempDir(), "bin")
			said, err := install(nil, url, folder)
			last := said[strings.LastIndex(strings.TrimSuffix(said, "\n"), "\n")+1:]
			if err == nil || !strings.HasPrefix(last, "install.sh: ") || !strings.Contains(last, c.want) {
				t.Errorf("%s %v", said, err)
			}
			if name == "another archive" && said != last {
				t.Errorf("more than a line: %s", said)
			}
			if _, err := os.Stat(folder); !os.IsNotExist(err) {
				t.Errorf("the folder is there: %v", err)
			}
		})
	}
}

func appendTo(t *testing.T, dir, pattern, text string) {
	t.Helper()
	f, err := os.OpenFile(match(t, dir, pattern), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func remove(t *testing.T, dir, pattern string) {
	t.Helper()
	if err := os.Remove(match(t, dir, pattern)); err != nil {
		t.Fatal(err)
	}
}

func match(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

func keepFirstLine(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(file, []byte(first+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSign proves that ssh-keygen verifies the signature, and that a release without a key has none.
func TestSign(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	dir := t.TempDir()
	key, allowed := filepath.Join(dir, "key"), filepath.Join(dir, "allowed")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(allowed, append([]byte("release "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(dir, []string{"key.pub"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second replaces the first
		if err := sign(dir, key); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, sums)
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	verify := exec.Command("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "release", "-n", "file", "-s", file+".sig")
	verify.Stdin = text
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("%s %v", out, err)
	}
	if err := sign(dir, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + ".sig"); !os.IsNotExist(err) {
		t.Errorf("the signature is there still: %v", err)
	}
}
