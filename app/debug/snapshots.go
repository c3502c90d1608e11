package debug

import (
	"context"
	"net/http"
	"time"

	"kubarium/server/storage"
)

// A Snapshot is one snapshot as /debug/snapshots answers.
type Snapshot struct {
	Name     string    `json:"name"`
	Revision int64     `json:"revision"`
	At       time.Time `json:"at"`
}

func rowOf(s storage.Snapshot) Snapshot {
	return Snapshot{s.Name, int64(s.Revision), s.At.UTC()}
}

// A SnapshotList is the answer to a GET of /debug/snapshots.
type SnapshotList struct {
	Revision  int64      `json:"revision"`  // the newest one
	Compacted int64      `json:"compacted"` // reads below it are expired
	Snapshots []Snapshot `json:"snapshots"` // oldest first; "start" is that of the last start
}

// A Restoration is the answer of /debug/restore.
type Restoration struct {
	Snapshot string `json:"snapshot"`
	From     int64  `json:"from"`     // the revision of the snapshot
	Revision int64  `json:"revision"` // the newest one now: all before it are unreadable
	Created  int    `json:"created"`
	Updated  int    `json:"updated"`
	Deleted  int    `json:"deleted"`
}

// serveSnapshots lists, saves and deletes snapshots.
func (p *handlers) serveSnapshots(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodDelete) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		Answer(w, func() (any, error) { return p.listSnapshots(r.Context()) })
	case http.MethodPost:
		var asked struct {
			Name    string `json:"name"`
			Replace bool   `json:"replace"`
		}
		Answer(w, func() (any, error) {
			if err := ReadBody(w, r, maxAsked, &asked); err != nil {
				return nil, err
			}
			how := storage.SaveNew
			if asked.Replace {
				how = storage.Replace
			}
			saved, err := p.SaveSnapshot(r.Context(), asked.Name, how)
			return rowOf(saved), err
		})
	case http.MethodDelete:
		Answer(w, func() (any, error) {
			name := r.URL.Query().Get("name")
			return map[string]string{"deleted": name}, p.DeleteSnapshot(r.Context(), name)
		})
	}
}

func (p *handlers) listSnapshots(ctx context.Context) (SnapshotList, error) {
	all, err := p.Snapshots(ctx)
	newest, compacted := p.Store().Head()
	list := SnapshotList{Revision: int64(newest), Compacted: int64(compacted), Snapshots: []Snapshot{}}
	for _, s := range all {
		list.Snapshots = append(list.Snapshots, rowOf(s))
	}
	return list, err
}

// serveRestore goes back to a snapshot, or to the state after the start.
func (p *handlers) serveRestore(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	Answer(w, func() (any, error) {
		var asked struct {
			Snapshot string `json:"snapshot"`
		}
		if err := ReadBody(w, r, maxAsked, &asked); err != nil {
			return nil, err
		}
		done, err := p.Restore(r.Context(), asked.Snapshot)
		if err != nil {
			return nil, err
		}
		p.Flows().SetHead(int64(done.Head), int64(done.Head))
		return Restoration{done.Name, int64(done.Revision), int64(done.Head), done.Created, done.Updated, done.Deleted}, nil
	})
}
