package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app/program/programtest"
)

// mustKubeconfig writes a kubeconfig with these contexts, all of one server.
func mustKubeconfig(t *testing.T, server string, contexts ...string) string {
	t.Helper()
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '" + server + "'}}]\ncontexts:\n"
	for _, c := range contexts {
		text += "- {name: " + c + ", context: {cluster: c}}\n"
	}
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A command runs through the glass, which ends with it and with its code; what went by is recorded.
func TestGlass_command(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	file, record := mustKubeconfig(t, p.URL, "dev"), filepath.Join(t.TempDir(), "run.kubarium")
	code, out, errs := run("glass", "--kubeconfig", file, "--record", record, "--", "sh", "-c", `grep -c "server: https://127.0.0.1" "$KUBECONFIG"; exit 7`)
	if code != 7 || strings.TrimSpace(out) != "1" || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if s, err := os.Stat(record); err != nil || s.Size() == 0 {
		t.Errorf("the recording: %v", err)
	}
}

// The glass prints what goes by; servers, attach and export find it by what it announces, for its user alone.
func TestGlass_plain(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_DATA_HOME", dir)
	ui := startPlain(t, "glass", "--kubeconfig", mustKubeconfig(t, p.URL, "dev"))
	ui.await("This is the glass in front of dev. kubectl goes through it with --kubeconfig ")
	var servers []struct{ URL, StartedAs, Database string }
	_, out, _ := run("servers", "--format", "json")
	if err := json.Unmarshal([]byte(out), &servers); err != nil || len(servers) != 1 || servers[0].StartedAs != "glass" || servers[0].Database != "glass://dev" {
		t.Fatalf("servers are %s", out)
	}
	_, client := mustThrough(t, ui.text())
	resp, err := client.Post(servers[0].URL+"/api/v1/namespaces", "application/json", strings.NewReader(`{"metadata":{"name":"through"}}`))
	if err != nil || resp.StatusCode != 201 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	ui.await("go1 create namespaces")
	file := filepath.Join(dir, "run.kubarium")
	if code, out, errs := run("export", "--server", servers[0].URL, "--out", file); code != 0 {
		t.Errorf("export: %d %q %q", code, out, errs)
	}
	again := startPlain(t, "attach", servers[0].URL)
	again.await("Attached to " + servers[0].URL)
	again.leave()
	opened := startPlain(t, "open", file)
	opened.await("go1 create namespaces")
	opened.leave()
	ui.types("fault delay 1s before store")
	ui.await("start it with --allow-writes for a gate")
	ui.leave()
}

// mustThrough is a client by the kubeconfig that a glass in plain mode names, and the address that leads through it.
func mustThrough(t *testing.T, text string) (address string, client *http.Client) {
	t.Helper()
	_, kubeconfig, _ := strings.Cut(text, "--kubeconfig ")
	kubeconfig, _, _ = strings.Cut(kubeconfig, ". ")
	config, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	if client, err = rest.HTTPClientFor(config); err != nil {
		t.Fatal(err)
	}
	return config.Host, client
}

// A glass that may write has a gate: its rules are asked about with the context's name, and an attached screen works at
// the same gate.
func TestGlass_gate(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_DATA_HOME", dir)
	ui := startPlain(t, "glass", "--allow-writes", "--kubeconfig", mustKubeconfig(t, p.URL, "dev"))
	ui.await("This is the glass in front of dev.")
	ui.types("fault hold before store")
	ui.await("store is inside the server")
	ui.types("fault cut")
	ui.await("to dev.\nType yes to do it; anything else keeps it.")
	ui.types("gate")
	ui.await("There are no rules. fault hold on verb:update adds one.")
	ui.types("fault hold on verb:create res:namespaces")
	ui.types("yes")
	ui.await("Added: Stops every create request for namespaces before negotiate until it is let go.")
	address, client := mustThrough(t, ui.text())
	done := make(chan int, 1)
	go func() {
		resp, err := client.Post(address+"/api/v1/namespaces", "application/json", strings.NewReader(`{"metadata":{"name":"held"}}`))
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		resp.Body.Close()
		done <- resp.StatusCode
	}()
	ui.await("create namespaces waits before negotiate")
	again := startPlain(t, "attach", address)
	again.await("Attached to " + address)
	again.types("fault refuse 500 on verb:list")
	again.await("to dev.\nType yes")
	again.types("go 1")
	again.await("Held request 1 goes on.")
	if code := <-done; code != 201 {
		t.Errorf("it was answered with %d", code)
	}
	again.leave()
	ui.types("label namespaces held a=b")
	ui.await("This writes to dev.")
	ui.types("yes")
	ui.await("Done: kubectl")
	ui.leave()
}

// What cannot be is said before anything starts.
func TestGlass_misuse(t *testing.T) {
	file := mustKubeconfig(t, "http://127.0.0.1:1", "b", "a")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"glass", "--kubeconfig", file}, "2 contexts; say --context NAME: a, b"},
		{[]string{"glass", "--kubeconfig", file, "--context", "x"}, `no context "x"`},
		{[]string{"glass", "--kubeconfig", file, "kubectl"}, "put a command after --"},
		{[]string{"glass", "--kubeconfig", file, "--"}, "a command must follow --"},
		{[]string{"glass", "--kubeconfig", file, "--", "no-such-command"}, "cannot be run"},
		{[]string{"glass", "--kubeconfig", file, "--listen", "0.0.0.0:0"}, "loopback"},
		{[]string{"glass", "--kubeconfig", file, "--filter", "verb:("}, "--filter"},
		{[]string{"glass", "--kubeconfig", filepath.Join(t.TempDir(), "none")}, "no such file"},
		{[]string{"doctor", "--glass"}, "--for"},
		{[]string{"doctor", "--for", "1s", "--context", "a"}, "--context needs --glass"},
		{[]string{"doctor", "--glass", "--for", "1s", "--server", "http://127.0.0.1:1"}, "--context instead of --server"},
		{[]string{"explore", "--glass", "--", "true"}, "doctor --glass"},
	} {
		code, _, errs := run(c.args...)
		if code != 2 || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d %q", c.args, code, errs)
		}
	}
	code, _, errs := run("glass", "--kubeconfig", mustKubeconfig(t, "http://127.0.0.1:1", "a"))
	if code != 1 || !strings.Contains(errs, "does not answer") {
		t.Errorf("a server that is gone: %d %q", code, errs)
	}
}

// The doctor watches what goes through a glass of its own.
func TestDoctor_glass(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	code, out, errs := run("doctor", "--glass", "--kubeconfig", mustKubeconfig(t, p.URL, "dev"), "--for", "300ms")
	if code != 0 || !strings.Contains(errs, "the glass in front of dev") || !strings.Contains(errs, "export KUBECONFIG=") || out == "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
