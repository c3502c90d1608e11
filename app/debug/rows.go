package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"kubarium/server/storage"
)

// maxRow bounds the value that /debug/rows takes, in bytes: as kube-apiserver bounds a request.
const maxRow = 3 << 20

// A rewrite is the answer of a PUT of /debug/rows.
type rewrite struct {
	Revision int64 `json:"revision"` // of the change
}

// serveRows shows one object as it is stored, or writes any bytes into it, past all that the API checks: as someone
// with an SQL shell, or with etcdctl, would. It is the way of breaking an object on purpose.
func (p *handlers) serveRows(w http.ResponseWriter, r *http.Request) {
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

// envelopeHeader has the line above the value in etcd, empty if there is none.
const envelopeHeader = "Kubarium-Envelope"

// showRow writes the row's value as it is, whether it decodes or not, but for bytes that are no text; its revision is
// in the ETag.
func (p *handlers) showRow(w http.ResponseWriter, r *http.Request, k storage.Key) error {
	row, err := p.readRow(r.Context(), w.Header(), k)
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

// envelopes is a store that keeps a line of its own above each value.
type envelopes interface {
	Sealed(ctx context.Context, k storage.Key) (row storage.Record, envelope string, err error)
}

// readRow reads an object, and puts its envelope into the header if it has one.
func (p *handlers) readRow(ctx context.Context, h http.Header, k storage.Key) (storage.Record, error) {
	sealed, ok := p.Store().(envelopes)
	if !ok {
		return p.Store().Get(ctx, k, 0)
	}
	row, envelope, err := sealed.Sealed(ctx, k)
	if err == nil {
		h.Set(envelopeHeader, strings.Map(inHeader, envelope))
	}
	return row, err
}

// inHeader replaces what no header can have: any client of etcd may have written the line.
func inHeader(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}

// rewriteRow makes the body the row's value.
func (p *handlers) rewriteRow(w http.ResponseWriter, r *http.Request, k storage.Key) error {
	value, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRow))
	if err != nil {
		return err
	}
	revision, err := p.Store().Rewrite(r.Context(), k, value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(rewrite{int64(revision)})
}
