package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kubarium/server"
	"kubarium/server/storage"
)

// A watch from a version that is no longer retained ends in the words of kube-apiserver's watch cache, and that of events,
// which has none, in those of its store.
func TestServer_expiredWatch(t *testing.T) {
	var store storage.Store
	url, _ := mustServe(t, func(o *server.Options) { store = o.Registry.Store })
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	mustMake(t, url, configMaps, `{"metadata":{"name":"a"}}`)
	newest, _ := store.Head()
	if err := store.Compact(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		configMaps:                          fmt.Sprintf("too old resource version: 1 (%d)", newest),
		"/api/v1/namespaces/default/events": "The resourceVersion for the provided watch is too old.",
		"/apis/events.k8s.io/v1/namespaces/default/events": "The resourceVersion for the provided watch is too old.",
		"/apis/apps/v1/namespaces/default/deployments":     fmt.Sprintf("too old resource version: 1 (%d)", newest),
	} {
		code, body := send(t, url, request{method: "GET", path: path + "?watch=1&resourceVersion=1"})
		if code != http.StatusOK || !strings.Contains(body, `"ERROR"`) || !strings.Contains(body, `"message":"`+want+`"`) {
			t.Errorf("%s: %d %s; want %s", path, code, body, want)
		}
	}
}
