// Package app is the command line of Kubarium, one command a file, and the wiring: a Program is a whole Kubarium, store,
// server and controllers, that a command or a test can start and close.
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
	"github.com/spf13/pflag"
)

// Main runs one command line and returns the exit code: 0 for success, 1 for what went wrong, 2 for what was asked
// wrongly. An error is one line on stderr.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	tuneMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	fmt.Fprintf(errs, "kubarium: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	var usage usageError
	if errors.As(err, &usage) || isUsage(err) {
		return 2
	}
	return 1
}

// An exitCode ends a command whose own output has said why.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// A usageError is a command line that makes no sense.
type usageError struct{ error }

// isUsage tells cobra's own complaints about a command line.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "invalid argument", "flag needs an argument", "accepts ", "requires at least"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// newRoot is the command "kubarium" with all that stand below it.
func newRoot() *cobra.Command {
	var c Config
	var ui uiFlags
	root := &cobra.Command{
		Use:   "kubarium",
		Short: "The Kubernetes API under glass",
		Long: `Kubarium starts a complete Kubernetes API server on an embedded SQLite file, and a terminal UI that shows every
request, watch and resourceVersion at work. Point kubectl at it, in another window, without any configuration:

    kubarium
    kubectl get namespaces

Every flag can also be given as an environment variable: --listen as KUBARIUM_LISTEN.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return readEnvironment(cmd.Flags())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runUI(cmd, c, ui) },
	}
	c.flags(root.Flags())
	ui.flags(root.Flags())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newServe(), newScenario(), newKubeconfig(), newCompact(), newSnapshot(), newReset(), newFork(), newCheck(), newAPITest(), newVersion(), newCompletion(), newEnvtest(), newEtcd(), newKubeAPIServer())
	return root
}

// readEnvironment gives each flag that the command line left alone the value of its environment variable.
func readEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "KUBARIUM_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || err != nil {
			return
		}
		if e := flags.Set(f.Name, value); e != nil {
			err = usageError{fmt.Errorf("%s=%s: %w", name, value, e)}
		}
	})
	return err
}
