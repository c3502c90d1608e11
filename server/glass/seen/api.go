package seen

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/server/route"
)

// ServeHTTP answers a request of the screen from what was seen.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, err := s.answer(r)
	code := http.StatusOK
	if err != nil {
		code, found = err.code, status(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(found) // to a screen that may be gone
}

// A refusal is why a request has no answer.
type refusal struct {
	code   int
	reason metav1.StatusReason
	text   string
}

func status(e *refusal) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(e.code), Reason: e.reason, Message: e.text,
	}
}

func (s *Store) answer(r *http.Request) (any, *refusal) {
	q := r.URL.Query()
	switch {
	case r.Method != http.MethodGet:
		return nil, &refusal{http.StatusForbidden, metav1.StatusReasonForbidden, "the screen only shows what goes by; say --allow-writes to write through it"}
	case r.URL.Path == "/api", r.URL.Path == "/apis":
		return s.discovery(r.URL.Path == "/api"), nil
	case r.URL.Path == "/debug/changes":
		return s.changes(q), nil
	}
	to := route.Read(r.Method, r.URL.Path, q)
	t := to.Target()
	id := (&Kind{Group: t.Group, Resource: t.Resource}).ID()
	kind := s.kind(id)
	switch {
	case t.Resource == "" || t.Subresource != "":
		return nil, &refusal{http.StatusNotFound, metav1.StatusReasonNotFound, r.URL.Path + " is inside the server: it is not asked for what did not go by"}
	case kind == nil:
		return nil, &refusal{http.StatusNotFound, metav1.StatusReasonNotFound, "no " + t.Resource + " went by"}
	}
	at, _ := strconv.ParseInt(q.Get("resourceVersion"), 10, 64) // what is none is the newest
	if t.Name != "" {
		v, ok := s.present(Key{id, t.Namespace, t.Name}, at)
		if !ok {
			return nil, &refusal{http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%s %q did not go by, or was deleted", t.Resource, t.Name)}
		}
		if strings.Contains(r.Header.Get("Accept"), "as=Table") {
			return table([]keyed{{Key{id, t.Namespace, t.Name}, v}}, v.Revision, 0), nil
		}
		return json.RawMessage(v.JSON()), nil
	}
	return s.list(r, kind, t.Namespace, to.FieldSelector, at), nil
}

func (s *Store) kind(id string) *Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds[id]
}

// present is the version of an object at a revision, 0 for the newest, unless it was deleted by then.
func (s *Store) present(k Key, at int64) (Version, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return presentIn(s.objects[k], at)
}

func presentIn(versions []Version, at int64) (Version, bool) {
	if at == 0 {
		at = 1 << 62
	}
	v, ok := before(versions, at+1)
	return v, ok && v.Type != flow.Deleted && !v.Gone
}

// A keyed is a version with its object's key.
type keyed struct {
	Key
	Version
}

// list answers a list: as a Table, with metadata alone, or whole. A page begins after the object that its continue
// token names.
func (s *Store) list(r *http.Request, kind *Kind, namespace, fields string, at int64) any {
	q := r.URL.Query()
	name, _ := strings.CutPrefix(fields, "metadata.name=")
	s.mu.Lock()
	var found []keyed
	for k, versions := range s.objects {
		if k.Resource != kind.ID() || namespace != "" && k.Namespace != namespace || fields != "" && k.Name != name {
			continue
		}
		if v, ok := presentIn(versions, at); ok {
			found = append(found, keyed{k, v})
		}
	}
	newest := s.newest
	s.mu.Unlock()
	slices.SortFunc(found, func(a, b keyed) int { return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name) })
	if after := q.Get("continue"); after != "" {
		found = slices.DeleteFunc(found, func(k keyed) bool { return k.Namespace+"/"+k.Name <= after })
	}
	rest := 0
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && len(found) > limit {
		rest, found = len(found)-limit, found[:limit]
	}
	if at != 0 {
		newest = at
	}
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "as=Table") {
		return table(found, newest, rest)
	}
	items := make([]json.RawMessage, len(found))
	for i := range found {
		items[i] = found[i].JSON()
	}
	return map[string]any{
		"apiVersion": schema.GroupVersion{Group: kind.Group, Version: kind.Version}.String(), "kind": kind.Kind + "List",
		"metadata": listMeta(found, newest, rest), "items": items,
	}
}

func listMeta(found []keyed, revision int64, rest int) metav1.ListMeta {
	m := metav1.ListMeta{ResourceVersion: strconv.FormatInt(revision, 10)}
	if rest > 0 {
		last, n := found[len(found)-1], int64(rest)
		m.Continue, m.RemainingItemCount = last.Namespace+"/"+last.Name, &n
	}
	return m
}

// columns are the same for all kinds: a server's own columns are made by the server.
var columns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name"}, {Name: "Version", Type: "string"}, {Name: "Known By", Type: "string"}, {Name: "Seen", Type: "string"},
}

// table answers with rows that say which version was seen, and how.
func table(found []keyed, revision int64, rest int) any {
	type row struct {
		Cells  []any          `json:"cells"`
		Object map[string]any `json:"object"`
	}
	rows := make([]row, len(found))
	for i := range found {
		v := &found[i]
		var o struct {
			Meta metav1.ObjectMeta `json:"metadata"`
		}
		_ = json.Unmarshal(v.JSON(), &o) // a row without more than its name, then
		o.Meta.Namespace, o.Meta.Name = v.Namespace, v.Name
		rows[i] = row{Cells: []any{v.Name, strconv.FormatInt(v.Revision, 10), known(v.Type), v.At.Format(time.TimeOnly)}, Object: map[string]any{"metadata": o.Meta}}
	}
	return map[string]any{
		"apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": listMeta(found, revision, rest), "columnDefinitions": columns, "rows": rows,
	}
}

// known says how a version came to be known.
func known(t flow.ChangeType) string {
	switch t {
	case flow.Created:
		return "its creation"
	case flow.Updated:
		return "a change"
	}
	return "a read"
}

// JSON is the object in JSON; of one that cannot be decoded, such as of a kind that this release does not know, an
// object that says so.
func (v *Version) JSON() []byte {
	if text := bodies.JSON(flow.Body{Kept: v.Body}); text != nil {
		return text
	}
	return []byte(`{"kubarium":"this version cannot be decoded"}`)
}

// Enveloped puts an item of a list in Protobuf, which has no envelope, into that of an object.
func Enveloped(apiVersion, kind string, raw []byte) []byte {
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	text, err := u.Marshal()
	if err != nil {
		return nil // which is of no object
	}
	return append([]byte("k8s\x00"), text...)
}
