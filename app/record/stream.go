package record

import (
	"context"
	"errors"
	"time"

	"kubarium/flow/recording"
)

const (
	// rest is the time between two looks at what has come: many records are compressed better than one.
	rest = 100 * time.Millisecond
	// Slow is how often a look is due although nothing woke it: frames of watches do not wake it. A recording that goes
	// on grows so often.
	Slow = 2 * time.Second
)

// Write writes a Run to an encoder: once all that there is, and with follow all that comes until ctx ends, which is
// no error. flush is called when there is nothing more for now.
func Write(ctx context.Context, run Run, o Options, to *recording.Encoder, follow bool, flush func() error) error {
	t := newTape(run, o, to)
	defer t.close()
	if err := t.begin(ctx, o.At); err != nil {
		return err
	}
	return t.loop(ctx, follow, func() error {
		if err := to.Flush(); err != nil {
			return err
		}
		return flush()
	})
}

// loop writes round after round; after the end of ctx there is one more.
func (t *tape) loop(ctx context.Context, follow bool, after func() error) error {
	wake, end := t.run.Log.Subscribe()
	defer end()
	late := time.NewTicker(Slow)
	defer late.Stop()
	for {
		last := !follow || ctx.Err() != nil
		some, err := t.round()
		if lost := (errLost{}); errors.As(err, &lost) {
			err = t.renew(ctx, lost)
		}
		if err == nil {
			err = after()
		}
		if err != nil || last {
			return err
		}
		if some { // what woke it is often followed by frames, which do not wake it
			sleep(ctx, rest)
			continue
		}
		select {
		case <-wake:
			sleep(ctx, rest)
		case <-late.C:
			if err := t.alive(); err != nil {
				return err
			}
		case <-ctx.Done():
		}
	}
}

// renew begins a segment with a new state after changes that are lost.
func (t *tape) renew(ctx context.Context, lost errLost) error {
	if err := t.begin(context.WithoutCancel(ctx), 0); err != nil {
		return err
	}
	return t.to.Missed(recording.Missed{ChangesFrom: int64(lost.from), ChangesTo: int64(lost.to)})
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
