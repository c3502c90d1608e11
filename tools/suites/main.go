// Command suites runs known projects' own envtest suites, unchanged, on Kubarium and on kube-apiserver with etcd by
// turns, and writes what passed, the time and the memory into the table of a page. suites.yaml names the suites.
//
//	go run ./tools/suites -real DIR -sources DIR -page docs/suites.md
//
// -real is a folder with etcd, kube-apiserver and kubectl, as setup-envtest makes one. -sources keeps checkouts, each in
// OWNER/NAME: one that is there is used, another is cloned from GitHub. Projects are compiled before anything is
// measured. Output of the tests is kept in the folder -logs. It needs the network, and some GB of disk.
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
	"runtime"
	"slices"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	real, kubarium string // folders of the programs
	sources, logs  string // folders
	page           string // file
	only           []string
	rounds         int
	short          time.Duration // a suite that takes longer runs once
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return errors.New("memory is read from /proc: run it on Linux")
	}
	o, err := readOptions()
	if err != nil {
		return err
	}
	all, err := readSuites()
	if err != nil {
		return err
	}
	if all, err = choose(all, o.only); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "suites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if o.kubarium == "" {
		if o.kubarium, err = layKubarium(ctx, scratch); err != nil {
			return err
		}
	}
	if o.real, err = link(o.real, filepath.Join(scratch, "real")); err != nil {
		return err
	}
	if o.kubarium, err = link(o.kubarium, filepath.Join(scratch, "ours")); err != nil {
		return err
	}
	var failed []error
	for _, s := range all {
		row, err := measure(ctx, o, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the other suites can still be measured
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
			fmt.Println(failed[len(failed)-1])
			continue
		}
		fmt.Println(row)
		if o.page != "" {
			if err := writeRow(o.page, row); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

func readOptions() (o options, err error) {
	flag.StringVar(&o.real, "real", os.Getenv("KUBEBUILDER_ASSETS"), "`folder` with etcd, kube-apiserver and kubectl")
	flag.StringVar(&o.kubarium, "kubarium", "", "`folder` that kubarium envtest made; Kubarium is built if none is named")
	flag.StringVar(&o.sources, "sources", "", "`folder` of the projects' checkouts")
	flag.StringVar(&o.logs, "logs", "", "`folder` for the output of the tests (default the folder logs of -sources)")
	flag.StringVar(&o.page, "page", "", "Markdown `file` whose table gets the rows")
	only := flag.String("only", "", "`names` of suites, with commas (default all)")
	flag.IntVar(&o.rounds, "rounds", 3, "how often a suite runs on each; medians are shown")
	flag.DurationVar(&o.short, "short", time.Minute, "a suite that takes longer runs once")
	flag.Parse()
	if o.real == "" || o.sources == "" || flag.NArg() > 0 || o.rounds < 1 {
		return o, errors.New("say -real DIR and -sources DIR; -rounds is 1 or more")
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	if o.logs == "" {
		o.logs = filepath.Join(o.sources, "logs")
	}
	for _, folder := range []*string{&o.real, &o.kubarium, &o.sources, &o.logs} { // tests run in other folders
		if *folder != "" && err == nil {
			*folder, err = filepath.Abs(*folder)
		}
	}
	return o, err
}

// choose returns the suites of these names, or all if there are none.
func choose(all []suite, names []string) ([]suite, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []suite
	for _, name := range names {
		i := slices.IndexFunc(all, func(s suite) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only: suites.yaml has no %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// layKubarium builds Kubarium and makes the folder of its programs.
func layKubarium(ctx context.Context, scratch string) (folder string, err error) {
	binary, folder := filepath.Join(scratch, "kubarium"), filepath.Join(scratch, "envtest")
	for _, args := range [][]string{
		{"go", "build", "-tags", "grpcnotrace", "-o", binary, "kubarium"},
		{binary, "envtest", "--dir", folder},
	} {
		if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", args[0], err, text)
		}
	}
	return folder, nil
}

// link makes a folder with links to the programs of another. What runs from it is this process's.
func link(programs, folder string) (string, error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		file := filepath.Join(programs, name)
		if _, err := os.Stat(file); err != nil {
			return "", err
		}
		if err := os.Symlink(file, filepath.Join(folder, name)); err != nil {
			return "", err
		}
	}
	return folder, nil
}
