package app_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// run is one command line, without a terminal.
func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = app.Main(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// What can go wrong at the start is told in one line, and nothing is touched.
func TestMain_errors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	noDB := filepath.Join(dir, "text.db")
	if err := os.WriteFile(noDB, []byte("this is no database, and long enough to be looked at by anybody who reads headers of one hundred bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	free := programtest.FreeAddress(t)
	inUse := programtest.MustStart(t, "normal")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"nonsense"}, 2, `unknown command "nonsense" for "kubarium"`},
		{[]string{"serve", "--bogus"}, 2, "unknown flag --bogus"},
		{[]string{"serve", "--listen", "0.0.0.0:0"}, 2, "beyond the loopback interface"},
		{[]string{"serve", "--listen", "8080"}, 2, "HOST:PORT"},
		{[]string{"serve", "--sync", "sometimes"}, 2, "--sync"},
		{[]string{"serve", "--history", "-1s"}, 2, "--history"},
		{[]string{"serve", "--history", "soon"}, 2, "--history soon: must be a time such as 30s or 5m"},
		{[]string{"serve", "--feature-gates", "WatchList=true,Nonsense=true"}, 2, `unrecognized feature gate "Nonsense"`},
		{[]string{"serve", "--feature-gates", "WatchList"}, 2, "missing bool value"},
		{[]string{"serve", "--authorization-mode", "Node,RBAC"}, 2, "authorization-mode Node is not supported by Kubarium; say AlwaysAllow, AlwaysDeny or RBAC"},
		{[]string{"serve", "--authorization-mode", "rbac"}, 2, `authorization-mode "rbac" is not a valid mode`},
		{[]string{"serve", "--authorization-mode", ""}, 2, "at least one authorization-mode must be passed"},
		{[]string{"serve", "--enable-admission-plugins", "Nonsense"}, 2, `enable-admission-plugins plugin "Nonsense" is unknown`},
		{[]string{"serve", "--disable-admission-plugins", "Nonsense"}, 2, `disable-admission-plugins plugin "Nonsense" is unknown`},
		{[]string{"serve", "--enable-admission-plugins", "AlwaysPullImages", "--disable-admission-plugins", "AlwaysPullImages"}, 2, "[AlwaysPullImages] in enable-admission-plugins and disable-admission-plugins overlapped"},
		{[]string{"serve", "--listen", taken.Addr().String()}, 1, "port in use"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--db", noDB}, 1, "not a Kubarium database"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--db", inUse.DB}, 1, "in use by another Kubarium"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(noDB, "k.db")}, 1, "text.db"},
		{[]string{"compact", "--server", "http://" + free}, 1, "no server answers"},
		{[]string{"scenario", "run"}, 2, "an argument is missing; usage: kubarium scenario run NAME|FILE.yaml"},
		{[]string{"scenario", "run", "nosuch"}, 2, "there is no lesson"},
		{[]string{"scenario", "verify", filepath.Join(dir, "nosuch.yaml")}, 2, "nosuch.yaml"},
		{[]string{"completion", "tcsh"}, 2, "shell tcsh: must be bash, zsh, fish or powershell"},
	} {
		code, out, errs := run(c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
	}
	if text, err := os.ReadFile(noDB); err != nil || !bytes.HasPrefix(text, []byte("this is no database")) {
		t.Errorf("a file that is no database was touched: %q %v", text, err)
	}
}

// Every flag can be given by the environment, and the command line goes before it.
func TestMain_environment(t *testing.T) {
	t.Setenv("KUBARIUM_SYNC", "sometimes")
	if code, _, errs := run("serve", "--listen", "127.0.0.1:0"); code != 2 || !strings.Contains(errs, "KUBARIUM_SYNC=sometimes: must be full, normal or off") {
		t.Errorf("code %d, %q", code, errs)
	}
	t.Setenv("KUBARIUM_HISTORY", "soon")
	if code, _, errs := run("serve"); code != 2 || !strings.Contains(errs, "KUBARIUM_HISTORY=soon") {
		t.Errorf("code %d, %q", code, errs)
	}
	t.Setenv("KUBARIUM_HISTORY", "1m")
	t.Setenv("KUBARIUM_FEATURE_GATES", "Nonsense=true")
	if code, _, errs := run("serve"); code != 2 || !strings.Contains(errs, `KUBARIUM_FEATURE_GATES=Nonsense=true: `) || !strings.Contains(errs, `unrecognized feature gate "Nonsense"`) {
		t.Errorf("code %d, %q", code, errs)
	}
}

func TestMain_prints(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal", Controllers: controllers.All()}
	p := programtest.MustStartConfig(t, c)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"version"}, []string{"kubarium ", "Kubernetes API v1.37"}},
		{[]string{"--help"}, []string{"--feature-gates", "WatchList=true|false (BETA, default true)", "--authorization-mode", "serve", "scenario", "compact", "kubeconfig", "--listen", "KUBARIUM_"}},
		{[]string{"completion", "bash"}, []string{"__start_kubarium"}},
		{[]string{"scenario", "list"}, []string{"create-and-read", "watch-others", "lost-update"}},
		{[]string{"scenario", "verify", "lost-update", "dry-run", "--server", p.URL}, []string{"ok    lost-update", "ok    dry-run", "2 passed, 0 failed, 0 skipped"}},
		{[]string{"scenario", "run", "lost-update", "--server", p.URL}, []string{"409 Conflict", "What the lesson made is removed."}},
		{[]string{"kubeconfig", "--server", "http://127.0.0.1:9"}, []string{"server: http://127.0.0.1:9", "current-context: kubarium"}},
		{[]string{"compact", "--server", p.URL}, []string{"compacted at revision "}},
	} {
		code, out, errs := run(c.args...)
		for _, want := range c.want {
			if code != 0 || errs != "" || !strings.Contains(out, want) {
				t.Errorf("%q: code %d, stderr %q, stdout %.300q; want %q", c.args, code, errs, out, want)
			}
		}
	}
}

// Merging into a kubeconfig keeps what is in it.
func TestMain_kubeconfigOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("clusters: [{name: other, cluster: {server: x}}]\nusers: []\nextra: kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, _, errs := run("kubeconfig", "--out", file); code != 0 {
			t.Fatal(errs)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("name: other")) || !bytes.Contains(text, []byte("extra: kept")) || bytes.Count(text, []byte("name: kubarium")) != 3 {
		t.Errorf("%s %v", text, err)
	}
	if err := os.WriteFile(file, []byte("- no\n- kubeconfig\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("kubeconfig", "--out", file); code != 1 || !strings.Contains(errs, "is not a kubeconfig") {
		t.Errorf("code %d, %q", code, errs)
	}
}
