package debug

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"kubarium/server/storage"
)

// mostChanges bounds how many changes one answer of /debug/changes has.
const mostChanges = 10_000

// A changeList is the answer of /debug/changes: the change log as the store still has it, newest first.
type changeList struct {
	Revision  int64       `json:"revision"`  // the newest one
	Compacted int64       `json:"compacted"` // reads below it are expired; of older changes the list has only those that made objects what they are
	Changes   []changeRow `json:"changes"`
}

// A changeRow is one change, without the object unless the request names its revision.
type changeRow struct {
	Revision       int64           `json:"revision"`
	Type           string          `json:"type"` // C, U or D
	Resource       string          `json:"resource"`
	Namespace      string          `json:"namespace,omitempty"`
	Name           string          `json:"name"`
	At             time.Time       `json:"at"`
	Outside        bool            `json:"outside,omitempty"`        // made by another process than this server
	BeforeRevision int64           `json:"beforeRevision,omitempty"` // of the version that it met
	Bytes          int64           `json:"bytes"`                    // of the object after it
	Terminating    bool            `json:"terminating,omitempty"`    // the object is so still, and has a deletionTimestamp
	Before         json.RawMessage `json:"before,omitempty"`         // as stored; a text where that is not JSON
	After          json.RawMessage `json:"after,omitempty"`
}

// serveChanges answers with the change log: all of it, what is not newer than ?before=, of one object as /debug/rows
// names it, those of what is ?terminating, or with ?revision= one change with the object before and after it. With it
// a late reader draws the axis.
func (p *handlers) serveChanges(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	o, err := changesAsked(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	log, err := p.Store().Log(r.Context(), o)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	newest, compacted := p.Store().Head()
	list := changeList{int64(newest), int64(compacted), make([]changeRow, len(log))}
	for i := range log {
		list.Changes[i] = rowOfChange(&log[i])
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

// changesAsked reads which changes are meant.
func changesAsked(q url.Values) (o storage.LogOptions, err error) {
	numbers := map[string]int64{"revision": 0, "before": 0, "limit": mostChanges}
	for name := range numbers {
		if v := q.Get(name); v != "" {
			if numbers[name], err = strconv.ParseInt(v, 10, 64); err != nil || numbers[name] < 1 {
				return o, fmt.Errorf("%s is a number from 1 on, not %q", name, v)
			}
		}
	}
	o = storage.LogOptions{
		Before: storage.Revision(numbers["before"]), Limit: int(min(numbers["limit"], mostChanges)), Terminating: q.Has("terminating"),
		Revision: storage.Revision(numbers["revision"]),
	}
	if o.Revision == 0 && (q.Has("resource") || q.Has("name")) {
		o.Key, err = rowKey(q)
	}
	return o, err
}

// rowOfChange returns a change as it is answered.
func rowOfChange(c *storage.Logged) changeRow {
	namespace, name := c.Key.Split()
	return changeRow{
		Revision: int64(c.Revision), Type: string(rune(c.Type)), Resource: c.Key.Resource, Namespace: namespace, Name: name, At: c.At.UTC(),
		Outside: c.Outside, BeforeRevision: int64(c.BeforeRevision), Bytes: c.Bytes, Terminating: c.Terminating,
		Before: asJSON(c.Before), After: asJSON(c.Value),
	}
}

// asJSON is a stored value as it is, or as a text where it is no JSON.
func asJSON(b []byte) json.RawMessage {
	if len(b) == 0 || utf8.Valid(b) && json.Valid(b) {
		return b
	}
	text, _ := json.Marshal(string(b)) // a string can be written as JSON
	return text
}
