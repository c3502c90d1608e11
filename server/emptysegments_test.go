package server_test

import (
	"strings"
	"testing"
)

// A path with an empty segment is that of no object, and a body is looked at before the name that is in the path of a change.
func TestServer_emptySegments(t *testing.T) {
	url := serveDefault(t)
	const named = `{"metadata":{"name":"a"}}`
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "//", "", 404, "404 page not found"},
		{"GET", "//version", "", 404, "404 page not found"},
		{"GET", "/apis//", "", 404, "404 page not found"},
		{"GET", "/apis/", "", 200, "APIGroupList"},
		{"GET", "/apis//v1/deployments", "", 404, "404 page not found"},
		{"GET", "/api/v1/namespaces//configmaps", "", 200, "ConfigMapList"},
		{"POST", "/api/v1/namespaces//configmaps", named, 422, "metadata.namespace: Required value"},
		{"PUT", "/api/v1/namespaces//configmaps", named, 405, "does not allow"},
		{"DELETE", "/api/v1/namespaces//configmaps", "", 400, "Namespace parameter required."},
		{"GET", "/api/v1/namespaces//pods/a", "", 400, "Namespace parameter required."},
		{"PUT", "/api/v1/namespaces//pods/a", named, 400, "Namespace parameter required."},
		{"PUT", "/api/v1/namespaces//services/a/status", named, 400, "Namespace parameter required."},
		{"DELETE", "/api/v1/namespaces//pods/a", "", 400, "Namespace parameter required."},
		{"POST", "/api/v1/namespaces//pods/a", named, 405, "does not allow"},
		{"GET", "/api/v1/namespaces/default/pods//log", "", 400, "name must be provided"},
		{"PUT", "/api/v1/namespaces/default/services//status", named, 400, "name must be provided"},
		{"POST", "/api/v1/namespaces/default/services//status", named, 405, "does not allow"},
		{"PATCH", "/api/v1/namespaces/default/services//status", named, 415, "415: Unsupported Media Type"},
		{"GET", configMaps + "/%2E%2E", "", 400, "may not be '..'"},
		{"PUT", configMaps + "/%2E%2E", "x", 400, "couldn't get version/kind"},
		{"PUT", configMaps + "/%2E%2E", "{}", 400, "(.. based on URL) was undeterminable"},
		{"PUT", configMaps + "/%2E%2E", `{"metadata":{"name":".."}}`, 400, "Name parameter invalid"},
	} {
		code, body := send(t, url, request{method: c.method, path: c.path, contentType: "application/json", body: c.body})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %s: %d %s; want %d %s", c.method, c.path, c.body, code, body, c.code, c.want)
		}
	}
}
