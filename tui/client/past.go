package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Then returns the query of a list at the client's revision; query itself if that is the newest.
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

// AtRevision returns the query of a list at exactly this revision.
func AtRevision(revision int64) url.Values {
	return url.Values{"resourceVersion": {strconv.FormatInt(revision, 10)}, "resourceVersionMatch": {"Exact"}}
}

// Object reads an object. A get only returns the newest state: at an earlier one the object is read as a list with one
// item.
func (a *Client) Object(r *Resource, k Key) ([]byte, error) {
	if a.At == 0 {
		return a.Get(r.Path(k.Namespace, k.Name), nil, JSON)
	}
	if !r.Can("list") {
		message := fmt.Sprintf("%s cannot be listed, so an earlier version cannot be read", r.Name)
		return nil, &Refusal{Code: http.StatusMethodNotAllowed, Message: message}
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

// missing returns the error for an object that did not exist.
func (a *Client) missing(r *Resource, k Key) error {
	message := fmt.Sprintf("%s %q did not exist at rv %d", r.Name, k.Name, a.At)
	return &Refusal{Code: http.StatusNotFound, Reason: "NotFound", Message: message}
}

// whole returns an item of a list with its apiVersion and kind, which lists may omit.
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
