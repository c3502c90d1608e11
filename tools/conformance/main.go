// Command conformance runs Kubernetes' conformance specs against a real control plane and against Kubarium, keeps what
// each of them answered in results.tsv, and writes docs/conformance.md from that file. Without --e2e it only writes the
// page. It starts and stops no server: real.sh starts a real control plane.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	e2e := flags.String("e2e", "", "Kubernetes' `e2e.test`; without it only the page is written")
	real := flags.String("real", "", "`kubeconfig` of the real control plane; without it nothing is run there")
	kubarium := flags.String("kubarium", "", "`kubeconfig` of Kubarium; without it nothing is run there")
	kubectl := flags.String("kubectl", "kubectl", "kubectl that the specs run")
	again := flags.String("again", "", "run the specs that match this `regexp` although there are results of them")
	limit := flags.Duration("limit", 10*time.Minute, "time that a spec may take")
	parallel := flags.Int("parallel", 16, "specs that run at once on a server; serial ones run alone, at the end")
	logs := flags.String("logs", "", "`folder` that gets the output of each spec that fails")
	folder := flags.String("folder", "tools/conformance", "`folder` of results.tsv")
	page := flags.String("page", "docs/conformance.md", "the page that is written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*again)
	if err != nil {
		return fmt.Errorf("--again: %w", err)
	}
	table, err := readTable(*folder + "/results.tsv")
	if err != nil {
		return err
	}
	if *e2e == "" {
		return writePage(*page, table)
	}
	if *kubectl, err = exec.LookPath(*kubectl); err != nil {
		return err
	}
	for _, file := range []*string{e2e, kubectl, real, kubarium} {
		if *file == "" {
			continue
		}
		if _, err := os.Stat(*file); err != nil {
			return err
		}
		if *file, err = filepath.Abs(*file); err != nil { // specs run in folders of their own
			return err
		}
	}
	if *logs != "" {
		if err := os.MkdirAll(*logs, 0o755); err != nil {
			return err
		}
	}
	r := runner{e2e: *e2e, kubectl: *kubectl, limit: *limit, parallel: *parallel, logs: *logs, table: table}
	if *again != "" {
		r.again = pattern
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	errs := make(chan error, 2)
	go func() { errs <- r.run(ctx, "real", *real) }()
	go func() { errs <- r.run(ctx, "kubarium", *kubarium) }()
	if err := errors.Join(<-errs, <-errs); err != nil {
		return err
	}
	return writePage(*page, table)
}
