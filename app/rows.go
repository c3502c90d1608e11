package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"kubarium/server/storage"
)

// maxRow bounds the value that /debug/rows takes, in bytes: as kube-apiserver bounds a request.
const maxRow = 3 << 20

// A rewrite is the answer of a PUT of /debug/rows.
type rewrite struct {
	Revision int64 `json:"revision"` // of the change
}

// serveRows shows one row of the table objects as it is stored, or writes any bytes into it, past all that the API
// checks: as someone with an SQL shell would. It is the way of breaking an object on purpose.
func (p *Program) serveRows(w http.ResponseWriter, r *http.Request) {
	key, err := rowKey(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch r.Method {
	case http.MethodGet:
		err = p.showRow(w, r, key)
	case http.MethodPut:
		err = p.rewriteRow(w, r, key)
	default:
		w.Header().Set("Allow", "GET, PUT")
		http.Error(w, "use GET or PUT", http.StatusMethodNotAllowed)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, storage.ErrNotFound):
		http.Error(w, "there is no row "+key.String(), http.StatusNotFound)
	case errors.As(err, &tooLarge):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// rowKey reads which row is meant.
func rowKey(q url.Values) (storage.Key, error) {
	k := storage.Key{Resource: q.Get("resource"), Name: q.Get("name")}
	if k.Resource == "" || k.Name == "" {
		return k, errors.New("say which row: ?resource=configmaps&namespace=default&name=a, and group=apps for deployments")
	}
	if group := q.Get("group"); group != "" {
		k.Resource += "." + group
	}
	if namespace := q.Get("namespace"); namespace != "" {
		k.Name = namespace + "/" + k.Name
	}
	return k, nil
}

// showRow writes the row's value as it is, whether it decodes or not, but for bytes that are no text; its revision is in
// the ETag.
func (p *Program) showRow(w http.ResponseWriter, r *http.Request, k storage.Key) error {
	row, err := p.store.Get(r.Context(), k, 0)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", strconv.Quote(fmt.Sprint(row.Revision)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if utf8.Valid(row.Value) && json.Valid(row.Value) {
		w.Header().Set("Content-Type", "application/json")
	}
	_, err = w.Write(bytes.ToValidUTF8(row.Value, []byte("\uFFFD")))
	return err
}

// rewriteRow makes the body the row's value.
func (p *Program) rewriteRow(w http.ResponseWriter, r *http.Request, k storage.Key) error {
	value, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRow))
	if err != nil {
		return err
	}
	revision, err := p.updateOutside(r.Context(), k, string(value))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(rewrite{revision})
}

// updateOutside opens the database as another process would, and changes a row with plain SQL. The trigger gives the
// change its revision, unless the value is the one that the row has already.
func (p *Program) updateOutside(ctx context.Context, k storage.Key, value string) (revision int64, err error) {
	db, err := p.store.Beside("rw")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if _, err := tx.ExecContext(ctx, "UPDATE objects SET value = ? WHERE resource = ? AND key = ?", value, k.Resource, k.Name); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT revision FROM objects WHERE resource = ? AND key = ?", k.Resource, k.Name).Scan(&revision)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, storage.ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	return revision, tx.Commit()
}
