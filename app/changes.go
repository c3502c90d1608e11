package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"kubarium/server/storage"
)

// mostChanges bounds how many changes one answer of /debug/changes tells.
const mostChanges = 10_000

// A changeList is the answer of /debug/changes: the change log as the store still has it, newest first.
type changeList struct {
	Revision  int64       `json:"revision"`  // the newest one
	Compacted int64       `json:"compacted"` // reads below it are expired; of older changes only those are told that made objects what they are
	Changes   []changeRow `json:"changes"`
}

// A changeRow is one change, without the object unless it was asked for by its revision.
type changeRow struct {
	Revision       int64           `json:"revision"`
	Type           string          `json:"type"` // C, U or D
	Resource       string          `json:"resource"`
	Namespace      string          `json:"namespace,omitempty"`
	Name           string          `json:"name"`
	At             time.Time       `json:"at"`
	Outside        bool            `json:"outside,omitempty"`        // made with plain SQL
	BeforeRevision int64           `json:"beforeRevision,omitempty"` // of the version that it met
	Bytes          int64           `json:"bytes"`                    // of the object after it
	Terminating    bool            `json:"terminating,omitempty"`    // the object is so still, and has a deletionTimestamp
	Before         json.RawMessage `json:"before,omitempty"`         // as stored; a text where that is not JSON
	After          json.RawMessage `json:"after,omitempty"`
}

const sqlSelectChanges = `SELECT c.revision, c.type, c.resource, c.key, c.at, c.outside, c.before_revision, ifnull(length(CAST(c.value AS BLOB)), 0),
  o.revision IS NOT NULL AND instr(o.value, '"deletionTimestamp":"') > 0, NULL, NULL
FROM store AS s, changes AS c LEFT JOIN objects AS o ON o.resource = c.resource AND o.key = c.key AND o.revision = c.revision
WHERE c.revision <= ?1 AND (c.revision > s.compacted OR o.revision IS NOT NULL)`

// The changes of one object are found by their index, and those of what is terminating are sorted, so that all that is read for nothing
// is read before the first row: the driver interrupts that when the client goes, and not what lies between two rows.
const (
	sqlReadChanges     = sqlSelectChanges + ` ORDER BY c.revision DESC LIMIT ?2`
	sqlReadChangesOf   = sqlSelectChanges + ` AND c.resource = ?3 AND c.key = ?4 ORDER BY c.revision DESC LIMIT ?2`
	sqlReadTerminating = sqlSelectChanges + ` AND o.revision IS NOT NULL AND instr(o.value, '"deletionTimestamp":"') > 0
  AND (?3 = '' OR c.resource = ?3 AND c.key = ?4) ORDER BY +c.revision DESC LIMIT ?2`
)

const sqlReadChange = `SELECT c.revision, c.type, c.resource, c.key, c.at, c.outside, c.before_revision, ifnull(length(CAST(c.value AS BLOB)), 0), 0, b.value, c.value
FROM changes AS c LEFT JOIN changes AS b ON b.revision = c.before_revision WHERE c.revision = ?1`

// serveChanges tells the change log: all of it, what is not newer than ?before=, of one object as /debug/rows names it,
// those of what is ?terminating, or with ?revision= one change with the object before and after it. It lets who came late draw the axis.
func (p *Program) serveChanges(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	statement, args, err := changesAsked(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rows, err := p.readChanges(r.Context(), statement, args)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	newest, compacted := p.store.Head()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(changeList{int64(newest), int64(compacted), rows})
}

// changesAsked reads which changes are meant.
func changesAsked(q url.Values) (statement string, args []any, err error) {
	numbers := map[string]int64{"revision": 0, "before": 1<<63 - 1, "limit": mostChanges}
	for name := range numbers {
		if v := q.Get(name); v != "" {
			if numbers[name], err = strconv.ParseInt(v, 10, 64); err != nil || numbers[name] < 1 {
				return "", nil, fmt.Errorf("%s is a number from 1 on, not %q", name, v)
			}
		}
	}
	if numbers["revision"] > 0 {
		return sqlReadChange, []any{numbers["revision"]}, nil
	}
	var k storage.Key
	if q.Has("resource") || q.Has("name") {
		if k, err = rowKey(q); err != nil {
			return "", nil, err
		}
	}
	args = []any{numbers["before"], min(numbers["limit"], mostChanges), k.Resource, k.Name}
	switch {
	case q.Has("terminating"):
		return sqlReadTerminating, args, nil
	case k.Resource != "":
		return sqlReadChangesOf, args, nil
	}
	return sqlReadChanges, args[:2], nil
}

// readChanges reads through a connection of its own, which cannot write.
func (p *Program) readChanges(ctx context.Context, statement string, args []any) (out []changeRow, err error) {
	db, err := p.store.Beside("ro", "query_only(1)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	found, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	out = []changeRow{}
	for found.Next() {
		var c changeRow
		var key string
		var at int64
		var before, after []byte
		if err := found.Scan(&c.Revision, &c.Type, &c.Resource, &key, &at, &c.Outside, &c.BeforeRevision, &c.Bytes, &c.Terminating, &before, &after); err != nil {
			return nil, err
		}
		c.Namespace, c.Name = storage.Key{Name: key}.Split()
		c.At, c.Before, c.After = time.UnixMilli(at).UTC(), asJSON(before), asJSON(after)
		out = append(out, c)
	}
	return out, found.Err()
}

// asJSON is a stored value as it is, or as a text where it is no JSON.
func asJSON(b []byte) json.RawMessage {
	if len(b) == 0 || utf8.Valid(b) && json.Valid(b) {
		return b
	}
	text, _ := json.Marshal(string(b)) // a string can be written as JSON
	return text
}
