package checkup

import (
	"errors"
	"fmt"
	"iter"

	"kubarium/app/runs"
	"kubarium/flow"
)

// examine reads a run. A partialRun says that what could be read is examined.
func examine(run iter.Seq2[*flow.Flow, error], d *patient) error {
	var last uint64
	for f, err := range run {
		var missed runs.Missed
		switch {
		case errors.As(err, &missed):
			d.Missed(missed.N)
			continue
		case err != nil:
			return err
		case f.Seq <= last:
			return fmt.Errorf("flow %d comes after flow %d; flows must be in the order of their numbers, of one run", f.Seq, last)
		}
		last = f.Seq
		d.Add(f)
	}
	return nil
}
