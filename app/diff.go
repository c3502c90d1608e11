package app

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"kubarium/analysis/compare"
	"kubarium/app/cli"
	"kubarium/flow"
)

// A diff is what "kubarium diff" is asked for.
type diff struct {
	files   [2]string
	format  string
	context int  // rows before and behind the one where the runs part
	all     bool // every row
	own     bool
}

func newDiff() *cobra.Command {
	var d diff
	cmd := &cobra.Command{
		Use:        "diff FIRST SECOND",
		SuggestFor: []string{"compare"},
		Short:      "Compare two recorded runs, and print where they part",
		Long: `Compare two recorded runs, such as a test that passed and one that failed, and print the first request where they part:
one that only one of them has, or that has another answer, another body or another user. Runs are compared client by client.
resourceVersions, uids, times and the random parts of names do not count; differences that timing alone explains are
counted, and runs do not part there.

A run is a file of JSON Lines, as "kubarium export" writes it. The exit code is 0 if the runs are the same, 1 if they part, and 2 if
something cannot be read.`,
		Example: `  kubarium export --out passed.jsonl       # after a run that passed
  kubarium export --out failed.jsonl       # after one that failed
  kubarium diff passed.jsonl failed.jsonl`,
		Args: arguments(2, 2),

		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.context < 0 {
				return cli.Misuse(fmt.Errorf("--context is a number of rows from 0 on, not %d", d.context))
			}
			d.files = [2]string(args)
			return d.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.Var(cli.NewChoice(&d.format, "text", "text", "json"), "format", "text or json")
	f.IntVar(&d.context, "context", 5, "rows to print before and behind the one where the runs part")
	f.BoolVar(&d.all, "all", false, "print all rows")
	f.BoolVar(&d.own, "own", false, "compare Kubarium's own requests, too")
	return cmd
}

func (d *diff) run(out, errs io.Writer) error {
	runs, err := readRuns(d.files, errs)
	if err != nil {
		return cli.Misuse(err)
	}
	c := compare.Runs(runs[0], runs[1], compare.Options{Own: d.own})
	write := d.writeText
	if d.format == "json" {
		write = d.writeJSON
	}
	if err := write(out, c); err != nil {
		return err
	}
	if c.Parted != nil {
		return cli.ExitCode(1)
	}
	return nil
}

// readRuns reads two files at once, and says what could not be read of them.
func readRuns(files [2]string, errs io.Writer) (runs [2][]*flow.Flow, err error) {
	var failed [2]error
	var missed [2]uint64
	var both sync.WaitGroup
	half := limitReading().half() // the comparison takes the other one
	for i, file := range files {
		both.Go(func() {
			for f, err := range readRun(file, nil) {
				if m := (missedFlows{}); errors.As(err, &m) {
					missed[i] += m.n
				} else if failed[i] = err; err == nil {
					runs[i] = append(runs[i], compared(f))
				}
				if err := half.exceeded(); err != nil {
					failed[i] = partialRun{fmt.Sprintf("%s: %v; %d requests are compared", file, err, len(runs[i]))}
					return
				}
			}
		})
	}
	both.Wait()
	for i, err := range failed {
		if missed[i] > 0 {
			cli.Printf(errs, "kubarium: %s: %d requests were gone before they could be recorded\n", files[i], missed[i])
		}
		if partial := (partialRun{}); errors.As(err, &partial) {
			cli.Printf(errs, "kubarium: %v\n", err)
		} else if err != nil {
			return runs, err
		}
	}
	return runs, nil
}

// compared is a flow without what no comparison looks at, so that long runs have room. It is of a file, and nobody else has it.
func compared(f *flow.Flow) *flow.Flow {
	f.RequestHeader, f.ResponseHeader, f.ResponseBody = nil, nil, flow.Body{}
	f.Stations, f.Plugins, f.Statements = nil, nil, nil
	for i := range f.Effects {
		f.Effects[i].Before, f.Effects[i].After = nil, nil
	}
	if f.Conflict != nil {
		f.Conflict.Base, f.Conflict.Object = nil, nil
	}
	return f
}

// shown are the rows to print, from one up to another: all of them, those around the parting, or none.
func (d *diff) shown(c *compare.Comparison) (from, to int) {
	switch {
	case d.all:
		return 0, len(c.Rows)
	case c.Parted == nil:
		return 0, 0
	}
	return max(0, c.Parted.Row-d.context), min(len(c.Rows), c.Parted.Row+d.context+1)
}
