package seen_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/server/glass/seen"
)

var maps = seen.Kind{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}

func key(name string) seen.Key {
	return seen.Key{Resource: "configmaps", Namespace: "default", Name: name}
}

func version(revision int64, t flow.ChangeType) seen.Version {
	return seen.Version{Revision: revision, Type: t, At: time.Unix(revision, 0),
		Body: fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","resourceVersion":"%d"}}`, revision)}
}

// get asks as the screen does.
func get(t *testing.T, s *seen.Store, path, accept string, into any) int {
	t.Helper()
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("Accept", accept)
	s.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %s", path, w.Body)
	}
	return w.Code
}

type list struct {
	Metadata struct {
		Continue           string
		RemainingItemCount int
		ResourceVersion    string
	}
	Items []struct {
		Metadata struct{ Name, ResourceVersion string }
	}
	Rows []struct{ Cells []any }
}

// What is known of an object grows in any order of its versions, and each reader gets what there was at its revision.
func TestStore_Note(t *testing.T) {
	s := seen.New(1 << 20)
	if !s.Note(maps, key("a"), version(7, flow.Updated)) || !s.Note(maps, key("a"), version(5, 0)) || s.Note(maps, key("a"), version(7, flow.Updated)) {
		t.Error("a version is new once")
	}
	if !s.Note(maps, key("a"), version(5, flow.Created)) {
		t.Error("how a version came about is new when it was only read before")
	}
	if s.Note(maps, key("a"), version(0, flow.Created)) || s.Note(maps, seen.Key{Resource: "configmaps"}, version(8, flow.Created)) {
		t.Error("what has no version or no name cannot be kept")
	}
	s.Note(maps, key("b"), version(6, flow.Created))
	s.Note(maps, key("a"), version(9, flow.Deleted))
	for at, want := range map[int]string{0: "b", 4: "", 5: "a", 6: "a b", 7: "a b", 9: "b"} {
		var l list
		query := ""
		if at > 0 {
			query = fmt.Sprintf("?resourceVersion=%d&resourceVersionMatch=Exact", at)
		}
		get(t, s, "/api/v1/namespaces/default/configmaps"+query, "application/json", &l)
		var names []string
		for _, i := range l.Items {
			names = append(names, map[string]string{"5": "a", "7": "a", "6": "b"}[i.Metadata.ResourceVersion])
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("at %d: %q, not %q", at, got, want)
		}
	}
	if v, ok := s.Before(key("a"), 7); !ok || v.Revision != 5 {
		t.Errorf("before 7: %+v", v)
	}
	if s.Newest() != 9 {
		t.Errorf("the newest is %d", s.Newest())
	}
}

// The metadata of an object gives way to the whole one, and an object that is gone is not listed until it comes again.
func TestStore_partial(t *testing.T) {
	s := seen.New(1 << 20)
	part := version(5, 0)
	part.Partial, part.Body = true, []byte(`{"kind":"PartialObjectMetadata"}`)
	s.Note(seen.Kind{Version: "v1", Resource: "configmaps", Namespaced: true}, key("a"), part)
	s.Note(maps, key("a"), version(5, 0))
	var o struct{ Kind string }
	if code := get(t, s, "/api/v1/namespaces/default/configmaps/a", "", &o); code != 200 || o.Kind != "ConfigMap" {
		t.Errorf("%d %+v", code, o)
	}
	s.Gone(key("a"))
	if code := get(t, s, "/api/v1/namespaces/default/configmaps/a", "", &o); code != 404 {
		t.Errorf("gone: %d", code)
	}
	s.Note(maps, key("a"), version(8, flow.Created))
	if code := get(t, s, "/api/v1/namespaces/default/configmaps/a", "", &o); code != 200 {
		t.Errorf("come again: %d", code)
	}
}

// Memory is bounded: what came first goes first.
func TestStore_bounds(t *testing.T) {
	s := seen.New(20_000)
	for i := range 1000 {
		s.Note(maps, key(fmt.Sprintf("c%03d", i%100)), version(int64(i+1), flow.Updated))
		if s.Bytes() > 20_000 {
			t.Fatalf("%d bytes after %d", s.Bytes(), i)
		}
	}
	if _, ok := s.At(key("c099"), 1000); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := s.At(key("c000"), 1); ok {
		t.Error("the oldest is there")
	}
}

// The screen gets pages, Tables, discovery and changes; what did not go by is refused in words.
func TestStore_ServeHTTP(t *testing.T) {
	s := seen.New(1 << 20)
	for i := range 5 {
		s.Note(maps, key(fmt.Sprint("c", i)), version(int64(i+1), flow.Created))
	}
	var l list
	get(t, s, "/api/v1/configmaps?limit=2", "application/json;as=Table;v=v1;g=meta.k8s.io", &l)
	if len(l.Rows) != 2 || l.Rows[0].Cells[0] != "c0" || l.Metadata.RemainingItemCount != 3 || l.Metadata.ResourceVersion != "5" {
		t.Errorf("%+v", l)
	}
	var next list
	get(t, s, "/api/v1/configmaps?limit=5&continue="+l.Metadata.Continue, "application/json", &next)
	if len(next.Items) != 3 || next.Metadata.Continue != "" {
		t.Errorf("the next page is %+v", next)
	}
	var d struct {
		Items []struct {
			Versions []struct{ Resources []struct{ Resource string } }
		}
	}
	get(t, s, "/api", "", &d)
	if len(d.Items) != 1 || d.Items[0].Versions[0].Resources[0].Resource != "configmaps" {
		t.Errorf("discovery is %+v", d)
	}
	var c struct{ Changes []struct{ Revision int64 } }
	get(t, s, "/debug/changes?before=4&limit=2", "", &c)
	if len(c.Changes) != 2 || c.Changes[0].Revision != 4 || c.Changes[1].Revision != 3 {
		t.Errorf("changes are %+v", c)
	}
	for _, path := range []string{"/api/v1/pods", "/api/v1/namespaces/default/configmaps/none", "/debug/rows?resource=configmaps", "/api/v1/namespaces/default/configmaps/c1/x", "/openapi/v3/api/v1"} {
		var st struct{ Kind, Message string }
		if code := get(t, s, path, "", &st); code != 404 || st.Kind != "Status" || st.Message == "" {
			t.Errorf("%s: %d %+v", path, code, st)
		}
	}
}

// Has knows a version by what is kept of it.
func TestStore_Has(t *testing.T) {
	s := seen.New(1 << 20)
	part := version(4, 0)
	part.Partial = true
	s.Note(maps, key("a"), part)
	s.Note(maps, key("a"), version(7, 0))
	for _, c := range []struct {
		revision      int64
		partial, want bool
	}{{4, true, true}, {4, false, false}, {7, true, true}, {7, false, true}, {5, true, false}, {0, true, false}} {
		if got := s.Has(key("a"), c.revision, c.partial); got != c.want {
			t.Errorf("revision %d, partial %v: %v", c.revision, c.partial, got)
		}
	}
}
