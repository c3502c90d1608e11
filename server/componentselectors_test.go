package server_test

import (
	"strings"
	"testing"
)

// Components are selected by name and labels, and have no versions.
func TestServer_componentSelectors(t *testing.T) {
	url := serveDefault(t)
	const path = "/api/v1/componentstatuses"
	for _, c := range []struct {
		query     string
		code      int
		want, not string
	}{
		{"?fieldSelector=metadata.name=etcd-0", 200, `"items":[{"metadata":{"name":"etcd-0"},"conditions":[`, "scheduler"},
		{"?fieldSelector=metadata.name!=etcd-0", 200, "scheduler", "etcd-0"},
		{"?labelSelector=a=b", 200, `"items":[]`, "etcd-0"},
		{"?labelSelector=!a&resourceVersion=99999999", 200, "etcd-0", "RESOURCE"},
		{"?fieldSelector=name=x", 400, `\"name\" is not a known field selector`, "items"},
		{"?watch=1&fieldSelector=name=x", 400, `\"name\" is not a known field selector`, "items"},
		{"?watch=1", 405, "watch is not supported", "items"},
		{"/etcd-0?resourceVersion=abc", 200, "etcd-0", "items"},
		{"/etcd-0?export=1", 400, "no longer supported", "items"},
		{"/none", 404, `componentstatus \"none\" not found`, "items"},
	} {
		resp, body := mustAsk(t, "GET", url+path+c.query, nil)
		if text := string(body); resp.StatusCode != c.code || !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: %d %s; want %d with %s, without %s", c.query, resp.StatusCode, body, c.code, c.want, c.not)
		}
		if resp.Header.Get("Warning") != `299 - "v1 ComponentStatus is deprecated in v1.19+"` {
			t.Errorf("%s: %v", c.query, resp.Header)
		}
	}
}
