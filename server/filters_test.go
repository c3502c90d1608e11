package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// Who would be somebody without a name is refused before the path is read; who names one asks as the one identity.
func TestServer_impersonation(t *testing.T) {
	url := serveDefault(t)
	for _, c := range []struct {
		header http.Header
		code   int
		want   string
	}{
		{http.Header{"Impersonate-User": {"bob"}, "Impersonate-Group": {"g"}}, 404, "404 page not found"},
		{http.Header{"Impersonate-Group": {"g", "h"}}, 400, `requested \u0026user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"g\", \"h\"}, Extra:map[string][]string(nil)} without impersonating a user name`},
		{http.Header{"Impersonate-Uid": {"u"}}, 400, `UID:\"u\", Groups:[]string(nil), Extra:map[string][]string(nil)}`},
		{http.Header{"Impersonate-Extra-Foo%2fbar": {"x"}}, 400, `Extra:map[string][]string{\"foo/bar\":[]string{\"x\"}}}`},
	} {
		if code, body := send(t, url, request{method: "GET", path: "/nope", header: c.header}); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%v: %d %s; want %d %s", c.header, code, body, c.code, c.want)
		}
	}
}

// A timeout that is none is refused on every path; one that is over is a Status that names no kind and calls itself text.
func TestServer_timeouts(t *testing.T) {
	url := serveDefault(t)
	const late = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}` + "\n"
	for _, c := range []struct {
		path              string
		code              int
		contentType, want string
	}{
		{"/nope?timeout=abc", 400, "application/json", "invalid timeout specified"},
		{"/api/v1/nope?timeout=abc", 400, "application/json", "invalid timeout specified"},
		{"/api/v1/nope?watch=1&timeout=abc", 404, "application/json", "could not find the requested resource"}, // no watch has a timeout
		{"/api/v1/componentstatuses?watch=1&timeout=abc", 405, "application/json", "watch is not supported"},
		{"/api/v1/configmaps?watch=1&timeout=abc&timeoutSeconds=-1", 200, "application/json", ""},
		{"/api/v1/configmaps?timeout=1ns", 504, "text/plain; charset=utf-8", late},
		{"/api/v1/namespaces/default?timeout=1ns", 504, "text/plain; charset=utf-8", late},
		{"/api/v1/namespaces/default?timeout=50ms&resourceVersion=99999999", 504, "text/plain; charset=utf-8", late},
		{"/api/v1/configmaps?timeout=50ms&resourceVersion=99999999", 504, "text/plain; charset=utf-8", late},
	} {
		resp, body := mustAsk(t, "GET", url+c.path, map[string]string{"Accept": "*/*"})
		if resp.StatusCode != c.code || resp.Header.Get("Content-Type") != c.contentType || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %d %s %s; want %d %s %s", c.path, resp.StatusCode, resp.Header.Get("Content-Type"), body, c.code, c.contentType, c.want)
		}
	}
}
