package app

import (
	"io"
	"net/http"

	"kubarium/app/home"
	"kubarium/app/running"
)

// Choose picks one of the running servers at a terminal, and returns its address.
func Choose(in io.Reader, out io.Writer) (string, error) {
	s, err := choose(running.List(home.Running()), true, in, out)
	return s.URL, err
}

// A RecordedRun is a run that is read from a file.
type RecordedRun = recordedRun

// OpenRun opens a recording.
var OpenRun = openRun

// Past is what answers for a server that was recorded.
func (r *recordedRun) Past() http.RoundTripper { return &r.past }

// ClosePast ends the server of the past.
func (r *recordedRun) ClosePast() error { return r.past.close() }
