package server_test

import (
	"strings"
	"testing"
)

// A dry run of a create shows the resourceVersion that was sent, draws no address for a Service without a name, and the name
// that an IPAddress gets is what was sent as the beginning of it.
func TestServer_dryRunAsSent(t *testing.T) {
	url := serveDefault(t)
	const sent = `{"metadata":{"name":"a","resourceVersion":"7"}}`
	if code, body := send(t, url, request{method: "POST", path: configMaps + "?dryRun=x", contentType: "text/plain", body: sent}); code != 415 {
		t.Errorf("the options are looked at before the type: %d %s", code, body)
	}
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"POST", configMaps + "?dryRun=All", sent, 201, `"resourceVersion":"7"`},
		{"PUT", "/api/v1/namespaces/default/endpoints/a?dryRun=All", sent, 201, `"resourceVersion":"7"`},
		{"PUT", "/api/v1/namespaces/default/endpoints/a", strings.Replace(sent, "7", "x", 1), 500, "invalid syntax"},
		{"POST", "/apis/networking.k8s.io/v1/ipaddresses?dryRun=All", `{"metadata":{"generateName":"GEN-"}}`, 422, `metadata.name: Invalid value: \"GEN-\"`},
		{"POST", "/api/v1/namespaces/default/services?dryRun=All", `{}`, 422, "[metadata.name: Required value: name or generateName is required, spec.ports: Required value]"},
	} {
		code, body := send(t, url, request{method: c.method, path: c.path, contentType: "application/json", body: c.body})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s; want %d %s", c.method, c.path, code, body, c.code, c.want)
		}
	}
}
