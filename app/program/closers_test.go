package program_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/server/options"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/app/record"
)

var startSteps = []string{"ports", "cluster", "files", "store", "cache", "objects", "recording", "gate", "guards", "requests"}

// held is how many descriptors and goroutines the process has.
func held(t *testing.T) (files, goroutines int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("there is no /proc/self/fd")
	}
	return len(all), runtime.NumGoroutine()
}

// A start that fails behind any of its steps leaves nothing open: no descriptor, goroutine, lock or port.
func TestStart_fails(t *testing.T) {
	dir := t.TempDir()
	o := options.NewAuditOptions()
	o.PolicyFile, o.LogOptions.Path = filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	programtest.WriteFile(t, o.PolicyFile, programtest.AuditPolicy)
	address := programtest.FreeAddress(t)
	c := program.Config{
		Listen: address, Secure: program.Secure{Listen: "127.0.0.1:0"}, DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "normal",
		Audit: program.Audit{AuditOptions: o},
	}
	start := func(c program.Config) error {
		p, err := program.Start(t.Context(), c, programtest.Discard())
		if err == nil {
			err = p.Close()
		}
		return err
	}
	if err := start(c); err != nil { // what stays for the process is there, and so are the keys
		t.Fatal(err)
	}
	files, goroutines := held(t)
	for _, step := range startSteps {
		t.Run(step, func(t *testing.T) {
			c := c
			c.Record.File = filepath.Join(dir, step+record.Extension)
			c.FailAfter(step)
			if err := start(c); err == nil || err.Error() != "this step fails" {
				t.Fatal(err)
			}
			programtest.Eventually(t, "nothing is open", func() bool { f, g := held(t); return f <= files && g <= goroutines+1 }) // one is this test's
		})
	}
	if err := start(c); err != nil { // the port and the lock are free
		t.Error(err)
	}
}

// A fork that does not start leaves nothing open in its parent, and no file.
func TestProgram_Fork_fails(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustFork(t, p, `{}`)
	programtest.MustCall(t, 200, "DELETE", p.URL+"/debug/fork?id=1", "", "")
	files, goroutines := held(t)
	inFolder := func() (names []string) { // but for what SQLite has next to the parent's database
		all, err := os.ReadDir(filepath.Dir(p.DB))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if !strings.HasPrefix(f.Name(), filepath.Base(p.DB)+"-") {
				names = append(names, f.Name())
			}
		}
		return names
	}
	before := inFolder()
	for _, step := range startSteps {
		p.FailForks(step)
		if text := programtest.MustCall(t, 500, "POST", p.URL+"/debug/fork", "", ""); !strings.Contains(text, "this step fails") {
			t.Error(text)
		}
		programtest.Eventually(t, "nothing of the fork is open", func() bool { f, g := held(t); return f <= files+2 && g <= goroutines+8 })
		if now := inFolder(); !slices.Equal(now, before) {
			t.Errorf("%s: %q were there, and now %q", step, before, now)
		}
	}
}
