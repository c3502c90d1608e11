package flow

import "context"

// A Gate acts on one request as fault rules say.
type Gate interface {
	// Before returns when the request may enter a station. An error ends the request: it is the answer.
	Before(ctx context.Context, station string) error
	// Seen is the newest revision that a read may see if any version will do; 0 for no limit.
	Seen(ctx context.Context) int64
}

// Before asks the gate of the request, if there is one. It is called before a station is entered.
func (r *Recorder) Before(ctx context.Context, station string) error {
	if r == nil || r.Gate == nil {
		return nil
	}
	return r.Gate.Before(ctx, station)
}

// Seen is the newest revision that the request's gate lets a read see if any version will do; 0 for no limit.
func (r *Recorder) Seen(ctx context.Context) int64 {
	if r == nil || r.Gate == nil {
		return 0
	}
	return r.Gate.Seen(ctx)
}
