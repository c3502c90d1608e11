package debug

import (
	"encoding/json"
	"errors"
	"net/http"

	"kubarium/etcdstore"
)

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
