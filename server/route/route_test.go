package route_test

import (
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"kubarium/server/route"
)

var official = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// asOfficial compares what Read and the official factory make of a request.
func asOfficial(t *testing.T, method, path, query string) {
	t.Helper()
	u := &url.URL{Path: path, RawQuery: query}
	r := httptest.NewRequest("GET", "/", nil)
	r.Method, r.URL = method, u
	want, err := official.NewRequestInfo(r)
	if !want.IsResourceRequest {
		want.APIPrefix = "" // which it also has for /apis/apps
	}
	read := route.Read(method, path, u.Query())
	got, failed := read.Info(), read.Check(u)
	text := func(i *request.RequestInfo) string {
		parts := []string{i.Path, i.Verb, i.APIPrefix, i.APIGroup, i.APIVersion, i.Namespace, i.Resource, i.Subresource, i.Name, i.FieldSelector, i.LabelSelector}
		return strings.Join(append(parts, i.Parts...), "|")
	}
	if text(got) != text(want) || got.IsResourceRequest != want.IsResourceRequest {
		t.Errorf("%s %q?%s:\n%s, want\n%s", method, path, query, text(got), text(want))
	}
	if (failed == nil) != (err == nil) || err != nil && failed.Error() != "failed to create RequestInfo: "+err.Error() {
		t.Errorf("%s %q?%s: %v, want %v", method, path, query, failed, err)
	}
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW", ""}

// A route has the attributes of the official RequestInfo, by which authorizers decide.
func TestRead_official(t *testing.T) {
	paths := []string{
		"", "/", "/healthz", "/livez/ping", "/version/", "/openapi/v3/api/v1", "/metrics", "/debug/rows", "/nosuch/a/b/c",
		"/api", "/api/", "/api/v1", "/api/v1/", "/apis", "/apis/", "/apis/apps", "/apis/apps/v1", "/apis/apps/v1/", "/apis/a/b/c",
		"/api/v1/pods", "/api/v1/pods/", "/api/v1/pods/a", "/api/v1/pods/a/log", "/api/v1/nodes/a", "/api/v1/nodes/a/proxy/metrics/x",
		"/api/v1/namespaces", "/api/v1/namespaces/a", "/api/v1/namespaces/a/status", "/api/v1/namespaces/a/finalize",
		"/api/v1/namespaces/a/finalize/b", "/api/v1/namespaces/a/status/b/c", "/api/v1/namespaces/a/namespaces/b",
		"/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods/b", "/api/v1/namespaces/a/pods/b/status",
		"/api/v1/namespaces/a/pods/b/proxy", "/api/v1/namespaces/a/services/https:b:1/proxy/c/d/", "/api/v1/namespaces/a/pods//status",
		"/api/v1/namespaces//pods", "/api/v1//pods", "/api//v1/pods", "//api/v1/pods", "/apis//v1/pods", "/apis/apps//deployments",
		"/apis/apps/v1/deployments", "/apis/apps/v1/namespaces/a/deployments/b/scale", "/apis/apps/v1/namespaces/a/status",
		"/apis/example.com/v1/namespaces/a/widgets", "/apis/example.com/v1/namespaces/a",
		"/api/v1/watch", "/api/v1/watch/", "/apis/apps/v1/watch", "/api/v1/watch/pods", "/api/v1/watch/namespaces",
		"/api/v1/watch/namespaces/a", "/api/v1/watch/namespaces/a/pods", "/api/v1/watch/namespaces/a/pods/b",
		"/api/v1/watch/namespaces/a/pods/b/status", "/apis/apps/v1/watch/deployments", "/api/v1/watch/watch/pods",
		"/api/v1/proxy", "/api/v1/proxy/nodes/a", "/api/v1/proxy/namespaces/a/pods/b/c/d", "/api/v1/proxy/pods",
		"/api/v1/namespaces/a/pods/..", "/api/v1/namespaces/a/pods/a%b", "/api/v1/namespaces/a/watch/pods",
	}
	queries := []string{
		"", "watch", "watch=", "watch=true", "watch=1", "watch=0", "watch=False", "watch=no", "watch=0&watch=1",
		"fieldSelector=metadata.name%3Da", "fieldSelector=metadata.name%3D%3Da&watch=1", "fieldSelector=metadata.name!%3Da",
		"fieldSelector=metadata.name%3Da,metadata.namespace%3Db", "fieldSelector=metadata.name%3Da/b", "fieldSelector=metadata.name%3D..",
		"fieldSelector=metadata.name%3D", "fieldSelector=spec.nodeName%3Da&labelSelector=a%3Db", "fieldSelector=%3D%3D&watch=1",
		"fieldSelector=&fieldSelector=metadata.name%3Da", "fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db",
		"fieldSelector=metadata.name%3Da&limit=x", "fieldSelector=metadata.name%3Da&limit=x&watch=1", "labelSelector=((&watch=1",
		"labelSelector=a&labelSelector=b", "timeoutSeconds=x&watch=1", "resourceVersion=7&watch=%zz", "%zz&watch=1",
	}
	for _, method := range methods {
		for _, path := range paths {
			for _, query := range queries {
				asOfficial(t, method, path, query)
			}
		}
	}
}

// The same of paths that are made of the words that mean something in one, at random.
func TestRead_officialRandom(t *testing.T) {
	words := []string{"api", "apis", "v1", "apps", "namespaces", "watch", "proxy", "status", "finalize", "pods", "a", "", "."}
	queries := []string{"", "watch=1", "fieldSelector=metadata.name%3Da"}
	random := rand.New(rand.NewSource(20261122))
	for range 50_000 {
		path := ""
		for range random.Intn(9) {
			path += "/" + words[random.Intn(len(words))]
		}
		asOfficial(t, methods[random.Intn(len(methods))], path, queries[random.Intn(len(queries))])
	}
}

// FuzzRead: no request is read otherwise than by the official factory.
func FuzzRead(f *testing.F) {
	f.Add("GET", "/api/v1/namespaces/a/configmaps/b", "watch=1")
	f.Add("PUT", "/apis/apps/v1//", "")
	f.Add("GET", "/api/v1/watch", "fieldSelector=metadata.name%3Da")
	f.Fuzz(asOfficial)
}

// A route tells people what was asked for: of the path, and not of selectors.
func TestRoute_String(t *testing.T) {
	for _, c := range []struct{ method, path, want string }{
		{http.MethodGet, "/version", ""},
		{http.MethodGet, "/api/v1/watch", ""},
		{http.MethodGet, "/api/v1/namespaces/a", "get namespaces"},
		{http.MethodGet, "/apis/apps/v1/namespaces/n/deployments/a/scale", "get deployments.apps/scale in n"},
		{http.MethodGet, "/api/v1/namespaces/n/pods/a/proxy/b/c", "get pods/proxy/b/c in n"},
		{"BREW", "/api/v1/namespaces/n/pods", "brew pods in n"},
	} {
		if got := route.Read(c.method, c.path, nil).String(); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
}
