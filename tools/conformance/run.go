package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A runner runs specs, each in a process of its own.
type runner struct {
	e2e, kubectl, logs string
	limit              time.Duration
	parallel           int
	again              *regexp.Regexp // nil: only specs without a result
	table              *table
}

// A report is the part of Ginkgo's JSON report that is read here.
type report struct {
	SpecReports []specReport
}

type specReport struct {
	ContainerHierarchyTexts           []string
	LeafNodeType, LeafNodeText, State string
	Failure                           failure
}

type failure struct {
	Message           string
	AdditionalFailure struct{ Failure struct{ Message string } } // what an interrupted spec said
}

func (s specReport) name() string {
	return strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " ")
}

func (f failure) line() string {
	if more := f.AdditionalFailure.Failure.Message; more != "" {
		return line(more)
	}
	return line(f.Message)
}

func (r *runner) list(ctx context.Context) error {
	rep, out, err := r.ginkgo(ctx, "--kubeconfig=/dev/null", "--ginkgo.dry-run", `--ginkgo.focus=\[Conformance\]`)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", r.e2e, err, out)
	}
	var specs []string
	for _, s := range rep.SpecReports {
		if s.LeafNodeType == "It" && s.State == "passed" {
			specs = append(specs, s.name())
		}
	}
	r.table.set(specs)
	return nil
}

// run runs what is missing on a server: many specs at once, then the serial ones, one after the other.
func (r *runner) run(ctx context.Context, server, kubeconfig string) error {
	if kubeconfig == "" {
		return nil
	}
	var many, serial []*row
	for _, row := range r.table.rows {
		switch {
		case row.on(server).State != "" && (r.again == nil || !r.again.MatchString(row.Spec)):
		case strings.Contains(row.Spec, "[Serial]"):
			serial = append(serial, row)
		default:
			many = append(many, row)
		}
	}
	if err := r.each(ctx, server, kubeconfig, many, r.parallel); err != nil {
		return err
	}
	return r.each(ctx, server, kubeconfig, serial, 1)
}

func (r *runner) each(ctx context.Context, server, kubeconfig string, rows []*row, parallel int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *row)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for row := range next {
				got := r.one(ctx, server, kubeconfig, row.Spec)
				if ctx.Err() != nil {
					return
				}
				fmt.Fprintf(os.Stderr, "%s %s %ds %s\n", server, got.State, got.Seconds, row.Spec)
				if err := r.table.keep(row, server, got); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, row := range rows {
		select {
		case next <- row:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

// one runs a spec. A spec that is not done after the limit is interrupted, and then it removes what it made.
func (r *runner) one(ctx context.Context, server, kubeconfig, spec string) result {
	begin := time.Now()
	rep, out, err := r.ginkgo(ctx, "--kubeconfig="+kubeconfig, "--ginkgo.focus= "+regexp.QuoteMeta(spec)+"$",
		"--ginkgo.timeout="+r.limit.String(), "--kubectl-path="+r.kubectl, "--num-nodes=2", "--allowed-not-ready-nodes=-1",
		"--dump-logs-on-failure=false")
	got := result{State: "fail", Seconds: int(time.Since(begin).Round(time.Second).Seconds())}
	for _, s := range rep.SpecReports {
		it := s.LeafNodeType == "It" && s.name() == spec
		switch {
		case it && s.State == "passed":
			got.State = "pass"
		case it && s.State == "skipped" && s.Failure.Message != "":
			got.State, got.Message = "skip", s.Failure.line()
		case s.Failure.Message != "" && s.State != "passed" && s.State != "skipped" && (it || got.Message == ""):
			got.Message = s.Failure.line()
		}
	}
	if got.State == "fail" && got.Message == "" {
		got.Message = line(fmt.Sprint("no report: ", err))
	}
	if r.logs != "" && got.State != "pass" {
		name := regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(spec, "-")
		os.WriteFile(filepath.Join(r.logs, server+name[:min(len(name), 200)]+".log"), out, 0o644)
	}
	return got
}

// ginkgo runs e2e.test, and returns its report and its output.
func (r *runner) ginkgo(ctx context.Context, args ...string) (rep report, out []byte, err error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return rep, nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, r.limit+90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.e2e, append(args, "--provider=skeleton", "--ginkgo.no-color", "--ginkgo.json-report="+dir+"/report.json")...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	out, failed := cmd.CombinedOutput()
	b, err := os.ReadFile(dir + "/report.json")
	if err != nil {
		return rep, out, errors.Join(failed, err)
	}
	var reps []report
	if err := json.Unmarshal(b, &reps); err != nil || len(reps) != 1 {
		return rep, out, errors.Join(failed, fmt.Errorf("report.json: %d suites: %w", len(reps), err))
	}
	return reps[0], out, nil
}

var (
	// objects begins what Gomega says about the object that it was given, which is long.
	objects = regexp.MustCompile(`,? got instead: <.*| \[?\{TypeMeta:.*`)
	// paths are those of the machine.
	paths = regexp.MustCompile(`\S*/kubectl( --(server|kubeconfig|namespace)=\S+)*`)
	names = regexp.MustCompile(`(lookup \S+) on \S+:53\b`)
)

// line makes one line of a message, short enough for a table.
func line(s string) string {
	s = objects.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	s = names.ReplaceAllString(paths.ReplaceAllString(s, "kubectl"), "$1")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}
