// Package debug answers the paths below /debug/: what a client cannot say in Kubernetes' own paths. Its handlers show and change a
// Program, which they know by an interface; other packages read the answers into the types that are declared here.
//
// It does not decide who may ask: that is the server's, which serves these paths.
package debug

import (
	"encoding/json"
	"errors"
	"net/http"

	"kubarium/app/record"
	"kubarium/etcdstore"
	"kubarium/flow"
	"kubarium/server/gate"
	"kubarium/server/storage"
)

// A Program is what the handlers show and change: a whole Kubarium.
type Program interface {
	// Flows is the log of what every request did.
	Flows() *flow.Log
	// Store keeps the objects.
	Store() storage.Engine
	// CacheHead is the revision that the cache has reached.
	CacheHead() storage.Revision
	// Gate has the fault rules, and the requests that they hold.
	Gate() *gate.Gate
	// Run is the run as a recording has it; secrets says that it names secret values as they are.
	Run(secrets bool) record.Run

	Snapshots
	Forks
}

// handlers answer for one Program.
type handlers struct {
	Program
	line gateLine
}

// Handlers returns the handlers of what a client cannot say in Kubernetes' own paths, by their paths.
func Handlers(of Program) map[string]http.Handler {
	p := &handlers{Program: of}
	return map[string]http.Handler{
		"/debug/compact": http.HandlerFunc(p.serveCompact),
		"/debug/rows":    http.HandlerFunc(p.serveRows),
		"/debug/changes": http.HandlerFunc(p.serveChanges),
		"/debug/plan":    http.HandlerFunc(p.servePlan),
		FlowsPath:        http.HandlerFunc(p.serveFlows),

		"/debug/flows/schema":  http.HandlerFunc(p.serveSchema),
		"/debug/flows/moments": http.HandlerFunc(p.serveMoments),

		RecordingPath: http.HandlerFunc(p.serveRecording),

		gatePath: http.HandlerFunc(p.serveGate),
		heldPath: http.HandlerFunc(p.serveHeld),

		"/debug/snapshots": http.HandlerFunc(p.serveSnapshots),
		"/debug/restore":   http.HandlerFunc(p.serveRestore),
		"/debug/fork":      http.HandlerFunc(p.serveFork),
	}
}

// A Compaction is the answer of /debug/compact.
type Compaction struct {
	Revision int64 `json:"revision"` // every revision below it is unreadable now, and so is it unless it is the newest
}

// serveCompact makes every revision up to now unreadable.
func (p *handlers) serveCompact(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	newest, _ := p.Store().Head()
	err := p.Store().Compact(r.Context(), newest)
	if errors.Is(err, etcdstore.ErrShared) {
		http.Error(w, err.Error()+"; start the server with --etcd-compact-shared to compact it all the same", http.StatusConflict)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, compacted := p.Store().Head()
	p.Flows().SetHead(int64(newest), int64(compacted))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(Compaction{Revision: int64(newest)})
}
