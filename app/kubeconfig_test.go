package app_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// mustClient is a client by a kubeconfig, in the context of a name.
func mustClient(t *testing.T, file, context string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{ExplicitPath: file},
		&clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.NewForConfigOrDie(config)
}

// Users get a certificate each, in one file beside each other and the plain port.
func TestMain_kubeconfigUser(t *testing.T) {
	c := programtest.SecureConfig(t)
	p := programtest.MustStartConfig(t, c)
	file := filepath.Join(t.TempDir(), "config")
	for _, args := range [][]string{
		{"--server", p.URL}, {"--server", p.Secure, "--user", "bob"}, {"--server", p.Secure, "--user", "carol", "--group", "dev", "--group", "ops"},
	} {
		if code, _, errs := run(append([]string{"kubeconfig", "--out", file, "--db", c.DB}, args...)...); code != 0 {
			t.Fatal(errs)
		}
	}
	for context, want := range map[string]string{
		"kubarium": "system:admin [system:masters system:authenticated]", "kubarium-bob": "bob [system:authenticated]",
		"": "carol [dev ops system:authenticated]", "kubarium-carol": "carol [dev ops system:authenticated]",
	} {
		if got := programtest.WhoAmI(t, mustClient(t, file, context)); got != want {
			t.Errorf("%q: %s", context, got)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 && runtime.GOOS != "windows" { // where modes are made up
		t.Errorf("a file with a key is readable: %v %v", info.Mode(), err)
	}
}

// A server without a plain port is compacted, and lessons are played against it, by a kubeconfig.
func TestMain_byKubeconfig(t *testing.T) {
	dir := t.TempDir()
	c := program.Config{DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "normal", Controllers: controllers.All(),
		Secure: program.Secure{Listen: "127.0.0.1:0"}, Modes: authz.Modes{authz.ModeRBAC}}
	p := programtest.MustStartConfig(t, c)
	admin, nobody := filepath.Join(dir, "admin"), filepath.Join(dir, "nobody")
	for file, group := range map[string]string{admin: "system:masters", nobody: "dev"} {
		if code, _, errs := run("kubeconfig", "--out", file, "--db", c.DB, "--server", p.Secure, "--user", "alice", "--group", group); code != 0 {
			t.Fatal(errs)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"compact", "--kubeconfig", admin}, 0, "compacted at revision "},
		{[]string{"compact", "--kubeconfig", nobody}, 1, "403 Forbidden"},
		{[]string{"compact", "--kubeconfig", filepath.Join(dir, "missing")}, 2, "missing: no such file"},
		{[]string{"compact", "--kubeconfig", p.DB}, 2, "error loading config file"},
		{[]string{"scenario", "verify", "lost-update", "--kubeconfig", admin}, 0, "1 passed, 0 failed"},
		{[]string{"scenario", "verify", "who-am-i", "may-i", "webhook-that-denies", "--kubeconfig", admin}, 0, "3 passed, 0 failed"}, // tokens beside a certificate
		{[]string{"scenario", "run", "lost-update", "--kubeconfig", admin}, 0, "409"},
	} {
		code, out, errs := run(c.args...)
		if text := out + errs; code != c.code || !strings.Contains(text, c.want) || c.code != 0 && strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %s", c.args, code, text)
		}
	}
}

// A server in memory, and one with another's certificate, show by what they are checked.
func TestMain_kubeconfigOfOthers(t *testing.T) {
	memory, foreign := programtest.SecureConfig(t), programtest.SecureConfig(t)
	memory.DB = ":memory:"
	foreign.Secure.CertFile, foreign.Secure.KeyFile = programtest.ForeignCertificate(t)
	for _, c := range []program.Config{memory, foreign} {
		p := programtest.MustStartConfig(t, c)
		code, out, errs := run("kubeconfig", "--server", p.Secure, "--db", c.DB)
		config, err := clientcmd.Load([]byte(out))
		if code != 0 || err != nil || string(config.Clusters["kubarium"].CertificateAuthorityData) != string(p.CA) {
			t.Errorf("%s: %d %s %v\n%s", c.DB, code, errs, err, out)
		}
	}
}

func TestMain_kubeconfigErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--group", "dev"}, 2, "--group needs --user NAME"},
		{[]string{"--user", "bob", "--server", "http://127.0.0.1:8080"}, 2, "--user needs HTTPS"},
		{[]string{"--user", "bob", "--db", ":memory:"}, 2, "is only in its memory"},
		{[]string{"--user", "bob", "--server", "https://127.0.0.1:1"}, 1, "no server answers at https://127.0.0.1:1, and there is no CA next to " + dir},
		{[]string{"--server", "https://127.0.0.1:1", "--db", ":memory:"}, 1, "no server answers"},
		{[]string{"--server", "https://a b"}, 2, "invalid character"},
	} {
		code, out, errs := run(append([]string{"kubeconfig"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}
