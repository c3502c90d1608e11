//go:build unix

package tui_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"kubarium/flow"
	"kubarium/tui"
)

// aJob names the environment variable by which the tests' own binary becomes a UI on its terminal, as a shell would start it.
const aJob = "KUBARIUM_TEST_JOB"

// An editor is a job of its own: ^C ends it and not the UI, and one that stops itself goes on, for no shell would wake it.
func TestEditor_Job(t *testing.T) {
	if os.Getenv(aJob) != "" {
		showOne(t)
		return
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nkill -STOP 0\n: > "+dir+"/woken\nexec sleep 100\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEditor_Job$")
	// The tests link libraries that ask a terminal of another name for its colours, and wait for the answer.
	cmd.Env = append(os.Environ(), aJob+"=1", "KUBE_EDITOR=", "EDITOR="+script, "TERM=tmux-256color", "LANG=C.UTF-8", "LC_ALL=", "TMUX=")
	ptm, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	te := &terminal{t: t, ptm: ptm, screen: vt10x.New(vt10x.WithSize(120, 36))}
	go func() { _, _ = io.Copy(io.MultiWriter(&te.raw, &wholeRunes{to: te.screen}), ptm) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended unless the test failed
		_ = ptm.Close()
	})
	te.see("configmaps/first")
	te.keys("re")
	if !waitFor(func() bool {
		_, err := os.Stat(dir + "/woken")
		return err == nil
	}) {
		t.Fatal("the editor was not woken")
	}
	te.keys("\x03")
	te.see("nothing was sent: the editor ended with signal interrupt")
	te.see("LIVE")
	te.keys("\x03\x03")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the UI ended with %v", err)
	}
	te.restored()
}

// showOne shows one request until the reader leaves.
func showOne(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	f := request("update", "first", 200)
	f.Method, f.RequestBody = "PUT", flow.Keep([]byte(`{"metadata":{"name":"first"}}`))
	log.Publish(f)
	if _, err := tui.Run(t.Context(), tui.Options{Log: log, URL: "http://127.0.0.1:1", NoIntro: true, Theme: "mono", In: os.Stdin, Out: os.Stdout}); err != nil {
		t.Fatal(err)
	}
}

// Without an editor one line says what to set.
func TestEditor_None(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	f := request("update", "first", 200)
	f.RequestBody = flow.Keep([]byte(`{"metadata":{"name":"first"}}`))
	log.Publish(f)
	t.Setenv("KUBE_EDITOR", "")
	t.Setenv("EDITOR", "")
	t.Setenv("PATH", t.TempDir())
	te := start(t, t.Context(), tui.Options{Log: log, NoIntro: true, Theme: "mono"})
	te.see("configmaps/first")
	te.keys("re")
	te.see("nothing was sent: there is no editor: set EDITOR to the command of one, such as nano")
	te.keys("\x03\x03")
	te.End()
}
