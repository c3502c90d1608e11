package debug

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kubarium/analysis/quiet"
)

// SettledPath answers when the server has come to rest.
const SettledPath = "/debug/settled"

// A Settled is its answer.
type Settled struct {
	Settled bool         `json:"settled"`
	Busy    []quiet.Busy `json:"busy,omitempty"` // who kept it busy, the busiest first
}

// Default and longest times of SettledPath.
const (
	restFor      = time.Second
	restWithin   = 30 * time.Second
	longestRest  = time.Minute
	longestUntil = time.Hour
)

// serveSettled waits until nothing has happened for ?for=1s, no longer than ?timeout=30s.
func (p *records) serveSettled(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	rest, err := durationOf(r, "for", restFor, longestRest)
	within, second := durationOf(r, "timeout", restWithin, longestUntil)
	if err = errors.Join(err, second); err == nil && within < rest {
		err = fmt.Errorf("timeout %s is shorter than for %s", within, rest)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, end := context.WithTimeout(r.Context(), within)
	defer end()
	Answer(w, func() (any, error) {
		busy := quiet.Wait(ctx, p.Flows(), quiet.Options{For: rest})
		return Settled{Settled: busy == nil, Busy: busy}, nil
	})
}

// durationOf is a parameter of a request.
func durationOf(r *http.Request, name string, otherwise, longest time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > longest {
		return 0, fmt.Errorf("%s must be a time from 1ns to %s, not %q", name, longest, text)
	}
	return d, nil
}
