// Package child runs a command against a server of its own: it starts the server, leads the command's clients to it,
// and finds the recordings of servers that the command starts itself.
package child

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

	"kubarium/app/cli"
	"kubarium/app/envtest"
	"kubarium/app/kubeconfig"
	"kubarium/app/program"
	"kubarium/app/record"
	"kubarium/app/remedy"
)

// endGrace is how long a command may take to end after it was interrupted.
var endGrace = 20 * time.Second // changed by tests alone

// Start starts a server with a temporary database, and waits until it is as one that runs for long. command says that it has
// a further port, for one command alone.
func Start(ctx context.Context, r program.Record, command bool, logger *slog.Logger) (*program.Program, error) {
	var c program.Config
	c.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	c.Listen, c.DB, c.Sync, c.Record, c.Command = "127.0.0.1:0", ":memory:", "off", r, command
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

// Environment is the environment of a command: it leads clients to the server at a URL, and envtest to servers that
// record their run in the folder record, if that is not "". The files for that are in folder.
func Environment(url, folder, record string) ([]string, error) {
	file := filepath.Join(folder, "kubeconfig")
	k := kubeconfig.Entry{Server: url}
	if err := k.Write(file); err != nil {
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
	all := append(os.Environ(), "KUBECONFIG="+file, "KUBERNETES_MASTER="+url, "KUBEBUILDER_ASSETS="+assets)
	if record == "" {
		return all, nil
	}
	if err := os.MkdirAll(record, 0o700); err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	return append(all, "KUBARIUM_RECORD="+record), nil
}

// Run runs a command to its end. One that ends with another code than 0 has that as its error.
func Run(ctx context.Context, command, environment []string, in io.Reader, out, errs io.Writer) error {
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

// Recordings are the recordings in a folder, sorted: of the servers that a command started, if Environment names it.
func Recordings(folder string) ([]string, error) { return Files(folder, "*"+record.Extension) }

// Runs is the folder for such recordings in one that is removed afterwards.
func Runs(folder string) string { return filepath.Join(folder, "runs") }

// Files are the files of a folder whose names match a pattern, sorted; none if there is no such folder. The folder's
// own name may have what is special in patterns.
func Files(folder, pattern string) (files []string, err error) {
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
