package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// Each kind has its own fields to select by, and Kubernetes its own words for others.
func TestServer_fieldSelectors(t *testing.T) {
	url := serveDefault(t)
	const pod = `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
	if code, body := send(t, url, request{method: "POST", path: "/api/v1/namespaces/default/pods", contentType: "application/json", body: pod}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	for _, c := range []struct {
		path, selector string
		code           int
		want           string
	}{
		{"/api/v1/pods", "spec.nodeName=n", 200, `"name":"p"`},
		{"/api/v1/pods", "spec.host=n", 200, `"name":"p"`},
		{"/api/v1/pods", "spec.host!=n", 200, `"items":[]`},
		{"/api/v1/pods", "status.podIPs=", 200, `"name":"p"`},
		{"/api/v1/pods", "status.podIPs=1.2.3.4", 200, `"items":[]`},
		{"/api/v1/pods", "spec.image=i", 400, "field label not supported: spec.image"},
		{"/apis/apps/v1/replicasets", "status.replicas=0", 400, `\"status.replicas\" is not a known field selector`},
		{"/api/v1/replicationcontrollers", "status.replicas=0", 200, `"items":[]`},
		{"/apis/batch/v1/jobs", "status.successful=0", 200, `"items":[]`},
		{"/apis/batch/v1/jobs", "status.succeeded=0", 400, `field label \"status.succeeded\" not supported for Job`},
		{"/apis/resource.k8s.io/v1/resourceslices", "nodeName=n", 400, "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: nodeName"},
	} {
		code, body := send(t, url, request{method: "GET", path: c.path + "?fieldSelector=" + c.selector})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %.300s; want %d, %s", c.path, c.selector, code, body, c.code, c.want)
		}
	}
}

// The bookmark that ends the initial events says so in every form, also in a Table whose rows carry no objects.
func TestServer_initialEnd(t *testing.T) {
	url := serveDefault(t)
	const list = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	for _, c := range []struct{ accept, query string }{
		{"application/json", ""},
		{"application/json" + metadataV1, ""},
		{"application/json;as=Table;v=v1;g=meta.k8s.io", ""},
		{"application/json;as=Table;v=v1beta1;g=meta.k8s.io", "&includeObject=Object"},
		{"application/json;as=Table;v=v1;g=meta.k8s.io", "&includeObject=None"},
		{protobufV1 + metadataV1, ""},
		{"application/cbor", ""},
	} {
		code, body := send(t, url, request{method: "GET", path: list + c.query, header: http.Header{"Accept": {c.accept}}})
		if code != http.StatusOK || strings.Count(body, "k8s.io/initial-events-end") != 1 {
			t.Errorf("%s%s: %d %q", c.accept, c.query, code, body)
		}
	}
	accept := http.Header{"Accept": {"application/json;as=Table;v=v1;g=meta.k8s.io"}}
	if _, body := send(t, url, request{method: "GET", path: "/api/v1/namespaces?includeObject=None", header: accept}); !strings.Contains(body, `"object":null`) {
		t.Errorf("a row that should carry no object: %s", body)
	}
}
