package debug

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"kubarium/flow"
	"kubarium/server/storage"
)

// mostChanges bounds how many changes one answer of /debug/changes has.
const mostChanges = 10_000

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
	list := flow.ChangeLog{Revision: int64(newest), Compacted: int64(compacted), Changes: make([]flow.LoggedChange, len(log))}
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
func rowOfChange(c *storage.Logged) flow.LoggedChange {
	namespace, name := c.Key.Split()
	return flow.LoggedChange{
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
