package debug_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
)

// No way to write a path makes a handler panic, whatever it names: with slashes and dots that are doubled, at the end or
// encoded, and with bytes that no name has. None leaves a series of its own behind.
func TestProgram_paths(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	var paths []string
	for _, path := range []string{
		"", "api", "apis", "version", "healthz", "livez", "readyz", "readyz/ping", "metrics", "index.html", "openapi/v2", "openapi/v3",
		"openapi/v3/api/v1", "openid/v1/jwks", ".well-known/openid-configuration", "debug", "debug/rows", "debug/changes", "debug/plan",
		"debug/compact", "api/v1", "apis/apps", "apis/apps/v1", "apis/apps/v1/deployments", "api/v1/namespaces/default", "api/v1/namespaces/default/pods",
		"api/v1/namespaces/default/pods/a/log", "api/v1/namespaces/default/services/a/proxy/x", "api/v1/nodes/a/proxy", "api/v1/componentstatuses/a",
		"api/v1/watch", "api/v1/watch/none/a", "apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "api/v1/namespaces/default/serviceaccounts/default/token",
	} {
		doubled := strings.ReplaceAll(path, "/", "//")
		encoded := strings.ReplaceAll(path, "/", "%2F")
		paths = append(paths, "/"+path, "//"+path, "///"+path, "/"+path+"/", "/"+path+"//", "//"+path+"/", "/"+doubled, "/"+encoded, "/%2f"+path,
			"/"+path+"%2f", "/./"+path, "/../"+path, "/"+path+"/.", "/"+path+"/..", "/%2e%2e/"+path, "/"+path+"/%2e", "/"+path+"%00", "/%00"+path,
			"/"+path+"/%00", "/"+path+"%ff", "/"+path+"?", "/"+path+"?%zz", "/"+path+";a=b", "/"+path+"/"+strings.Repeat("a/", 500), "/"+strings.ToUpper(path))
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			statusOf(t, p.URL, method, path)
		}
	}
	metrics := programtest.MustCall(t, 200, "GET", p.URL+"/metrics", "", "")
	if !strings.Contains(metrics, "\napiserver_request_panics_total 0\n") {
		flows, _ := p.Log.Since(0, 0)
		for _, f := range flows {
			if f.Panic != "" {
				t.Errorf("%s %s: %.300s", f.Method, f.Path, f.Panic)
			}
		}
		t.Error("a handler panicked")
	}
	if n := strings.Count(metrics, "\napiserver_request_total{"); n > 100 {
		t.Errorf("%d series are kept of what was made up", n)
	}
}

// What is not written just like a path below /debug is not one.
func TestDebug_paths(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for _, path := range []string{
		"/debug", "/debug/", "//debug/rows", "/debug//rows", "/debug/rows/", "/debug/rows//", "/debug/./rows", "/debug/x/../rows", "/debug/ROWS",
		"/debug/rows%2f", "/debug%2f%2frows", "/debug/rows%00", "/debug/none",
	} {
		if code := statusOf(t, p.URL, "GET", path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	for _, path := range []string{"/debug/rows", "/debug%2frows", "/debug/plan"} {
		if code := statusOf(t, p.URL, "GET", path); code != http.StatusBadRequest {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// A plan is told in SQLite's words; what would act, or be more than one statement, is refused, and nothing is run.
func TestPlan(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for _, c := range []struct {
		sql, want string
		code      int
	}{
		{"SELECT value FROM objects WHERE resource = ?1 AND key = ?2", "SEARCH objects USING", 200},
		{"DELETE FROM objects", "SCAN objects", 200},
		{"SELECT key FROM objects WHERE key = ';'", "SCAN objects", 200},
		{"SELEC", "only one SELECT, INSERT, UPDATE or DELETE", 422},
		{"SELECT FROM", "syntax error", 422},
		{"SELECT 1; DELETE FROM objects", "semicolon", 422},
		{"PRAGMA user_version = 7", "only one SELECT, INSERT, UPDATE or DELETE", 422},
		{"WITH a AS (SELECT 1), b AS (SELECT * FROM a, a) SELECT * FROM b, b", "only one SELECT, INSERT, UPDATE or DELETE", 422},
		{"SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a, a)", "WITH", 422},
		{"", "say which statement", 400},
	} {
		code, text := programtest.Call(t, "GET", p.URL+"/debug/plan?"+url.Values{"sql": {c.sql}}.Encode(), "", "")
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%q: %d %s", c.sql, code, text)
		}
	}
	programtest.MustCall(t, 405, "POST", p.URL+"/debug/plan?sql=SELECT+1", "", "")
	programtest.MustCall(t, 200, "GET", p.URL+"/api/v1/namespaces/default", "", "")
}

// statusOf sends a request line just as it is, and does not wait for the body.
func statusOf(t *testing.T, server, method, path string) int {
	t.Helper()
	host := strings.TrimPrefix(server, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", method, path, host)
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
