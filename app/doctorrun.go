package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"kubarium/app/envtest"
	"kubarium/server/flow"
	"kubarium/server/flow/doctor"
	"kubarium/server/flow/recording"
)

// endGrace is how long a command may take to end once it was told to.
const endGrace = 20 * time.Second

// runCommand runs a command against a server of its own, and examines what it asked for: of that server, and of those that it started
// itself by KUBEBUILDER_ASSETS. The error is the command's exit code, if that is not 0.
func (d *doctorCommand) runCommand(ctx context.Context, in io.Reader, out, errs io.Writer) (*doctor.Report, error) {
	folder, err := os.MkdirTemp("", "kubarium-doctor-")
	if err != nil {
		return nil, elsewhere(err, temporaryElsewhere)
	}
	defer os.RemoveAll(folder)
	p, err := startForCommand(ctx, newLogger(errs))
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
	if code := exitCode(0); ran != nil && !errors.As(ran, &code) {
		return nil, ran
	}
	if err != nil {
		return nil, err
	}
	reports, err := d.readStarted(folder, errs)
	return doctor.Join(append(reports, who.Report())...), errors.Join(err, ran)
}

// startForCommand starts a server with a temporary database, and waits until it is as one that runs for long.
func startForCommand(ctx context.Context, logger *slog.Logger) (*Program, error) {
	var c Config
	c.flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	c.Listen, c.DB, c.Sync = "127.0.0.1:0", ":memory:", "off"
	p, err := Start(ctx, c, logger)
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

// startedFlows names the environment variable with the folder into which servers that a command starts write their flows.
const startedFlows = "KUBARIUM_DOCTOR_FLOWS"

// commandEnvironment is the environment of a command: it leads clients to the server, and envtest to servers that keep their flows.
func commandEnvironment(p *Program, folder string) ([]string, error) {
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
		return nil, elsewhere(err, temporaryElsewhere)
	}
	flows := filepath.Join(folder, "flows")
	if err := os.Mkdir(flows, 0o700); err != nil {
		return nil, elsewhere(err, temporaryElsewhere)
	}
	return append(os.Environ(), "KUBECONFIG="+file, "KUBERNETES_MASTER="+p.URL, "KUBEBUILDER_ASSETS="+assets, startedFlows+"="+flows), nil
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
		return exitCode(ended.ExitCode())
	case errors.As(err, &ended): // a signal
		return exitCode(1)
	case err != nil:
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	return nil
}

// readStarted examines the flows of servers that a command started, each by itself.
func (d *doctorCommand) readStarted(folder string, errs io.Writer) (reports []*doctor.Report, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "flows", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		who := doctor.New(d.options(0))
		if _, err := examine(readRun(file, nil), who); err != nil {
			fmt.Fprintf(errs, "kubarium: the record of a server of the command: %v\n", err)
		}
		reports = append(reports, who.Report())
	}
	return reports, nil
}

// keepStarted writes the flows of a server into the folder that "kubarium doctor" has named, until the server is closed; then end
// writes the rest. Without such a folder it does nothing, and end is nil.
func keepStarted(log *flow.Log, logger *slog.Logger) (end func()) {
	folder := os.Getenv(startedFlows)
	if folder == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(folder, fmt.Sprintf("%d-%d.jsonl", time.Now().UnixNano(), os.Getpid())), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		logger.Warn("flows are not kept", "err", err)
		return nil
	}
	done, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		defer file.Close()
		if err := copyLog(log, file, done); err != nil {
			logger.Warn("flows are not kept any more", "err", err)
		}
	}()
	return func() {
		close(done)
		<-written
	}
}

// copyLog writes all that a log holds, and what comes, until done is closed; then the rest.
func copyLog(log *flow.Log, to io.Writer, done <-chan struct{}) error {
	wake, end := log.Subscribe()
	defer end()
	w := recording.NewWriter(to)
	for at, last := uint64(0), false; ; {
		flows, missed := log.Since(at, 256)
		if len(flows) == 0 {
			if last {
				return nil
			}
			select {
			case <-wake:
			case <-done:
				last = true
			}
			continue
		}
		if n := missed.All(); n > 0 {
			if err := w.Missed(n, flows[0].Seq-1); err != nil {
				return err
			}
		}
		for _, f := range flows {
			if err := w.Flow(f); err != nil {
				return err
			}
		}
		at = flows[len(flows)-1].Seq
	}
}
