package app

import (
	"context"
	"net/http"
	"time"

	"kubarium/server/storage"
)

// A snapshotRow is one snapshot as /debug/snapshots tells it.
type snapshotRow struct {
	Name     string    `json:"name"`
	Revision int64     `json:"revision"`
	At       time.Time `json:"at"`
}

func rowOf(s storage.Snapshot) snapshotRow {
	return snapshotRow{s.Name, int64(s.Revision), s.At.UTC()}
}

// A snapshotList is the answer to a GET of /debug/snapshots.
type snapshotList struct {
	Revision  int64         `json:"revision"`  // the newest one
	Compacted int64         `json:"compacted"` // reads below it are expired
	Snapshots []snapshotRow `json:"snapshots"` // oldest first; "start" is that of the last start
}

// A restoration is the answer of /debug/restore.
type restoration struct {
	Snapshot string `json:"snapshot"`
	From     int64  `json:"from"`     // the revision of the snapshot
	Revision int64  `json:"revision"` // the newest one now: all before it are unreadable
	Created  int    `json:"created"`
	Updated  int    `json:"updated"`
	Deleted  int    `json:"deleted"`
}

// maxAsked bounds the body of a request to /debug/, in bytes.
const maxAsked = 4096

// serveSnapshots lists, saves and deletes snapshots.
func (p *Program) serveSnapshots(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodDelete) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		answerDebug(w, func() (any, error) { return p.listSnapshots(r.Context()) })
	case http.MethodPost:
		var asked struct {
			Name    string `json:"name"`
			Replace bool   `json:"replace"`
		}
		answerDebug(w, func() (any, error) {
			if err := readAsked(w, r, maxAsked, &asked); err != nil {
				return nil, err
			}
			how := storage.SaveNew
			if asked.Replace {
				how = storage.Replace
			}
			saved, err := p.snapshots.save(r.Context(), asked.Name, how)
			return rowOf(saved), err
		})
	case http.MethodDelete:
		answerDebug(w, func() (any, error) {
			name := r.URL.Query().Get("name")
			return map[string]string{"deleted": name}, p.snapshots.delete(r.Context(), name)
		})
	}
}

func (p *Program) listSnapshots(ctx context.Context) (snapshotList, error) {
	all, err := p.snapshots.all(ctx)
	newest, compacted := p.store.Head()
	list := snapshotList{Revision: int64(newest), Compacted: int64(compacted), Snapshots: []snapshotRow{}}
	for _, s := range all {
		list.Snapshots = append(list.Snapshots, rowOf(s))
	}
	return list, err
}

// serveRestore goes back to a snapshot, or to what stood after the start.
func (p *Program) serveRestore(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	answerDebug(w, func() (any, error) {
		var asked struct {
			Snapshot string `json:"snapshot"`
		}
		if err := readAsked(w, r, maxAsked, &asked); err != nil {
			return nil, err
		}
		done, err := p.snapshots.restore(r.Context(), asked.Snapshot)
		if err != nil {
			return nil, err
		}
		p.Log.SetHead(int64(done.Head), int64(done.Head))
		return restoration{done.Name, int64(done.Revision), int64(done.Head), done.Created, done.Updated, done.Deleted}, nil
	})
}
