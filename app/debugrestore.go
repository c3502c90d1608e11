package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/registry"
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
	switch r.Method {
	case http.MethodGet:
		answerDebug(w, func() (any, error) { return p.listSnapshots(r.Context()) })
	case http.MethodPost:
		var asked struct {
			Name    string `json:"name"`
			Replace bool   `json:"replace"`
		}
		answerDebug(w, func() (any, error) {
			if err := readAsked(w, r, &asked); err != nil {
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
	default:
		refuseMethod(w, "GET, POST, DELETE")
	}
}

func (p *Program) listSnapshots(ctx context.Context) (snapshotList, error) {
	all, err := p.store.Snapshots(ctx)
	newest, compacted := p.store.Head()
	list := snapshotList{Revision: int64(newest), Compacted: int64(compacted), Snapshots: []snapshotRow{}}
	for _, s := range all {
		list.Snapshots = append(list.Snapshots, rowOf(s))
	}
	return list, err
}

// serveRestore goes back to a snapshot, or to what stood after the start.
func (p *Program) serveRestore(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		refuseMethod(w, "POST")
		return
	}
	answerDebug(w, func() (any, error) {
		var asked struct {
			Snapshot string `json:"snapshot"`
		}
		if err := readAsked(w, r, &asked); err != nil {
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

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	http.Error(w, "use "+allowed, http.StatusMethodNotAllowed)
}

// An askedError is why a request cannot be understood.
type askedError struct{ error }

func (e askedError) Unwrap() error { return e.error }

// readAsked reads the body of a request, one JSON object of what is known here; without a body all is left as it is.
func readAsked(w http.ResponseWriter, r *http.Request, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsked))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil && d.Decode(&struct{}{}) != io.EOF {
		err = errors.New("more than one JSON object")
	}
	if err != nil {
		return askedError{fmt.Errorf("the body must be a JSON object of what is asked: %w", err)}
	}
	return nil
}

// answerDebug answers with what do returns, in JSON, or with its error, in one line.
func answerDebug(w http.ResponseWriter, do func() (any, error)) {
	found, err := do()
	if err != nil {
		http.Error(w, firstLine(err), debugCode(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found)
}

// debugCode is the code of an error.
func debugCode(err error) int {
	var failure *storage.Failure
	var status apierrors.APIStatus
	var asked askedError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &failure):
		if errors.As(registry.StoreError(failure), &status) {
			return int(status.Status().Code)
		}
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &asked), errors.Is(err, errSnapshotName), errors.Is(err, errSnapshotReserved), errors.Is(err, storage.ErrTooLarge):
		return http.StatusBadRequest
	case errors.Is(err, storage.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, storage.ErrExists), errors.Is(err, errTooManySnapshots), errors.Is(err, errTooManyForks), errors.Is(err, errForkFile):
		return http.StatusConflict
	case errors.Is(err, storage.ErrExpired):
		return http.StatusGone
	case errors.Is(err, storage.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}
