package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"kubarium/analysis/doctor"
	"kubarium/app/cli"
	"kubarium/app/envtest"
	"kubarium/app/program"
	"kubarium/app/record"
	"kubarium/app/remedy"
)

// endGrace is how long a command may take to end once it was told to.
const endGrace = 20 * time.Second

// runCommand runs a command against a server of its own, and examines what it asked for: of that server, and of those that it started
// itself by KUBEBUILDER_ASSETS. The error is the command's exit code, if that is not 0.
func (d *doctorCommand) runCommand(ctx context.Context, in io.Reader, out, errs io.Writer) (*doctor.Report, error) {
	folder, err := os.MkdirTemp("", "kubarium-doctor-")
	if err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	defer os.RemoveAll(folder)
	p, err := startForCommand(ctx, program.Record{}, newLogger(errs))
	if err != nil {
		return nil, err
	}
	environment, err := commandEnvironment(p, folder)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	who := doctor.New(d.options(p.Log.Stats().Published))
	done, followed := make(chan struct{}), make(chan struct{})
	go func() {
		followLog(p.Log, who, done)
		close(followed)
	}()
	ran := runProcess(ctx, d.command, environment, in, out, errs)
	err = p.Close() // requests under way are recorded
	close(done)
	<-followed
	if code := cli.ExitCode(0); ran != nil && !errors.As(ran, &code) {
		return nil, ran
	}
	if err != nil {
		return nil, err
	}
	reports, err := d.readStarted(folder, errs)
	return doctor.Join(append(reports, who.Report())...), errors.Join(err, ran)
}

// startForCommand starts a server with a temporary database, and waits until it is as one that runs for long.
func startForCommand(ctx context.Context, r program.Record, logger *slog.Logger) (*program.Program, error) {
	var c program.Config
	c.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	c.Listen, c.DB, c.Sync, c.Record = "127.0.0.1:0", ":memory:", "off", r
	p, err := program.Start(ctx, c, logger)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.Bootstrapped():
		return p, nil
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), p.Close())
	}
}

// commandEnvironment is the environment of a command: it leads clients to the server, and envtest to servers that record their run.
func commandEnvironment(p *program.Program, folder string) ([]string, error) {
	file := filepath.Join(folder, "kubeconfig")
	k := kubeconfig{server: p.URL}
	if err := k.write(file); err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	assets, _, err := envtest.Lay(filepath.Join(folder, "envtest"), binary)
	if err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	runs := filepath.Join(folder, "runs")
	if err := os.Mkdir(runs, 0o700); err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	return append(os.Environ(), "KUBECONFIG="+file, "KUBERNETES_MASTER="+p.URL, "KUBEBUILDER_ASSETS="+assets, "KUBARIUM_RECORD="+runs), nil
}

// runProcess runs a command to its end. One that ends with another code than 0 has that as its error.
func runProcess(ctx context.Context, command, environment []string, in io.Reader, out, errs io.Writer) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment, in, out, errs
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = endGrace
	err := c.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return cli.ExitCode(ended.ExitCode())
	case errors.As(err, &ended): // a signal
		return cli.ExitCode(1)
	case err != nil:
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	return nil
}

// readStarted examines the flows of servers that a command started, each by itself.
func (d *doctorCommand) readStarted(folder string, errs io.Writer) (reports []*doctor.Report, err error) {
	files, err := startedRuns(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		who := doctor.New(d.options(0))
		if err := examine(readRun(file, nil), who); err != nil && !errors.As(err, &partialRun{}) { // one that was killed has no end
			cli.Printf(errs, "kubarium: the record of a server of the command: %v\n", err)
		}
		reports = append(reports, who.Report())
	}
	return reports, nil
}

// startedRuns are the recordings in a folder of servers that a command started, sorted.
func startedRuns(folder string) ([]string, error) {
	return filesIn(filepath.Join(folder, "runs"), "*"+record.Extension)
}

// filesIn are the files of a folder whose names match a pattern, sorted; none if there is no such folder. The folder's
// own name may have what is special in patterns.
func filesIn(folder, pattern string) (files []string, err error) {
	all, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range all {
		if matches, _ := filepath.Match(pattern, f.Name()); matches { // our own patterns are sound
			files = append(files, filepath.Join(folder, f.Name()))
		}
	}
	return files, err
}
