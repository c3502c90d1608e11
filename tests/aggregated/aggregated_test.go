package aggregated_test

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/server/authz"
)

var update = flag.Bool("update", false, "record the answers of KUBARIUM_PEER")

// peer is the address of a kube-apiserver to use instead of Kubarium.
var peer = strings.TrimSuffix(os.Getenv("KUBARIUM_PEER"), "/")

func TestMain(m *testing.M) {
	if addr := os.Getenv(asWebhook); addr != "" {
		if err := runWebhook(addr, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestAdmission plays the steps of the specs AdmissionWebhook, all together, with one webhook process.
func TestAdmission(t *testing.T) {
	names, err := filepath.Glob("testdata/admission/*.http")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts, %v", err)
	}
	url := startServer(t)
	vars := startWebhook(t)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".http"), func(t *testing.T) {
			t.Parallel()
			compare(t, name, newPlayer(t, url, vars))
		})
	}
}

// TestAggregator plays the steps of the spec Aggregator, with a sample-apiserver on etcd.
func TestAggregator(t *testing.T) {
	p := newPlayer(t, startServer(t), startWebhook(t))
	p.vars["webhook-ca"] = p.vars["ca"]
	startSample(t, p)
	compare(t, "testdata/aggregator.http", p)
}

// startSample prepares a sample-apiserver that the script can run and stop, with an etcd.
func startSample(t *testing.T, p *player) {
	t.Helper()
	s := newSample(t)
	p.vars["ca"], p.vars["sample-port"] = s.ca, s.port
	p.begin["sample-apiserver"] = func(p *player) { s.run(p.t, p.url, p.vars["token"]) }
	p.end["sample-apiserver"] = func() { s.process.stop() }
}

// startWebhook runs the webhook, and returns the variables for scripts.
func startWebhook(t *testing.T) map[string]string {
	t.Helper()
	certificate, port := certify(t, "webhook.by-service.svc"), freePort(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, certificate.certificate, certificate.key)
	cmd.Env = append(os.Environ(), asWebhook+"=127.0.0.1:"+port)
	url := "https://127.0.0.1:" + port
	run(t, url+"/readyz", cmd)
	return map[string]string{"webhook": url, "webhook-port": port, "ca": certificate.ca}
}

// startServer starts a Kubarium with kube-apiserver's defaults: with RBAC and without controllers. If there is a peer,
// it returns that instead.
func startServer(t *testing.T) string {
	t.Helper()
	if peer != "" {
		return peer
	}
	config := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "aggregated.db"), Sync: "normal",
		History: time.Hour, Modes: authz.Modes{authz.ModeRBAC}}
	return start(t, config).URL
}

// start starts a Kubarium for the length of the test.
func start(t *testing.T, config program.Config) *program.Program {
	t.Helper()
	p, err := program.Start(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func newPlayer(t *testing.T, url string, vars map[string]string) *player {
	p := &player{t: t, url: url, vars: map[string]string{}, begin: map[string]func(*player){}, end: map[string]func(){},
		watches: map[string]*watch{}}
	for name, value := range vars {
		p.vars[name] = value
	}
	return p
}

// compare plays a script and compares the answers with the recorded ones, step by step.
func compare(t *testing.T, name string, p *player) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, golden := p.play(steps), strings.TrimSuffix(name, ".http")+".golden"
	if *update {
		if peer == "" {
			t.Fatal("-update records a kube-apiserver: say KUBARIUM_PEER")
		}
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	recorded := strings.Split(string(want), "\n### ")
	different := 0
	for i, section := range strings.Split(got, "\n### ") {
		if i >= len(recorded) || section != recorded[i] {
			different++
			t.Errorf("%s: kube-apiserver answered\n%s\nand this server\n%s", name, at(recorded, i), section)
		}
	}
	t.Logf("%d answers, %d different", len(steps), different)
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "(nothing was recorded)"
}
