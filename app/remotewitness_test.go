package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
)

// The witness of another server tells of requests from now on, with their answers, those of Secrets too, and what
// they changed; a server that does not tell its log has no witness.
func TestRemoteWitness(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	create := func(name string) {
		t.Helper()
		response, err := http.Post(p.URL+"/api/v1/namespaces/default/secrets", "application/json", strings.NewReader(`{"metadata":{"name":"`+name+`"},"stringData":{"k":"told"}}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	create("before")
	w := newRemoteWitness(t.Context(), nil, p.URL)
	if w == nil {
		t.Fatal("a Kubarium has no witness")
	}
	ctx, cancel := context.WithCancel(t.Context())
	others := w.Follow(ctx)
	create("after")
	for {
		seen, ok := <-others
		if !ok {
			t.Fatal("the stream ends")
		}
		if seen.Own || seen.Lesson || seen.Method != http.MethodPost {
			continue
		}
		if seen.Status != 201 || !strings.Contains(string(seen.Body), `"after"`) || !strings.Contains(string(seen.Body), "dG9sZA==") || len(seen.Written) != 1 || seen.Written[0].Name != "after" || seen.Who != "go1" || seen.ID == 0 {
			t.Errorf("%+v", seen)
		}
		break
	}
	cancel()
	for range others { // it is closed
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if newRemoteWitness(t.Context(), nil, other.URL) != nil || newRemoteWitness(t.Context(), nil, "http://127.0.0.1:1") != nil {
		t.Error("a server without a log has a witness")
	}
}

// Commands name the server where kubectl would not find it by itself, quoted as a shell wants it.
func TestKubectlFlags(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("KUBECONFIG", "")
	check := func(address, kubeconfig, want string) {
		t.Helper()
		if got := kubectlFlags(address, kubeconfig); got != want {
			t.Errorf("%s, %s: %q, want %q", address, kubeconfig, got, want)
		}
	}
	check(plainServer, "", "")
	check("http://127.0.0.1:1234", "", " -s http://127.0.0.1:1234")
	check("https://[::1]:6443", "", " -s 'https://[::1]:6443'")
	check("https://127.0.0.1:6443", "/tmp/my file's.conf", ` --kubeconfig '/tmp/my file'\''s.conf'`)
	if err := os.MkdirAll(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check(plainServer, "", " -s "+plainServer) // a kubeconfig may lead elsewhere
}
