package flow

import "context"

// A Gate stands on the way of one request, and may do to it what fault rules say.
type Gate interface {
	// Before returns when the request may go on to a station. An error ends it: it is the answer.
	Before(ctx context.Context, station string) error
	// Seen is the newest revision that a read sees which any version may answer; 0 for all there are.
	Seen(ctx context.Context) int64
}

// Before asks the gate of the request, if there is one. It is called before the station is entered.
func (r *Recorder) Before(ctx context.Context, station string) error {
	if r == nil || r.Gate == nil {
		return nil
	}
	return r.Gate.Before(ctx, station)
}

// Seen is what the gate of the request lets a read see that any version may answer; 0 for all there are.
func (r *Recorder) Seen(ctx context.Context) int64 {
	if r == nil || r.Gate == nil {
		return 0
	}
	return r.Gate.Seen(ctx)
}
