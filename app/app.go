// Package app is the command line of Kubarium, one command a file: its flags, its help, and its exit code.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"kubarium/app/child"
	"kubarium/app/cli"
	"kubarium/app/memory"
	"kubarium/app/program"
)

// Main runs one command line and returns the exit code: 0 for success, 1 for what went wrong, 2 for what was asked
// wrongly. An error is one line on stderr.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	memory.Tune()
	ctx, stop := interruptible(errs)
	defer stop()
	root := newRoot()
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var code cli.ExitCode
	if errors.As(err, &code) {
		return int(code)
	}
	cli.Printf(errs, "kubarium: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	if cli.IsMisuse(err) {
		return 2
	}
	return 1
}

// interruptible returns a context that ends with the first SIGINT or SIGTERM. The second one ends the process at
// once, whatever still closes. stop gives the signals back.
func interruptible(errs io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, stopped := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			var s os.Signal
			select {
			case s = <-signals:
			case <-stopped:
				return
			}
			if ctx.Err() != nil {
				child.KillAll()
				fmt.Fprintln(errs, "kubarium: interrupted again; ended at once, without waiting for requests")
				os.Exit(1)
			}
			cancel(interruption{s})
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(stopped)
		cancel(nil)
	}
}

// An interruption is the cause of a context that a signal ended.
type interruption struct{ os.Signal }

func (i interruption) Error() string { return i.String() }

// newRoot is the command "kubarium" with all commands below it.
func newRoot() *cobra.Command {
	c := program.Config{Nodes: uiNodes}
	var ui uiFlags
	var version bool // cobra's own flag needs text/template, with which the linker keeps every method there is: 40 MB
	root := &cobra.Command{
		Use:   "kubarium",
		Short: "The Kubernetes API under glass",
		Long: `Kubarium starts a complete Kubernetes API server on an embedded SQLite file, and a terminal UI that shows every
request, watch and resourceVersion at work.`,
		Example: `  kubarium                                 # start the API server and the UI on it
  kubectl get namespaces                   # in another window; no configuration is needed
  kubarium --scenario lost-update          # open the UI on a lesson
  kubarium run -- go run ./cmd             # your controller, with its requests on the screen
  kubarium serve --db :memory:             # the API server without the UI, on a temporary database
  kubarium scenario run lost-update        # play a lesson in the terminal, without the UI
  kubarium snapshot save before            # keep the state of the running server, ...
  kubarium snapshot restore before         # ... and go back to it
  kubarium attach                          # show a server that runs already
  kubarium kubeconfig --out FILE           # for a kubectl that has a configuration already`,
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ReadEnvironment(cmd.Flags())
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(cmd)
			}
			return runUI(cmd, c, ui)
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version, as \"kubarium version\" does")
	c.Flags(root.Flags())
	root.Flags().Lookup("authorization-mode").Usage = uiModesUsage
	ui.flags(root.Flags())
	ui.lessonFlag(root.Flags())
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(help)
	root.SetHelpCommand(newHelp())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newServe(),
		newRun(),
		newScenario(),
		newKubeconfig(),
		newCompact(),
		newWait(),
		newRole(),
		newSnapshot(),
		newReset(),
		newFork(),
		newServers(),
		newAttach(),
		newGlass(),
		newOpen(),
		newCheck(),
		newMigrate(),
		newAPITest(),
		newVersion(),
		newCompletion(),
		newEnvtest(),
		newEtcd(),
		newKubeAPIServer(),
		newDoctor(),
		newExplore(),
		newExport(),
		newDiff(),
	)
	completeFlags(root)
	return root
}
