package remote_test

import (
	"os"
	"path/filepath"
	"testing"

	"kubarium/app/remote"
)

// Commands name the server where kubectl would not find it by itself, quoted as a shell wants it.
func TestKubectlFlags(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("KUBECONFIG", "")
	check := func(address, kubeconfig, want string) {
		t.Helper()
		if got := remote.KubectlFlags(address, kubeconfig); got != want {
			t.Errorf("%s, %s: %q, want %q", address, kubeconfig, got, want)
		}
	}
	check(remote.Plain, "", "")
	check("http://127.0.0.1:1234", "", " -s http://127.0.0.1:1234")
	check("https://[::1]:6443", "", " -s 'https://[::1]:6443'")
	check("https://127.0.0.1:6443", "/tmp/my file's.conf", ` --kubeconfig '/tmp/my file'\''s.conf'`)
	if err := os.MkdirAll(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check(remote.Plain, "", " -s "+remote.Plain) // a kubeconfig may lead elsewhere
}
