package server_test

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/storage"
)

// What a reader needs to see why a request was refused, or which part of a list it answered with, is on its flow.
func TestServer_flowFacts(t *testing.T) {
	base, log := mustServe(t, nil)
	const configMaps = "/api/v1/namespaces/d/configmaps"
	do := func(method, path, contentType, body string) *flow.Flow {
		t.Helper()
		before := log.Stats().Published
		send(t, base, request{method: method, path: path, contentType: contentType, body: body})
		flows, _ := log.Since(before, 0)
		if len(flows) != 1 {
			t.Fatalf("%s %s: %d flows", method, path, len(flows))
		}
		return flows[0]
	}
	do("POST", "/api/v1/namespaces", "application/json", `{"metadata":{"name":"d"}}`)
	for i := range 5 {
		do("POST", configMaps+"?fieldManager=first", "application/json", fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"k":"v"}}`, i))
	}

	apply := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c0"},"data":{"k":"w"}}`
	c := do("PATCH", configMaps+"/c0?fieldManager=second", "application/apply-patch+yaml", apply).Conflict
	if c == nil || c.Kind != flow.FieldOwnership || len(c.Causes) != 1 || c.Causes[0].Field != ".data.k" || c.Stored == 0 {
		t.Fatalf("%+v", c)
	}
	if !hasManager(c.Object, "first") {
		t.Errorf("the object that was met has no owners: %s", c.Object)
	}

	c = do("POST", configMaps, "application/json", `{"metadata":{"name":"c0"}}`).Conflict
	if c == nil || c.Kind != flow.AlreadyExists || c.Stored == 0 || len(c.Object) == 0 {
		t.Errorf("%+v", c)
	}
	c = do("DELETE", configMaps+"/c1", "application/json", `{"preconditions":{"uid":"x"}}`).Conflict
	if c == nil || c.Kind != flow.Precondition || c.SentUID != "x" || c.StoredUID == "" || len(c.Object) == 0 {
		t.Errorf("%+v", c)
	}
	c = do("PUT", configMaps+"/c1", "application/json", `{"metadata":{"name":"c1","uid":"y"}}`).Conflict
	if c == nil || c.Kind != flow.Precondition || c.SentUID != "y" || c.StoredUID == "" {
		t.Errorf("%+v", c)
	}
	c = do("DELETE", configMaps+"/c1", "application/json", `{"preconditions":{"resourceVersion":"2"}}`).Conflict
	if c == nil || c.Kind != flow.StaleRevision || c.Sent != 2 || c.Stored == 0 {
		t.Errorf("%+v", c)
	}

	first := do("GET", configMaps+"?limit=2", "", "").Page
	if first == nil || first.Items != 2 || first.Limit != 2 || first.Remaining != 3 || first.Source != "cache" || first.Next == "" || first.Token != "" {
		t.Fatalf("%+v", first)
	}
	do("POST", "/api/v1/namespaces", "application/json", `{"metadata":{"name":"other"}}`)
	second := do("GET", configMaps+"?limit=2&continue="+url.QueryEscape(first.Next), "", "").Page
	if second == nil || second.Items != 2 || second.Remaining != 1 || second.Source != "cache" || second.Snapshot != first.Snapshot {
		t.Errorf("another kind has changed: %+v", second)
	}
	do("DELETE", configMaps+"/c4", "", "")
	second = do("GET", configMaps+"?limit=2&continue="+url.QueryEscape(first.Next), "", "").Page
	if second == nil || second.Items != 2 || second.Remaining != 1 || second.Source != "history" || second.Snapshot != first.Snapshot || second.Token != first.Next {
		t.Errorf("%+v", second)
	}
	chosen := do("GET", configMaps+"?limit=1&labelSelector=!x", "", "").Page
	if chosen == nil || chosen.Remaining != -1 || chosen.Next == "" {
		t.Errorf("%+v", chosen)
	}
	whole := do("GET", configMaps, "", "").Page
	if whole == nil || whole.Items != 4 || whole.Remaining != 0 || whole.Next != "" {
		t.Errorf("%+v", whole)
	}
}

