package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"kubarium/flow"
	"kubarium/server/storage"
)

// A trace records on the flow that a context carries; without one it does nothing.
type trace struct {
	rec     *flow.Recorder
	began   time.Time     // when the store was called
	elapsed time.Duration // of the flow at that time
}

func startTrace(ctx context.Context) trace {
	rec := flow.From(ctx)
	if rec == nil {
		return trace{}
	}
	return trace{rec: rec, began: time.Now(), elapsed: rec.Elapsed()}
}

func (t trace) on() bool { return t.rec != nil }

// start is when a statement begins, in the flow's time.
func (t trace) start() time.Duration { return t.rec.Elapsed() }

func (t trace) add(start time.Duration, text string, rows int, args ...any) {
	t.rec.Statement(text, rows, start, args...)
}

// wrote records what the writer did for a request.
func (t trace) wrote(r *request) {
	if t.rec == nil {
		return
	}
	for _, s := range r.statements {
		t.rec.Statement(s.text, s.rows, t.elapsed+s.begun.Sub(t.began), s.args...)
		t.rec.Flow.Statements[len(t.rec.Flow.Statements)-1].Length = s.length
	}
	if r.batch.writes == 0 {
		return
	}
	outcome := "committed"
	if r.err != nil {
		outcome = "precondition lost"
	} else if r.change == nil {
		outcome = "nothing to change"
	}
	t.rec.Flow.Batch = &flow.Batch{ID: r.batch.id, Writes: r.batch.writes, Commit: r.batch.commit, Waited: r.batch.waited, Outcome: outcome}
}

func explainBusy(k storage.Key) error {
	return fmt.Errorf("write %s: %w", k, storage.ErrBusy)
}
