// Package comparison compares two recorded runs, and prints where they part.
package comparison

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"kubarium/analysis/compare"
	"kubarium/app/cli"
	"kubarium/app/runs"
	"kubarium/flow"
)

// A Diff is what "kubarium diff" is asked for.
type Diff struct {
	Files   [2]string
	Also    []string // more files of runs that passed
	Format  string
	Context int  // rows before and after the one where the runs part
	All     bool // every row
	Own     bool
}

func (d *Diff) Run(out, errs io.Writer) error {
	runs, err := readRuns(append(d.Files[:], d.Also...), errs)
	if err != nil {
		return cli.Misuse(err)
	}
	c := compare.Runs(runs[0], runs[1], compare.Options{Own: d.Own, Also: runs[2:]})
	write := d.writeText
	if d.Format == "json" {
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

// readRuns reads files at once, and says what could not be read of them.
func readRuns(files []string, errs io.Writer) ([][]*flow.Flow, error) {
	read, failed, missed := make([][]*flow.Flow, len(files)), make([]error, len(files)), make([]uint64, len(files))
	var all sync.WaitGroup
	half := runs.LimitMemory().Half() // the comparison takes the other one
	for i, file := range files {
		all.Go(func() {
			for f, err := range runs.Read(file, nil) {
				if m := (runs.Missed{}); errors.As(err, &m) {
					missed[i] += m.N
				} else if failed[i] = err; err == nil {
					read[i] = append(read[i], compared(f))
				}
				if err := half.Exceeded(); err != nil {
					failed[i] = runs.Partial{Text: fmt.Sprintf("%s: %v; %d requests are compared", file, err, len(read[i]))}
					return
				}
			}
		})
	}
	all.Wait()
	for i, err := range failed {
		if missed[i] > 0 {
			cli.Printf(errs, "kubarium: %s: %d requests were no longer kept when they could be recorded\n", files[i], missed[i])
		}
		if partial := (runs.Partial{}); errors.As(err, &partial) {
			cli.Printf(errs, "kubarium: %v\n", err)
		} else if err != nil {
			return read, err
		}
	}
	return read, nil
}

// compared returns a flow without what no comparison looks at, so that long runs fit. It changes the flow, which was
// read for this alone.
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
func (d *Diff) shown(c *compare.Comparison) (from, to int) {
	switch {
	case d.All:
		return 0, len(c.Rows)
	case c.Parted == nil:
		return 0, 0
	}
	return max(0, c.Parted.Row-d.Context), min(len(c.Rows), c.Parted.Row+d.Context+1)
}
