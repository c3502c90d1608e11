// Package debug answers the paths below /debug/: what a client cannot say in Kubernetes' own paths. Its handlers show
// and change a Program, which they know by an interface; other packages read the answers into the types that are
// declared here.
//
// The server, which serves these paths, decides who may use them.
package debug

import (
	"maps"
	"net/http"
)

// Handlers returns the handlers of what a client cannot say in Kubernetes' own paths, by their paths.
func Handlers(of Program) map[string]http.Handler {
	p := &handlers{of}
	all := map[string]http.Handler{
		"/debug/compact": http.HandlerFunc(p.serveCompact),
		"/debug/rows":    http.HandlerFunc(p.serveRows),
		"/debug/changes": http.HandlerFunc(p.serveChanges),
		"/debug/plan":    http.HandlerFunc(p.servePlan),

		controllersPath: http.HandlerFunc(p.serveControllers),

		"/debug/snapshots": http.HandlerFunc(p.serveSnapshots),
		"/debug/restore":   http.HandlerFunc(p.serveRestore),
		"/debug/fork":      http.HandlerFunc(p.serveFork),
	}
	maps.Copy(all, Gate(of))
	maps.Copy(all, Records(of))
	return all
}

// Records returns the handlers of what was recorded of a run, by their paths.
func Records(of Record) map[string]http.Handler {
	p := &records{of}
	return map[string]http.Handler{
		FlowsPath:              http.HandlerFunc(p.serveFlows),
		"/debug/flows/schema":  http.HandlerFunc(p.serveSchema),
		"/debug/flows/moments": http.HandlerFunc(p.serveMoments),
		RecordingPath:          http.HandlerFunc(p.serveRecording),
		SettledPath:            http.HandlerFunc(p.serveSettled),
	}
}
