package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/child"
	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/port"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/app/shown"
	"kubarium/tui"
)

func newRun() *cobra.Command {
	var r commandRun
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command against a server of its own, with the UI on its requests",
		Long: `Start an API server, run a command that KUBECONFIG leads to it, and show the command's requests: a
controller, a test suite, a script. Its output goes to a file in the data folder, and the UI shows the end of it; the last 10 files
are kept. "q" asks, then ends the command and the server. When the command ends by itself, the UI stays.

Without a terminal (or with TERM=dumb) there is no UI: the command reads stdin and writes to stdout and stderr as it
is, and the server ends with it.

The command's requests are known by the port that KUBECONFIG names, which is its own; the filter who:run finds them.
The port of --listen is for your own kubectl. For test suites that use envtest KUBEBUILDER_ASSETS leads to Kubarium as
well: "kubarium attach" shows each server that they start while it runs, and "kubarium open" its recording.

The exit code is that of the command, 128 and the number of the signal that ended it, 1 if the server does not start,
or 2 for misuse.`,
		Example: `  kubarium run -- go run ./cmd                     # your controller, and its requests on the screen
  kubarium run --db site.db -- go run ./cmd        # on a database that stays
  kubarium run --faults faults.txt -- ./manager    # with conflicts, delays and cut watches
  kubarium run --record run.kubarium -- make test  # and keep the run for "kubarium open"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.in, r.out, r.errs = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := r.complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return r.run(cmd)
		},
		ValidArgsFunction: completeFiles,
	}
	r.config.Flags(cmd.Flags())
	db := cmd.Flags().Lookup("db")
	db.DefValue = ":memory:"
	r.config.DB = db.DefValue
	modes := strings.Replace(uiModesUsage, "RBAC with the UI, AlwaysAllow without", "RBAC", 1)
	cmd.Flags().Lookup("authorization-mode").Usage = modes
	r.ui.flags(cmd.Flags())
	r.ui.lang.Declare(cmd.Flags())
	return cmd
}

// A commandRun is what "kubarium run" was asked for, and what it has started.
type commandRun struct {
	config    program.Config
	ui        uiFlags
	words     []string // the command
	in        io.Reader
	out, errs io.Writer

	screen  bool   // there is a UI, and the command writes to a file
	output  string // that file; "" without
	records string // the folder for recordings of servers that the command starts; "" for none
	server  *program.Program
	process *child.Process
	command *tui.Command // the process as the UI has it; nil without a UI
}

// complete reads the arguments; dash is how many of them come before "--", negative for none.
func (r *commandRun) complete(args []string, dash int) error {
	switch {
	case dash < 0 && len(args) > 0, dash > 0:
		return fmt.Errorf("unexpected argument %q; put the command after --", args[0])
	case len(args) == 0:
		return errors.New("a command must follow --: kubarium run -- COMMAND [ARGUMENT...]")
	}
	r.words = args
	if _, err := exec.LookPath(r.words[0]); err != nil {
		return fmt.Errorf("%q cannot be run: %w", r.words[0], errors.Unwrap(err))
	}
	r.screen = r.ui.plain || onTerminal(r.in, r.out)
	if r.screen {
		return errors.Join(r.ui.check(), fitsUI(&r.config))
	}
	return r.ui.check()
}

// line is the command as a shell takes it.
func (r *commandRun) line() string {
	var quoted []string
	for _, w := range r.words {
		quoted = append(quoted, cli.Quote(w))
	}
	return strings.Join(quoted, " ")
}

// run starts the server and the command, and returns when both have ended.
func (r *commandRun) run(cmd *cobra.Command) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP) // which a command that is apart does not get
	defer stop()
	logs := r.errs
	if r.screen {
		file, err := openLogFile()
		if err != nil {
			return err
		}
		defer file.Close()
		logs = file
	}
	logger := cli.NewLogger(logs)
	if err := r.serve(ctx, logger, cmd.Flags().Changed("listen")); err != nil {
		return err
	}
	err := r.attend(ctx, cmd, logger)
	if closed := r.server.Close(); closed != nil {
		logger.Error("server ended", "error", closed)
		err = errors.Join(err, closed)
	}
	return err
}

// serve starts the server, and waits until it is as one that runs for long. Where something else has the usual port,
// it takes a free one: the command has a port of its own in any case.
func (r *commandRun) serve(ctx context.Context, logger *slog.Logger, listen bool) (err error) {
	c := r.config
	c.Announce, c.Command = "run", true
	if len(c.Modes) == 0 {
		c.Modes = lessonModes
	}
	r.server, err = program.Start(ctx, c, logger)
	if taken := (port.InUse{}); errors.As(err, &taken) && taken.Address == c.Listen && !listen {
		c.Listen = "127.0.0.1:0"
		if r.server, err = program.Start(ctx, c, logger); err == nil {
			cli.Printf(r.errs, "kubarium: port in use: something serves on %s already; this server is at %s\n",
				taken.Address, r.server.URL)
		}
	}
	if err != nil {
		return err
	}
	select {
	case <-r.server.Bootstrapped():
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("interrupted before the command was started"), r.server.Close())
	}
}

// attend runs the command, shows it, and ends it. Its error is the exit code, if that is not 0.
func (r *commandRun) attend(ctx context.Context, cmd *cobra.Command, logger *slog.Logger) error {
	folder, err := os.MkdirTemp("", "kubarium-run-")
	if err != nil {
		return remedy.Add(err, remedy.Temporary)
	}
	defer os.RemoveAll(folder)
	environment := func() ([]string, error) {
		if s, err := os.Stat(r.config.Record.File); err == nil && s.IsDir() {
			r.records = r.config.Record.File
		}
		return child.Environment(r.server.CommandURL, folder, r.records)
	}
	return r.carry(ctx, environment, func() { r.show(ctx, cmd, logger) })
}

// carry runs the command to its end, and shows it if there is a screen. Its error is the exit code, if that is not 0.
func (r *commandRun) carry(ctx context.Context, environment func() ([]string, error), show func()) error {
	streams := child.Streams{In: r.in, Out: r.out, Errs: r.errs}
	if r.screen {
		file, err := r.createOutput()
		if err != nil {
			return remedy.Add(err, dataElsewhere)
		}
		defer file.Close()
		streams = child.Streams{Out: file, Errs: file}
	}
	variables, err := environment()
	if err != nil {
		return err
	}
	apart := r.screen || !isTerminal(r.in)
	if r.process, err = child.Begin(r.words, variables, streams, apart); err != nil {
		return err
	}
	if r.screen {
		show()
	} else {
		select {
		case <-r.process.Ended():
		case <-ctx.Done():
		}
	}
	r.end(ctx, apart)
	_, code := r.process.Code()
	if r.screen {
		r.report(code)
	}
	if code != 0 {
		return cli.ExitCode(code)
	}
	return nil
}

// createOutput makes the file that the command writes to.
func (r *commandRun) createOutput() (*os.File, error) {
	data, err := home.Data()
	if err != nil {
		data = os.TempDir()
	}
	f, err := child.CreateOutput(filepath.Join(data, "runs"), r.words, time.Now())
	if err == nil {
		r.output, r.records = f.Name(), child.RecordingsOf(f.Name())
	}
	return f, err
}

// show shows the command until the UI is left and, where both are to go on without it, until they are interrupted.
func (r *commandRun) show(ctx context.Context, cmd *cobra.Command, logger *slog.Logger) {
	following, stop := context.WithCancel(ctx)
	defer stop()
	r.command = shown.Command(following, r.process, r.server.Log, r.line(), r.output, r.records)
	quit, err := show(ctx, r.server, r.ui, cmd, r.command)
	switch {
	case err != nil:
		cli.Printf(r.errs, "kubarium: the UI ended: %v\n", cli.FirstLine(err))
		logger.Error("UI ended", "error", err)
	case quit == tui.QuitServe:
		cli.Printf(r.errs, "kubarium: the UI is closed; Ctrl-C ends the command and the server\n")
	default:
		return
	}
	cli.Printf(r.errs, "kubarium: serving %s %s\n", r.server.URL, r.server.Where())
	select {
	case <-r.process.Ended():
		cli.Printf(r.errs, "kubarium: the command has ended; Ctrl-C ends the server\n")
		<-ctx.Done()
	case <-ctx.Done():
	}
}

// end ends the command, unless it has ended. ^C in a terminal that the command shares has reached it already; a second
// interrupt would end many programs at once.
func (r *commandRun) end(ctx context.Context, apart bool) {
	var by interruption
	hurry := ctx.Done()
	if ctx.Err() != nil {
		hurry = nil // the next signal ends this process, and kills the command
		errors.As(context.Cause(ctx), &by)
	}
	if ended, _ := r.process.Code(); !ended && (apart || by.Signal != os.Interrupt) {
		r.process.Interrupt()
	}
	late := time.AfterFunc(time.Second, func() {
		cli.Printf(r.errs, "kubarium: waiting for the command to end; Ctrl-C kills it\n")
	})
	defer late.Stop()
	r.process.Await(hurry)
}

// lastLines is how many lines of the output are printed for a command that went wrong.
const lastLines = 20

// report says how the command ended, and where its output and the recordings of its servers are.
func (r *commandRun) report(code int) {
	cli.Printf(r.errs, "kubarium: the command has ended with code %d; its output is in %s\n", code, r.output)
	if code != 0 {
		if tail, err := child.Tail(r.output, lastLines); err == nil && len(tail) > 0 {
			fmt.Fprintf(r.errs, "%s\n", tail)
		}
	}
	if r.command.Servers() > 0 {
		cli.Printf(r.errs, "kubarium: its own API servers are recorded in %s; \"kubarium open FILE\" shows one\n",
			r.records)
	}
	_ = os.Remove(child.RecordingsOf(r.output)) // which stays if there is something in it
}
