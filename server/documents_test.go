package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// mustAsk sends a request with headers of its own alone, and reads the answer to its end.
func mustAsk(t *testing.T, method, url string, header map[string]string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity") // else the transport asks for gzip, and hides it
	for k, v := range header {
		if k != "" {
			req.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// Documents of OpenAPI are served as files are: by ranges, under conditions, and with a 406 that says nothing.
func TestServer_openAPIContent(t *testing.T) {
	url := serveDefault(t)
	const v2, v3, index = "/openapi/v2", "/openapi/v3/apis/apps/v1", "/openapi/v3"
	const json, text = "application/json", "text/plain; charset=utf-8"
	const proto2, proto3 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	for _, c := range []struct {
		path, header, value string
		code, size          int // a size of -1 means that there is something
		contentType, vary   string
	}{
		{v2, "", "", 200, -1, json, "Accept-Encoding, Accept"},
		{v2, "Range", "bytes=0-10", 206, 11, json, "Accept-Encoding, Accept"},
		{v2, "If-None-Match", "*", 304, 0, "", "Accept-Encoding, Accept"},
		{v2, "Accept", "text/html", 406, 0, "", "Accept-Encoding, Accept"},
		{v2, "Accept", "text/html, */json", 200, -1, json, "Accept-Encoding, Accept"},
		{v2, "Accept", "application/*;q=0.1", 200, -1, json, "Accept-Encoding, Accept"},
		{v2, "Accept", proto2, 200, -1, proto2, "Accept-Encoding, Accept"},
		{v3, "", "", 200, -1, json, "Accept"},
		{v3, "Range", "bytes=5-9", 206, 5, json, "Accept"},
		{v3, "If-None-Match", "*", 304, 0, "", "Accept"},
		{v3, "Accept", "application/yaml", 406, 0, "", "Accept"},
		{v3, "Accept", strings.Replace(proto3, "v3.v1", "v3@v1", 1), 200, -1, proto3, "Accept"},
		{v3 + "?hash=old", "Accept", "application/yaml", 406, 0, "", "Accept"},
		{v3, "Accept", ",", 200, 0, "", ""},
		{v2, "Accept", ";", 406, 0, "", "Accept-Encoding, Accept"},
		{index + "/", "", "", 404, 0, "", ""},
		{index + "/openid/v1/jwks", "", "", 200, -1, json, "Accept"},
		{index + "/openid/v1/jwks/", "", "", 404, 0, "", ""},
		{index + "/.well-known/openid-configuration", "", "", 200, -1, json, "Accept"},
		{index, "Accept", "image/png", 200, -1, text, ""},
		{index, "Range", "bytes=0-0", 206, 1, text, ""},
	} {
		resp, body := mustAsk(t, "GET", url+c.path, map[string]string{c.header: c.value})
		vary := strings.Join(resp.Header["Vary"], ", ")
		if c.size < 0 && len(body) > 100 {
			c.size = len(body)
		}
		if resp.StatusCode != c.code || len(body) != c.size || resp.Header.Get("Content-Type") != c.contentType || vary != c.vary {
			t.Errorf("%s, %s: %s: %d, %d bytes, %v; want %+v", c.path, c.header, c.value, resp.StatusCode, len(body), resp.Header, c)
		}
		if made := resp.Header.Get("Last-Modified"); c.code == 200 && c.size > 0 && made == "" {
			t.Errorf("%s says no Last-Modified", c.path)
		}
	}
	resp, _ := mustAsk(t, "GET", url+v3, nil)
	resp, _ = mustAsk(t, "GET", url+v3, map[string]string{"If-Modified-Since": resp.Header.Get("Last-Modified")})
	if resp.StatusCode != http.StatusNotModified {
		t.Errorf("not modified since it was made: %d", resp.StatusCode)
	}
}

// The swagger and the metrics come compressed for those who take it, with the same text.
func TestServer_documentsCompressed(t *testing.T) {
	url := serveDefault(t)
	for _, c := range []struct {
		path, accepts string
		gzip          bool
	}{
		{"/openapi/v2", "gzip", true},
		{"/openapi/v2", "deflate, GZIP;q=0.5", true},
		{"/openapi/v2", "gzip;q=0", false},
		{"/openapi/v2", "br", false},
		{"/openapi/v3", "gzip", false},
		{"/openapi/v3/apis/apps/v1", "gzip", false},
		{"/metrics", "gzip", true},
		{"/metrics", "identity", false},
	} {
		resp, body := mustAsk(t, "GET", url+c.path, map[string]string{"Accept-Encoding": c.accepts})
		if compressed := resp.Header.Get("Content-Encoding") == "gzip"; compressed != c.gzip {
			t.Errorf("%s for %q: %v", c.path, c.accepts, resp.Header)
		}
		if !c.gzip {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(c.path, err)
		}
		whole, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(c.path, err)
		}
		_, plain := mustAsk(t, "GET", url+c.path, nil)
		if c.path != "/metrics" && !bytes.Equal(whole, plain) || !bytes.HasPrefix(whole, plain[:20]) {
			t.Errorf("%s is %d bytes compressed and %d plain", c.path, len(whole), len(plain))
		}
	}
}

// Where kube-apiserver's router does not stand before a document, any method gets it, and Accept is read once.
func TestServer_discoveryForms(t *testing.T) {
	url := serveWidgets(t)
	const custom = "/apis/accept.example.com/v1"
	const groups = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	const route, named = "Available representations: application/json", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
	for _, c := range []struct {
		method, path, accept string
		code                 int
		contentType, want    string
	}{
		{"GET", "/apis", "application/*", 200, "application/json", "APIGroupList"},
		{"GET", "/apis/apps", "application/cbor", 200, "application/cbor", "APIGroup"},
		{"GET", "/apis", "text/html", 406, "application/json", named + ", application/cbor\""},
		{"GET", "/apis", "application/cbor", 200, "application/cbor", "APIGroupList"},
		{"GET", "/apis", "application/json," + groups + ";q=0.1", 200, groups, "apidiscovery.k8s.io/v2"},
		{"GET", "/api", groups + ";q=0.1,*/*", 200, groups, "apidiscovery.k8s.io/v2"},
		{"GET", "/api", groups[:17] + "g=apidiscovery.k8s.io;v=v1;as=APIGroupDiscoveryList,application/json", 200, "application/json", "APIVersions"},
		{"PUT", "/apis", "", 200, "application/json", "APIGroupList"},
		{"GET", "/apis/apps", "*", 200, "application/json", "APIGroup"},
		{"POST", "/apis/apps", "application/yaml", 200, "application/yaml", "APIGroup"},
		{"GET", "/apis/apps", "text/html", 406, "application/json", named + ", application/cbor\""},
		{"DELETE", "/apis/accept.example.com", "", 200, "application/json", "APIGroup"},
		{"DELETE", custom, "application/*", 200, "application/json", "APIResourceList"},
		{"GET", custom, "application/cbor", 406, "application/cbor", named},
		{"GET", custom, "text/html", 406, "application/json", named + "\""},
		{"GET", "/api", "application/cbor", 200, "application/cbor", "APIVersions"},
		{"GET", "/api", "application/*", 406, "application/json", route},
		{"GET", "/apis/apps/v1", "application/*", 406, "application/json", route},
		{"PUT", "/apis/apps/v1", "", 405, "application/json", "MethodNotAllowed"},
		{"GET", "/version", "application/yaml", 406, "application/yaml", "Available representations: application/json"},
		{"GET", "/version", "application/json;v=v9", 200, "application/json", "gitVersion"},
		{"GET", "/", "text/html", 200, "application/json", `"paths": [`},
		{"GET", "/index.html", "text/html", 200, "application/json", `"paths": [`},
	} {
		resp, body := mustAsk(t, c.method, url+c.path, map[string]string{"Accept": c.accept})
		flat := strings.NewReplacer("\n", " ", `\n`, " ").Replace(string(body))
		if resp.StatusCode != c.code || resp.Header.Get("Content-Type") != c.contentType || !strings.Contains(flat, c.want) {
			t.Errorf("%s %s, %s: %d %s %.300s; want %d %s %s", c.method, c.path, c.accept, resp.StatusCode, resp.Header.Get("Content-Type"), body, c.code, c.contentType, c.want)
		}
	}
}
