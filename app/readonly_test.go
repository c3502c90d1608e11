package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
)

const metadataPolicy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"

// TestMain_noFolder proves of everything that is written that a place where nothing can be, below a regular file, ends the command
// in one line, which names the file and what to do.
func TestMain_noFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	policy, regular := mustFile(t, dir, "policy.yaml", metadataPolicy), mustFile(t, dir, "regular", "")
	readOnlyCases(t, regular, filepath.Join(regular, "sub"), policy)
	t.Setenv("TMPDIR", filepath.Join(regular, "tmp"))
	if runtime.GOOS != "windows" {
		onlyLine(t, []string{"serve", "--listen", "127.0.0.1:0", "--db", ":memory:"}, regular, "set TMPDIR to a folder that can be written")
		onlyLine(t, []string{"apitest"}, regular, "set TMPDIR to a folder that can be written")
	}
}

// TestMain_readOnlyFolder proves the same of folders that cannot be written.
func TestMain_readOnlyFolder(t *testing.T) {
	skipRoot(t)
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	policy, folder := mustFile(t, dir, "policy.yaml", metadataPolicy), filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	readOnlyCases(t, folder, folder, policy)
	readOnlyCases(t, folder, filepath.Join(folder, "sub"), policy)
}

// TestMain_readOnlyKernel proves the same of a file system that makes no files for anybody.
func TestMain_readOnlyKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	readOnlyCases(t, "/proc", "/proc", mustFile(t, dir, "policy.yaml", metadataPolicy))
}

// readOnlyCases are all commands that write, into a folder; the line must name something in at, and what to do.
func readOnlyCases(t *testing.T, at, folder, policy string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(folder, name) }
	etcd := httptest.NewServer(http.NotFoundHandler()) // an etcd of somebody else's
	defer etcd.Close()
	serve := []string{"serve", "--listen", "127.0.0.1:0"}
	for _, c := range []struct {
		args   []string
		remedy string
	}{
		{append(serve, "--db", in("k.db")), "say --db FILE for one that can be written, or --db :memory:"},
		{append(serve, "--db", ":memory:", "--secure-listen", "127.0.0.1:0", "--cert-dir", folder), "say --cert-dir FOLDER for one that can be written"},
		{append(serve, "--db", ":memory:", "--audit-policy-file", policy, "--audit-log-path", in("audit.log")), "say --audit-log-path FILE for one that can be written"},
		{[]string{"kubeconfig", "--out", in("config")}, "say --out FILE for one that can be"},
		{[]string{"scenario", "new", in("mine.yaml")}, "name a file that can be written"},
		{[]string{"envtest", "--dir", folder}, "say --dir FOLDER for one that can be written"},
		{[]string{"etcd", "--listen-client-urls", "http://127.0.0.1:0", "--data-dir", in("data")}, "say --data-dir FOLDER for one that can be written"},
		{[]string{"kube-apiserver", "--etcd-servers", etcd.URL, "--secure-port", "1", "--cert-dir", in("certs")}, "say --cert-dir FOLDER for one that can be written"},
	} {
		onlyLine(t, c.args, at, c.remedy)
	}
}

// TestMain_readOnlyFile proves that a database which is read-only is told from one that is broken, and stays as it was.
func TestMain_readOnlyFile(t *testing.T) {
	skipRoot(t)
	p := programtest.MustStart(t, "normal")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(p.DB)
	if err != nil {
		t.Fatal(err)
	}
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--db", p.DB}
	for _, c := range []struct{ file, at string }{
		{p.DB, "cannot write " + p.DB + ": the file is read-only"},
		{p.DB + ".lock", "cannot open " + p.DB + ".lock: permission denied"},
	} {
		if err := os.Chmod(c.file, 0o400); err != nil {
			t.Fatal(err)
		}
		onlyLine(t, serve, c.at, "say --db FILE for one that can be written, or --db :memory:")
		onlyLine(t, []string{"check", "--accept", "--db", p.DB}, c.at, "run this as a user who can write it")
		if err := os.Chmod(c.file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if after, err := os.ReadFile(p.DB); err != nil || string(after) != string(before) {
		t.Error("the database was changed", err)
	}
}

// onlyLine proves that a command ends with code 1 and a line with two texts, and says nothing else on stderr.
func onlyLine(t *testing.T, args []string, at, remedy string) {
	t.Helper()
	code, out, errs := run(args...)
	line := errs
	if args[0] == "kube-apiserver" { // it says first which store it has found
		line = errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]
	}
	if code != 1 || out != "" || !strings.Contains(line, at) || !strings.Contains(line, "; "+remedy) || strings.Count(line, "\n") != 1 {
		t.Errorf("%q: code %d, stdout %q, stderr %q; want code 1 and one line with %q and %q", args, code, out, errs, at, remedy)
	}
}

func skipRoot(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	if u, err := user.Current(); err == nil && u.Uid == "0" {
		t.Skip("root may write everything")
	}
}

func mustFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
