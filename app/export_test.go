package app

import "net/http"

var (
	TuneMemory = tuneMemory
	NextRoom   = nextRoom
	GCPercent  = gcPercent
	GCDiffers  = differs

	ProcessSeconds = processSeconds
	VersionOf      = versionOf
)

// StartAnywhere is Start in a mode that does not let everybody do everything.
var StartAnywhere = start

// GCCost is what collections cost, of times in CPU seconds.
func GCCost(collecting, busy, had, all float64) float64 {
	return times{collecting, busy, had, all}.cost()
}

// DebugHandler is what answers a path below /debug/.
func (p *Program) DebugHandler(path string) http.Handler { return p.debug()[path] }

// A RecordedRun is a run that is read from a file.
type RecordedRun = recordedRun

// OpenRun opens a recording.
var OpenRun = openRun

// Past is what answers for a server that was recorded.
func (r *recordedRun) Past() http.RoundTripper { return &r.past }

// ClosePast ends the server of the past.
func (r *recordedRun) ClosePast() error { return r.past.close() }
