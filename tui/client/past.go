package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Then is the query of a list, which is to be of the client's revision. Of a client that reads what is now it is the same.
func (a *Client) Then(query url.Values) url.Values {
	if a.At == 0 {
		return query
	}
	out := AtRevision(a.At)
	for name, values := range query {
		out[name] = values
	}
	return out
}

// AtRevision is the query of a list of exactly this revision.
func AtRevision(revision int64) url.Values {
	return url.Values{"resourceVersion": {strconv.FormatInt(revision, 10)}, "resourceVersionMatch": {"Exact"}}
}

// Object reads an object. A get knows the newest state alone: as it was earlier the object is the only one of a list.
func (a *Client) Object(r *Resource, k Key) ([]byte, error) {
	if a.At == 0 {
		return a.Get(r.Path(k.Namespace, k.Name), nil, JSON)
	}
	if !r.Can("list") {
		return nil, &Refusal{Code: http.StatusMethodNotAllowed, Message: fmt.Sprintf("%s cannot be listed, so nobody can tell how one was", r.Name)}
	}
	var list struct {
		Items []map[string]json.RawMessage
	}
	query := a.Then(url.Values{"fieldSelector": {"metadata.name=" + k.Name}})
	if err := a.Read(r.Path(k.Namespace, ""), query, JSON, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, a.missing(r, k)
	}
	return whole(list.Items[0], r)
}

// missing is the refusal of an object that was not there.
func (a *Client) missing(r *Resource, k Key) error {
	return &Refusal{Code: http.StatusNotFound, Reason: "NotFound", Message: fmt.Sprintf("%s %q was not there at rv %d", r.Name, k.Name, a.At)}
}

// whole is an item of a list with its kind, which lists may leave out.
func whole(item map[string]json.RawMessage, r *Resource) ([]byte, error) {
	for name, value := range map[string]string{"apiVersion": r.GroupVersion(), "kind": r.Kind} {
		if item[name] != nil {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		item[name] = text
	}
	return json.Marshal(item)
}
