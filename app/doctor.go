package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kubarium/analysis/doctor"
	"kubarium/analysis/doctor/report"
	"kubarium/app/cli"
	"kubarium/app/remedy"
)

// doctorForms are the values of --format, with what writes each.
var doctorForms = map[string]func(io.Writer, *doctor.Report, []doctor.Rule) error{
	"text": report.Text, "json": report.JSON, "junit": report.JUnit, "sarif": report.SARIF,
}

// A doctorCommand is what "kubarium doctor" was asked for.
type doctorCommand struct {
	server  remote
	watch   time.Duration // how long a running server is watched; 0 for not at all
	own     bool
	format  string
	out     string
	failOn  string
	file    string
	command []string
}

func newDoctor() *cobra.Command {
	var d doctorCommand
	cmd := &cobra.Command{
		Use:   "doctor [FILE | -- COMMAND [ARGUMENT...]]",
		Short: "Report what controllers do wrong: conflicts, writes without effect, polling and more",
		Long: `Read the requests of a run and report what the author of a controller should know: conflicts and what they cost, writes
that change nothing, objects that controllers write in circles, updates without a version, lists of what is watched already,
polling, watches without bookmarks, 410s, ignored status, fields that are fought over, finalizers and owners left behind,
bursts and rate limits. Each finding names its records, why it matters, and what to do.

With --for it watches a running server. A FILE has flows as /debug/flows?own=true gives them; "-" is standard input. A COMMAND
runs against a server of its own, with a temporary database, that KUBECONFIG leads to. For test suites that use envtest
KUBEBUILDER_ASSETS leads to servers whose requests are read as well.

The exit code is that of the command, 1 if --fail-on finds something, 2 for misuse.`,
		Example: `  kubarium doctor --for 60s                         # watch the running server
  kubarium doctor -- go test ./...                  # run a test suite
  kubarium doctor --fail-on warning --format junit --out doctor.xml -- make test
  curl -s '127.0.0.1:8080/debug/flows?own=true&limit=10000' | kubarium doctor -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return d.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d.watch, "for", 0, "watch the running server for so long")
	f.BoolVar(&d.own, "own", false, "report Kubarium's own controllers as well")
	f.Var(cli.NewChoice(&d.format, "text", "text", "json", "junit", "sarif"), "format", "text, json, junit (a test case for each rule) or sarif (2.1.0)")
	f.StringVar(&d.out, "out", "", "write the report to this file instead of stdout")
	f.StringVar(&d.failOn, "fail-on", "", "exit with 1 on findings of this severity (error, warning or note) or above, or of these rules, separated by commas")
	d.server.flags(f, runningServer)
	return cmd
}

// complete reads the arguments; dash is how many of them stood before "--", negative for none.
func (d *doctorCommand) complete(args []string, dash int) error {
	before := args
	if dash >= 0 {
		before, d.command = args[:dash], args[dash:]
	}
	if len(before) > 1 {
		return fmt.Errorf("unexpected argument %q; a command stands behind --", before[1])
	}
	if len(before) == 1 {
		d.file = before[0]
	}
	asked := 0
	for _, one := range []bool{d.file != "", dash >= 0, d.watch != 0} {
		if one {
			asked++
		}
	}
	switch {
	case asked == 0:
		return errors.New("say what to look at: FILE, --for DURATION or -- COMMAND")
	case asked > 1:
		return errors.New("FILE, --for and -- COMMAND exclude each other")
	case d.watch < 0:
		return fmt.Errorf("--for must be more than 0, not %s", d.watch)
	case dash >= 0 && len(d.command) == 0:
		return errors.New("a command must follow --")
	case d.server.named() && d.watch == 0:
		return errors.New("--server and --kubeconfig need --for DURATION")
	case d.command != nil && d.out == "" && d.format != "text":
		return fmt.Errorf("--format %s needs --out FILE, since the command writes to stdout as well", d.format)
	}
	_, err := report.Failing(&doctor.Report{}, d.failOn)
	if err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	return nil
}

// run looks, reports, and says by its error how it ended.
func (d *doctorCommand) run(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	var p *doctor.Report
	var err error
	var code cli.ExitCode // of the command
	switch {
	case d.file != "":
		p, err = d.readFile(in, errs)
	case d.watch > 0:
		p, err = d.watchServer(ctx, errs)
	default:
		p, err = d.runCommand(ctx, in, out, errs)
	}
	if err != nil && !errors.As(err, &code) {
		return err
	}
	if err := d.write(p, out); err != nil {
		return err
	}
	failed, err := report.Failing(p, d.failOn)
	switch {
	case code != 0:
		return code
	case err != nil:
		return err
	case failed:
		return cli.ExitCode(1)
	}
	return nil
}

func (d *doctorCommand) options(since uint64) doctor.Options {
	return doctor.Options{Since: since, Own: d.own}
}

// readFile examines a run that was kept.
func (d *doctorCommand) readFile(in io.Reader, errs io.Writer) (*doctor.Report, error) {
	who := doctor.New(d.options(0))
	err := examine(readRun(d.file, in), who)
	if errors.As(err, &partialRun{}) {
		cli.Printf(errs, "kubarium: %v\n", err)
		err = nil
	}
	return who.Report(), err
}

// write puts the report where it was asked for. A file is written as a whole or not at all.
func (d *doctorCommand) write(p *doctor.Report, out io.Writer) error {
	var b bytes.Buffer
	if err := doctorForms[d.format](&b, p, doctor.Rules()); err != nil {
		return err
	}
	if d.out == "" {
		_, err := out.Write(b.Bytes())
		return err
	}
	const advice = "say --out FILE for one that can be written"
	next, err := os.CreateTemp(filepath.Dir(d.out), "."+filepath.Base(d.out)+"-*")
	if err != nil {
		return remedy.Add(err, advice)
	}
	_, err = next.Write(b.Bytes())
	err = cmp.Or(err, next.Chmod(0o644), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), d.out)
	}
	if err != nil {
		os.Remove(next.Name())
	}
	return remedy.Add(err, advice)
}
