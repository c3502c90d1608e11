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
