package play

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kubarium/scenarios"
)

// An Outcome is how a lesson went that was played as a check.
type Outcome struct {
	Lesson  *scenarios.Lesson
	Err     error         // a *check.Mismatch if an expectation did not hold; nil if it passed or was skipped
	Skipped string        // why it was not played; "" if it was
	Took    time.Duration // wall time
}

// A Report is how the lessons went.
type Report struct {
	Outcomes                []Outcome
	Passed, Failed, Skipped int
}

// String is the report's last line.
func (r Report) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
}

// Verify plays lessons headless against a server, one after the other, and skips those whose needs it lacks. It stops
// early, with what there is so far, when ctx is over.
func Verify(ctx context.Context, lessons []*scenarios.Lesson, server string, o Options) Report {
	o.Pace, o.Ask, o.Leave, o.Witness = 0, false, false, nil
	var r Report
	for _, l := range lessons {
		if ctx.Err() != nil {
			break
		}
		out := verify(ctx, New(l, server, o))
		r.Outcomes = append(r.Outcomes, out)
		switch {
		case out.Err != nil:
			r.Failed++
		case out.Skipped != "":
			r.Skipped++
		default:
			r.Passed++
		}
	}
	return r
}

func verify(ctx context.Context, p *Player) Outcome {
	start := time.Now()
	missing, err := p.Lacks(ctx)
	if err == nil && missing == "" {
		if err = p.Run(ctx); err != nil { // it may have been stopped between two steps
			err = errors.Join(err, p.Reset(ctx))
		}
	}
	out := Outcome{Lesson: p.Lesson, Err: err, Took: time.Since(start)}
	if missing != "" {
		out.Skipped = missing
	}
	return out
}
