package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// measure runs a suite on both, by turns, and returns its row.
func measure(ctx context.Context, o options, s suite) (row, error) {
	fmt.Printf("%s: compiling\n", s.Name)
	module, err := s.checkout(ctx, o.sources)
	if err != nil {
		return row{}, err
	}
	out, err := os.MkdirTemp("", "suites-")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(out)
	binaries, err := s.compile(ctx, module, out)
	if err != nil {
		return row{}, err
	}
	logs := filepath.Join(o.logs, s.Name)
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return row{}, err
	}
	r := row{suite: s}
	for n, rounds := 1, o.rounds; n <= rounds; n++ {
		for _, side := range []struct {
			name, folder string
			runs         *[]result
		}{{"real", o.real, &r.real}, {"kubarium", o.kubarium, &r.kubarium}} {
			log := filepath.Join(logs, fmt.Sprintf("%s-%d.log", side.name, n))
			res, err := s.run(ctx, binaries, side.folder, log)
			if err != nil {
				return row{}, err
			}
			fmt.Printf("%s: %s %d: %s\n", s.Name, side.name, n, res)
			if res.passed == 0 {
				return row{}, fmt.Errorf("no test passes: see %s", log)
			}
			*side.runs = append(*side.runs, res)
			if res.time > o.short {
				rounds = 1
			}
		}
	}
	return r, nil
}

// run runs the binaries of a suite one after another on the programs of a folder, and keeps their output.
func (s suite) run(ctx context.Context, binaries []binary, assets, log string) (all result, err error) {
	file, err := os.Create(log)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	env := maps.Clone(s.Env)
	if env == nil {
		env = map[string]string{}
	}
	env["KUBEBUILDER_ASSETS"] = assets
	env["PATH"] = assets + string(os.PathListSeparator) + os.Getenv("PATH") // where cert-manager looks
	for _, b := range binaries {
		var text bytes.Buffer
		cmd := exec.CommandContext(ctx, b.file, slices.Concat([]string{"-test.v", "-test.timeout=10m"}, s.Flags)...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.folder, environ(env), &text, &text
		stop := watchMemory(assets)
		begin := time.Now()
		failure := cmd.Run()
		took, memory := time.Since(begin), stop()
		end(assets)
		if ctx.Err() != nil {
			return result{}, ctx.Err()
		}
		fmt.Fprintf(file, "##### %s\n%s##### %s: %v, %v\n", b.pkg, text.Bytes(), b.pkg, took, failure)
		res := count(text.String())
		if failure != nil && len(res.failed) == 0 { // a crash, a timeout, an end without a test's name
			res.failed = []string{"(" + b.pkg + " ended: " + failure.Error() + ")"}
		}
		res.time, res.memory = took, memory
		all.add(res)
	}
	return all, nil
}

// watchMemory looks at the programs of a folder ten times a second until the returned function is called, which returns
// the most that they had in memory together, in bytes.
func watchMemory(folder string) (stop func() int64) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var m int64
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				most <- m
				return
			case <-tick.C:
				m = max(m, resident(folder))
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-most
	}
}

// resident is the resident memory in bytes of all processes whose program is in the folder.
func resident(folder string) (bytes int64) {
	for _, pid := range processes(folder) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if f := strings.Fields(string(text)); len(f) > 1 {
			pages, _ := strconv.ParseInt(f[1], 10, 64)
			bytes += pages * int64(os.Getpagesize())
		}
	}
	return bytes
}

// processes returns the servers that were started from the folder.
func processes(folder string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		line, _ := os.ReadFile(file)
		program, _, _ := strings.Cut(string(line), "\x00")
		if filepath.Dir(program) != folder || filepath.Base(program) == "kubectl" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// end ends the servers that a test left: one that took too long stops nothing.
func end(folder string) {
	for _, pid := range processes(folder) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}
