package server_test

import (
	"bytes"
	"fmt"
	"net/url"
	"testing"

	"kubarium/server/flow"
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
	do("DELETE", configMaps+"/c4", "", "")
	second := do("GET", configMaps+"?limit=2&continue="+url.QueryEscape(first.Next), "", "").Page
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

func hasManager(object []byte, name string) bool {
	return len(object) > 0 && bytes.Contains(object, fmt.Appendf(nil, `"manager":%q`, name))
}