// The stations of a list that was refused say which revision was asked for, and why it cannot be read.
func TestServer_refusedReadStations(t *testing.T) {
	var store storage.Store
	base, log := mustServe(t, func(o *server.Options) { store = o.Registry.Store })
	for _, name := range []string{"d", "e", "f"} {
		if code, body := send(t, base, request{method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"` + name + `"}}`}); code != 201 {
			t.Fatal(code, body)
		}
	}
	newest, _ := store.Head()
	if err := store.Compact(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	compacted := fmt.Sprintf("rv 1 is compacted, oldest is %d", newest)
	for path, want := range map[string][]string{
		"/api/v1/namespaces?resourceVersion=1&resourceVersionMatch=Exact": {"cache✗ " + compacted, "history✗ " + compacted},
		"/api/v1/namespaces":   {fmt.Sprintf("cache %d at rv %d", 3, newest)},
		"/api/v1/namespaces/x": {"cache✗ "},
	} {
		before := log.Stats().Published
		send(t, base, request{method: "GET", path: path})
		flows, _ := log.Since(before, 0)
		var got []string
		for _, s := range flows[0].Stations {
			if s.Name == "cache" || s.Name == "history" {
				got = append(got, s.Name+map[bool]string{true: "✗"}[s.Failed]+" "+s.Note)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A page of what has not changed is still gone once its revision has been compacted.
func TestServer_compactedPage(t *testing.T) {
	var store storage.Store
	base, log := mustServe(t, func(o *server.Options) { store = o.Registry.Store })
	for _, name := range []string{"d", "e", "f"} {
		send(t, base, request{method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"` + name + `"}}`})
	}
	send(t, base, request{method: "GET", path: "/api/v1/namespaces?limit=1"})
	flows, _ := log.Since(log.Stats().Published-1, 0)
	next := "/api/v1/namespaces?continue=" + url.QueryEscape(flows[0].Page.Next)
	send(t, base, request{method: "POST", path: "/api/v1/namespaces/d/configmaps", body: `{"metadata":{"name":"c"}}`})
	if code, body := send(t, base, request{method: "GET", path: next}); code != 200 {
		t.Error(code, body)
	}
	newest, _ := store.Head()
	if err := store.Compact(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	if code, body := send(t, base, request{method: "GET", path: next}); code != 410 {
		t.Error(code, body)
	}
}

func hasManager(object []byte, name string) bool {
	return len(object) > 0 && bytes.Contains(object, fmt.Appendf(nil, `"manager":%q`, name))
}

// Which revision could not be read, and which would have done, is on the flow of each kind of read.
func TestServer_unavailableRevisions(t *testing.T) {
	var store storage.Store
	base, log := mustServe(t, func(o *server.Options) { store = o.Registry.Store })
	for _, name := range []string{"d", "e", "f"} {
		send(t, base, request{method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"` + name + `"}}`})
	}
	ask := func(path string) *flow.Flow {
		t.Helper()
		before := log.Stats().Published
		send(t, base, request{method: "GET", path: path})
		flows, _ := log.Since(before, 0)
		return flows[len(flows)-1]
	}
	page := ask("/api/v1/namespaces?limit=1").Page
	send(t, base, request{method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"g"}}`})
	head, _ := store.Head()
	newest := int64(head)
	if err := store.Compact(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		code int
		is   flow.Unavailable
	}{
		"/api/v1/namespaces?resourceVersion=1&resourceVersionMatch=Exact":                                                                  {410, flow.Unavailable{Asked: 1, Oldest: newest}},
		"/api/v1/namespaces?limit=1&continue=" + url.QueryEscape(page.Next):                                                                {410, flow.Unavailable{Asked: page.Snapshot, Oldest: newest}},
		"/api/v1/namespaces?watch=true&timeoutSeconds=1&resourceVersion=1":                                                                 {200, flow.Unavailable{Asked: 1, Oldest: newest}},
		fmt.Sprintf("/api/v1/namespaces?resourceVersion=%d", newest+7):                                                                     {504, flow.Unavailable{Asked: newest + 7, Newest: newest}},
		fmt.Sprintf("/api/v1/namespaces/d?resourceVersion=%d", newest+7):                                                                   {504, flow.Unavailable{Asked: newest + 7, Newest: newest}},
		fmt.Sprintf("/api/v1/namespaces?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=%d", newest+7): {200, flow.Unavailable{Asked: newest + 7, Newest: newest}},
	} {
		f := ask(path)
		if f.Status != want.code || f.Unavailable == nil || *f.Unavailable != want.is {
			t.Errorf("%s: %d %+v, want %+v", path, f.Status, f.Unavailable, want.is)
		}
	}
	if f := ask("/api/v1/namespaces"); f.Unavailable != nil {
		t.Errorf("%+v", f.Unavailable)
	}
}
