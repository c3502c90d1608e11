package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
)

// sessionFolder is where servers that this test starts are found, and no others.
func sessionFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	return filepath.Join(dir, "kubarium")
}

func announcing(t *testing.T, what string) program.Config {
	return program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "off", Announce: what}
}

// httpsOnly is a server as envtest starts one.
func httpsOnly(t *testing.T) program.Config {
	c := announcing(t, "envtest")
	c.Listen, c.Secure.Listen, c.Modes = "", "127.0.0.1:0", authz.Modes{authz.ModeRBAC}
	return c
}

// mustRun runs a command that must succeed, and returns what it printed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(args...)
	if code != 0 {
		t.Fatalf("%q: code %d, %s", args, code, errs)
	}
	return out
}

type serverRow struct {
	URL, Secure, StartedAs, StartedBy, Database, Version string
	Since                                                time.Time
	PID                                                  int
}

func mustList(t *testing.T) (all []serverRow) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustRun(t, "servers", "--format", "json")), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Each running server is listed until it ends, whatever started it; one that nobody is to know of is not.
func TestMain_servers(t *testing.T) {
	folder := sessionFolder(t)
	if out := mustRun(t, "servers"); strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "no server is running") {
		t.Errorf("%q", out)
	}
	if all := mustList(t); all == nil || len(all) != 0 {
		t.Errorf("%+v", all)
	}
	programtest.MustStart(t, "off")
	p := programtest.MustStartConfig(t, announcing(t, "serve"))
	h := programtest.MustStartConfig(t, httpsOnly(t))
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/fork", programtest.JSONType, `{}`)
	all := mustList(t)
	if len(all) != 3 || all[0].URL != p.URL || all[0].Database != p.DB || all[0].StartedAs != "serve" || all[0].PID != os.Getpid() ||
		all[1].URL != h.URL || all[1].Secure != h.Secure || all[1].StartedAs != "envtest" || all[2].StartedAs != "fork" {
		t.Errorf("%+v", all)
	}
	if age := time.Since(all[0].Since); age < 0 || age > time.Hour {
		t.Errorf("it serves since %s", all[0].Since)
	}
	table := mustRun(t, "servers")
	if strings.Count(table, "\n") != 4 || !strings.Contains(table, p.URL) || !strings.Contains(table, p.DB) {
		t.Errorf("%s", table)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if all := mustList(t); len(all) != 1 || all[0].URL != h.URL {
		t.Errorf("when a server and its fork have ended: %+v", all)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}

// A server starts though nobody can be told of it.
func TestStart_notAnnounced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_DATA_HOME", "TMPDIR", "TMP"} {
		t.Setenv(name, file)
	}
	c := announcing(t, "serve")
	c.DB = ":memory:"
	t.Setenv("SQLITE_TMPDIR", t.TempDir())
	p, err := program.Start(t.Context(), c, programtest.Discard())
	if err != nil {
		t.Skipf("it needs a folder for temporary files: %v", err)
	}
	defer p.Close()
	if all := mustList(t); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// Whoever can read what a server with HTTPS alone announces is an administrator there, without a kubeconfig; nobody else is, and no list
// tells the token.
func TestMain_serverWithoutPlainPort(t *testing.T) {
	folder := sessionFolder(t)
	p := programtest.MustStartConfig(t, httpsOnly(t))
	if out := mustRun(t, "compact", "--server", p.URL); !strings.HasPrefix(out, "compacted at revision ") {
		t.Errorf("%q", out)
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	var said struct{ Token string }
	if err != nil || json.Unmarshal(text, &said) != nil || said.Token == "" {
		t.Fatalf("%s %v", text, err)
	}
	if all := mustRun(t, "servers", "--format", "json") + mustRun(t, "servers"); strings.Contains(all, said.Token) {
		t.Error("the list tells the token")
	}
	if strings.Contains(string(text), "PRIVATE KEY") {
		t.Error("a key is told")
	}
	client := programtest.HTTPSOf(p)
	for token, want := range map[string]int{said.Token: 200, said.Token + "x": 401, "": 401} {
		r, err := http.NewRequest(http.MethodGet, p.URL+"/debug/flows", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("token %q: %d, want %d", token, resp.StatusCode, want)
		}
	}
	plain := announcing(t, "serve")
	plain.Secure.Listen = "127.0.0.1:0"
	programtest.MustStartConfig(t, plain)
	names, _ = filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range names {
		if text, err := os.ReadFile(name); err != nil || strings.Contains(string(text), `"what":"serve"`) && strings.Contains(string(text), "token") {
			t.Errorf("%s %v", text, err)
		}
	}
}

// Where no server is at the default address, those that run are named.
func TestMain_didYouMeanServer(t *testing.T) {
	sessionFolder(t)
	if code, _, errs := run("snapshot", "list"); code != 1 || strings.Contains(errs, "did you mean") {
		t.Skipf("there is a server at the default address: %s", errs)
	}
	p := programtest.MustStartConfig(t, announcing(t, "serve"))
	if code, _, errs := run("snapshot", "list"); code != 1 || strings.Count(errs, "\n") != 1 || !strings.HasSuffix(errs, "; did you mean --server "+p.URL+"?\n") {
		t.Errorf("%d %q", code, errs)
	}
	mustRun(t, "snapshot", "list", "--server", p.URL)
	if _, _, errs := run("snapshot", "list", "--server", "http://127.0.0.1:1"); strings.Contains(errs, "mean") {
		t.Errorf("%q", errs)
	}
	programtest.MustStartConfig(t, announcing(t, "ui"))
	if code, _, errs := run("compact"); code != 1 || !strings.HasSuffix(errs, "; 2 run at other addresses: \"kubarium servers\" lists them for --server\n") {
		t.Errorf("%d %q", code, errs)
	}
	if out := mustRun(t, "__complete", "compact", "--server", ""); !strings.Contains(out, p.URL+"\tserve") {
		t.Errorf("%q", out)
	}
}
