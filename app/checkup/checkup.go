// Package checkup gives a doctor the requests of a run to examine: of a file, of a running server, or of a command
// that it runs against a server of its own.
package checkup

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

	"kubarium/analysis/doctor"
	"kubarium/analysis/doctor/report"
	"kubarium/app/cli"
	"kubarium/app/remedy"
	"kubarium/app/remote"
	"kubarium/app/runs"
)

// doctorForms are the values of --format that show the report alone, with what writes each.
var doctorForms = map[string]func(io.Writer, *doctor.Report, []doctor.Rule) error{
	"text": report.Text, "json": report.JSON, "junit": report.JUnit, "sarif": report.SARIF,
}

// A Checkup is what "kubarium doctor" was asked for.
type Checkup struct {
	Server  remote.Server
	Watch   time.Duration // how long a running server is watched; 0 for not at all
	Own     bool
	Format  string
	Out     string
	FailOn  string
	file    string
	command []string
	read    []*patient // whose runs a page shows
}

// Complete reads the arguments; dash is how many of them come before "--", negative for none.
func (d *Checkup) Complete(args []string, dash int) error {
	before := args
	if dash >= 0 {
		before, d.command = args[:dash], args[dash:]
	}
	if len(before) > 1 {
		return fmt.Errorf("unexpected argument %q; put a command after --", before[1])
	}
	if len(before) == 1 {
		d.file = before[0]
	}
	asked := 0
	for _, one := range []bool{d.file != "", dash >= 0, d.Watch != 0} {
		if one {
			asked++
		}
	}
	switch {
	case asked == 0:
		return errors.New("say what to look at: FILE, --for DURATION or -- COMMAND")
	case asked > 1:
		return errors.New("FILE, --for and -- COMMAND exclude each other")
	case d.Watch < 0:
		return fmt.Errorf("--for must be more than 0, not %s", d.Watch)
	case dash >= 0 && len(d.command) == 0:
		return errors.New("a command must follow --")
	case d.Server.Named() && d.Watch == 0:
		return errors.New("--server and --kubeconfig need --for DURATION")
	case d.command != nil && d.Out == "" && d.Format != "text":
		return fmt.Errorf("--format %s needs --out FILE, since the command writes to stdout as well", d.Format)
	}
	_, err := report.Failing(&doctor.Report{}, d.FailOn)
	if err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	return nil
}

// Run looks, reports, and says by its error how it ended.
func (d *Checkup) Run(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	var p *doctor.Report
	var err error
	var code cli.ExitCode // of the command
	switch {
	case d.file != "":
		p, err = d.readFile(in, errs)
	case d.Watch > 0:
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
	failed, err := report.Failing(p, d.FailOn)
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

// readFile examines a run that was kept.
func (d *Checkup) readFile(in io.Reader, errs io.Writer) (*doctor.Report, error) {
	who := d.admit(d.file, 0)
	err := examine(runs.Read(d.file, in), who)
	if errors.Is(err, os.ErrNotExist) {
		return nil, cli.Misuse(err)
	}
	if errors.As(err, &runs.Partial{}) {
		cli.Printf(errs, "kubarium: %v\n", err)
		err = nil
	}
	return who.Report(), err
}

// write puts the report where it was asked for. A file is written as a whole or not at all.
func (d *Checkup) write(p *doctor.Report, out io.Writer) error {
	var b bytes.Buffer
	var err error
	if d.Format == "html" {
		err = d.page(&b)
	} else {
		err = doctorForms[d.Format](&b, p, doctor.Rules())
	}
	if err != nil {
		return err
	}
	if d.Out == "" {
		_, err := out.Write(b.Bytes())
		return err
	}
	const advice = "say --out FILE for one that can be written"
	next, err := os.CreateTemp(filepath.Dir(d.Out), "."+filepath.Base(d.Out)+"-*")
	if err != nil {
		return remedy.Add(err, advice)
	}
	_, err = next.Write(b.Bytes())
	err = cmp.Or(err, next.Chmod(0o644), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), d.Out)
	}
	if err != nil {
		os.Remove(next.Name())
	}
	return remedy.Add(err, advice)
}
