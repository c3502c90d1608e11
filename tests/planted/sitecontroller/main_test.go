package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/tests/planted"
)

// A wrong argument gives one line and code 2, and no server is asked; a failure gives code 1.
func TestRun_Codes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--mistake", "conflict"}, 2, `no such mistake: "conflict"`},
		{[]string{"--mistakes"}, 2, "unknown flag"},
		{[]string{"conflicts"}, 2, `unexpected argument "conflicts"`},
		{[]string{"--server", "::", "--mistake", "conflicts"}, 2, "--server must be a URL"},
		{[]string{"--server", "http://127.0.0.1:1", "--mistake", "conflicts"}, 1, "connection refused"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: code %d and %q, want %d and %q", c.args, code, errs.String(), c.code, c.says)
		}
	}
}

// Without a mistake all are listed; with one it is made, once in a namespace.
func TestRun(t *testing.T) {
	p, err := program.Start(t.Context(),
		program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "off"},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var out, errs bytes.Buffer
	if code := run(t.Context(), nil, &out, &errs); code != 0 ||
		strings.Count(out.String(), "mended: ") != len(planted.Names())+len(planted.Hangs()) {
		t.Errorf("code %d, %s%s", code, out.String(), errs.String())
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"clusters":[{"name":"k","cluster":{"server":"` + p.URL + `"}}],` +
		`"contexts":[{"name":"k","context":{"cluster":"k"}}],"current-context":"k"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	once := []string{"--mistake", "conflicts"}
	if code := run(t.Context(), once, &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	if code := run(t.Context(), once, &out, &errs); code != 1 ||
		!strings.Contains(errs.String(), "planted-conflicts is there already") {
		t.Errorf("once more: code %d: %s", code, errs.String())
	}
}

// With --stay the controller runs on until it is interrupted, and its fault rule goes with it.
func TestRun_Stay(t *testing.T) {
	p, err := program.Start(t.Context(),
		program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "off"},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		for n := 0; n < 2 && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			n = 0
			flows, _ := p.Log.Since(0, 0)
			for _, f := range flows {
				if f.Status == http.StatusTooManyRequests {
					n++
				}
			}
		}
		cancel()
	}()
	var out, errs bytes.Buffer
	args := []string{"--server", p.URL, "--mistake", "refused-429", "--stay"}
	if code := run(ctx, args, &out, &errs); code != 0 || ctx.Err() != context.Canceled {
		t.Errorf("code %d, %v: %s", code, ctx.Err(), errs.String())
	}
	answer, err := http.Get(p.URL + "/debug/gate")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || bytes.Contains(text, []byte("refuse 429")) {
		t.Errorf("the rule is left: %s, %v", text, err)
	}
}
