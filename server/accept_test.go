package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	widgets    = "/apis/accept.example.com/v1/namespaces/default/widgets"
	metadataV1 = ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	protobufV1 = "application/vnd.kubernetes.protobuf"
)

// serveWidgets is a server with a custom resource and an object w of it.
func serveWidgets(t *testing.T) string {
	t.Helper()
	url := serveDefault(t)
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(`{"metadata":{"name":"widgets.accept.example.com"},"spec":{"group":"accept.example.com","scope":"Namespaced",
		"names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,
		"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`), &crd); err != nil {
		t.Fatal(err)
	}
	establish(t, url, &crd)
	var w map[string]any
	write(t, url, request{method: "POST", path: widgets, contentType: "application/json", body: `{"apiVersion":"accept.example.com/v1","kind":"Widget","metadata":{"name":"w"}}`}, &w)
	return url
}

// A custom resource has no Protobuf form, but its metadata has: clients of metadata ask for it first.
func TestServer_protobufMetadata(t *testing.T) {
	url := serveWidgets(t)
	for _, c := range []struct {
		path, accept string
		code         int
		prefix, has  string // of the answer
	}{
		{widgets + "/w", protobufV1, http.StatusNotAcceptable, "k8s\x00", "only the following media types"},
		{widgets + "/w", protobufV1 + metadataV1, http.StatusOK, "k8s\x00", "PartialObjectMetadata"},
		{widgets, protobufV1 + strings.Replace(metadataV1, "Metadata", "MetadataList", 1), http.StatusOK, "k8s\x00", "PartialObjectMetadataList"},
		{widgets + "?watch=1&timeoutSeconds=1&resourceVersion=0", protobufV1 + metadataV1, http.StatusOK, "\x00", "ADDED"},
		{widgets + "/w", "application/json;sv=v1", http.StatusOK, "{", `"kind":"Widget"`},
		{widgets + "/w", "application/json;sv=v2", http.StatusNotAcceptable, "{", "NotAcceptable"},
	} {
		code, body := send(t, url, request{method: "GET", path: c.path, header: http.Header{"Accept": {c.accept}}})
		if code != c.code || !strings.HasPrefix(body, c.prefix) || !strings.Contains(body, c.has) {
			t.Errorf("%s, %s: %d %q; want %d, %q with %q", c.path, c.accept, code, body, c.code, c.prefix, c.has)
		}
	}
}

// The paths of a custom resource take HEAD, and say which verb they do not know.
func TestServer_customVerbs(t *testing.T) {
	url := serveWidgets(t)
	for _, c := range []struct {
		method, path string
		code         int
		want         string
	}{
		{"HEAD", widgets, http.StatusOK, ""},
		{"HEAD", "/apis/accept.example.com/v1/widgets", http.StatusOK, ""},
		{"HEAD", widgets + "/w", http.StatusOK, ""},
		{"HEAD", widgets + "/w/status", http.StatusOK, ""},
		{"HEAD", widgets + "/none", http.StatusNotFound, ""},
		{"HEAD", configMaps, http.StatusMethodNotAllowed, ""},
		{"OPTIONS", widgets, http.StatusMethodNotAllowed, `" is not supported on resources of kind \"widgets.accept.example.com\""`},
		{"POST", widgets + "/w/status", http.StatusMethodNotAllowed, `"create is not supported on resources of kind \"widgets.accept.example.com\""`},
		{"PUT", widgets, http.StatusBadRequest, "name must be provided"},
		{"PATCH", widgets, http.StatusUnsupportedMediaType, "application/merge-patch+json"},
		{"OPTIONS", configMaps, http.StatusMethodNotAllowed, "the server does not allow this method on the requested resource"},
	} {
		code, body := send(t, url, request{method: c.method, path: c.path})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s; want %d %s", c.method, c.path, code, body, c.code, c.want)
		}
	}
	for _, patch := range []string{"application/merge-patch+json", "application/apply-patch+yaml"} {
		code, body := send(t, url, request{method: "PATCH", path: widgets, contentType: patch, body: "{}"})
		if code != http.StatusBadRequest || !strings.Contains(body, "name must be provided") {
			t.Errorf("%s without a name: %d %s", patch, code, body)
		}
	}
}

// Documents that kube-apiserver serves past its router answer any method; those of the router do not.
func TestServer_documentMethods(t *testing.T) {
	url := serveDefault(t)
	for path, code := range map[string]int{
		"/": 200, "/metrics": 200, "/openapi/v2": 200, "/openapi/v3": 200, "/openapi/v3/api/v1": 200, "/api": 405, "/api/v1": 405, "/version": 405,
	} {
		for _, method := range []string{"HEAD", "OPTIONS"} {
			if got, body := send(t, url, request{method: method, path: path}); got != code {
				t.Errorf("%s %s: %d %.100s; want %d", method, path, got, body, code)
			}
		}
	}
}

// A POST to the path of a custom resource creates the one in the body.
func TestServer_customPost(t *testing.T) {
	url := serveWidgets(t)
	const body = `{"apiVersion":"accept.example.com/v1","kind":"Widget","metadata":{"name":"other"}}`
	for i, want := range []int{http.StatusCreated, http.StatusConflict} {
		code, answer := send(t, url, request{method: "POST", path: widgets + "/w", contentType: "application/json", body: body})
		if code != want || !strings.Contains(answer, `other`) {
			t.Errorf("%d: %d %s", i, code, answer)
		}
	}
	if code, answer := send(t, url, request{method: "POST", path: configMaps + "/w", contentType: "application/json", body: `{}`}); code != http.StatusMethodNotAllowed {
		t.Errorf("a built-in kind: %d %s", code, answer)
	}
}

// A custom resource of another kind is refused as one of the kind that it says.
func TestServer_customOfAnotherKind(t *testing.T) {
	url := serveWidgets(t)
	var w struct {
		Metadata struct{ ResourceVersion string }
	}
	mustGet(t, url, widgets+"/w", &w)
	body := `{"apiVersion":"accept.example.com/v1","kind":"Secret","metadata":{"name":"w","resourceVersion":"` + w.Metadata.ResourceVersion + `"}}`
	const want = `"message":"Secret.accept.example.com \"w\" is invalid: kind: Invalid value: \"Secret\": must be Widget","reason":"Invalid","details":{"name":"w","group":"accept.example.com","kind":"Secret"`
	for _, q := range []request{
		{method: "PUT", path: widgets + "/w", contentType: "application/json", body: body},
		{method: "PATCH", path: widgets + "/w", contentType: "application/merge-patch+json", body: `{"kind":"Secret"}`},
		{method: "POST", path: widgets, contentType: "application/json", body: strings.Replace(body, "resourceVersion", "generateName", 1)},
	} {
		if code, answer := send(t, url, q); code != http.StatusUnprocessableEntity || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", q.method, code, answer)
		}
	}
}
