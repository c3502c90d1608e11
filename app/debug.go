package app

import (
	"encoding/json"
	"errors"
	"net/http"

	"kubarium/etcdstore"
)

// debug are the handlers of what a client cannot say in Kubernetes' own paths.
func (p *Program) debug() map[string]http.Handler {
	return map[string]http.Handler{
		"/debug/compact": http.HandlerFunc(p.serveCompact),
		"/debug/rows":    http.HandlerFunc(p.serveRows),
		"/debug/changes": http.HandlerFunc(p.serveChanges),
		"/debug/plan":    http.HandlerFunc(p.servePlan),
		flowsPath:        http.HandlerFunc(p.serveFlows),

		"/debug/flows/schema":  http.HandlerFunc(p.serveSchema),
		"/debug/flows/moments": http.HandlerFunc(p.serveMoments),

		recordingPath: http.HandlerFunc(p.serveRecording),

		gatePath: http.HandlerFunc(p.serveGate),
		heldPath: http.HandlerFunc(p.serveHeld),

		"/debug/snapshots": http.HandlerFunc(p.serveSnapshots),
		"/debug/restore":   http.HandlerFunc(p.serveRestore),
		"/debug/fork":      http.HandlerFunc(p.serveFork),
	}
}

// A compaction is the answer of /debug/compact.
type compaction struct {
	Revision int64 `json:"revision"` // every revision below it is unreadable now, and so is it unless it is the newest
}

// serveCompact makes every revision up to now unreadable.
func (p *Program) serveCompact(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	newest, _ := p.store.Head()
	err := p.store.Compact(r.Context(), newest)
	if errors.Is(err, etcdstore.ErrShared) {
		http.Error(w, err.Error()+"; start the server with --etcd-compact-shared to compact it all the same", http.StatusConflict)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, compacted := p.store.Head()
	p.Log.SetHead(int64(newest), int64(compacted))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(compaction{Revision: int64(newest)})
}
