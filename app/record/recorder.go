package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"kubarium/flow/recording"
)

// A Recorder writes a Run to a file from its start to its end.
type Recorder struct {
	tape   *tape
	file   *file
	to     *recording.Encoder
	logger *slog.Logger
	done   chan struct{}
	err    error // why it ended before its time
}

// Start begins a recording with the state as it is now. The file must not be there yet. Beyond limit bytes the oldest
// segments go; the newest stays, however large the state at its begin is.
func Start(ctx context.Context, run Run, path string, limit int64, logger *slog.Logger) (r *Recorder, err error) {
	f, err := create(path, limit)
	if err != nil {
		return nil, err
	}
	to, err := recording.NewEncoder(f)
	if err != nil {
		return nil, errors.Join(err, f.to.Close())
	}
	r = &Recorder{file: f, to: to, logger: logger, done: make(chan struct{})}
	r.tape = newTape(run, Options{State: true, Flows: true}, to)
	if err := r.begin(ctx); err != nil {
		r.tape.close()
		return nil, errors.Join(err, f.to.Close())
	}
	return r, nil
}

func (r *Recorder) begin(ctx context.Context) error {
	r.file.segment()
	if err := r.tape.begin(ctx, 0); err != nil {
		return err
	}
	defer r.file.based()
	return r.to.Flush()
}

// Run writes what comes until ctx ends, and then the rest. An error that ends it is logged, and Wait returns it; the
// server goes on without a recording.
func (r *Recorder) Run(ctx context.Context) {
	defer close(r.done)
	defer r.tape.close()
	r.err = r.tape.loop(ctx, true, func() error { return r.after(ctx) })
	if r.err == nil {
		r.err = r.to.Close(recording.End{At: time.Now()})
	}
	r.err = errors.Join(r.err, r.file.to.Close())
	if r.err != nil {
		r.err = fmt.Errorf("the recording ended: %w", r.err)
		r.logger.Error("recording", "error", r.err)
	}
}

// after hands on what was written, and begins another segment when it is time.
func (r *Recorder) after(ctx context.Context) error {
	if err := r.to.Flush(); err != nil || !r.file.full() || ctx.Err() != nil {
		return err
	}
	if err := r.to.EndSegment(); err != nil {
		return err
	}
	if err := r.file.trim(); err != nil {
		return err
	}
	return r.begin(context.WithoutCancel(ctx)) // a segment that has begun gets its state
}

// Wait waits until all is written, and says what prevented that.
func (r *Recorder) Wait() error {
	<-r.done
	return r.err
}
