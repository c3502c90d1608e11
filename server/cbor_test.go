package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"kubarium/codecs"
)

const configMaps = "/api/v1/namespaces/default/configmaps"

// mustCBOR is an object as the body of a request.
func mustCBOR(t *testing.T, object map[string]any) string {
	t.Helper()
	data, err := direct.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readCBOR is a body as an object of whichever kind.
func readCBOR(t *testing.T, body string) *unstructured.Unstructured {
	t.Helper()
	if !strings.HasPrefix(body, "\xd9\xd9\xf7") {
		t.Fatalf("the body does not say that it is CBOR: %q", body)
	}
	obj := &unstructured.Unstructured{}
	if err := direct.Unmarshal([]byte(body), &obj.Object); err != nil {
		t.Fatalf("%v\n%q", err, body)
	}
	return obj
}

func configMapObject(name, value string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": map[string]any{"k": value}}
}

// serveDefault is a server with the namespace default.
func serveDefault(t *testing.T) string {
	t.Helper()
	url, _ := mustServe(t, nil)
	code, body := send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"default"}}`})
	if code != http.StatusCreated {
		t.Fatal(code, body)
	}
	return url
}

// A client that speaks CBOR alone can do all that one can do: each step is sent and answered in it.
func TestServer_CBOR(t *testing.T) {
	url := serveDefault(t)
	accept := http.Header{"Accept": {"application/cbor"}}
	for _, c := range []struct {
		name              string
		method, path      string
		contentType, body string
		accept            string // "" means application/cbor
		code              int
		field, want       string // a path of the answer and what stands there
	}{
		{"create", "POST", configMaps, "application/cbor", mustCBOR(t, configMapObject("a", "1")), "", 201, "data.k", "1"},
		{"create again", "POST", configMaps, "application/cbor", mustCBOR(t, configMapObject("a", "1")), "", 409, "reason", "AlreadyExists"},
		{"get", "GET", configMaps + "/a", "", "", "", 200, "kind", "ConfigMap"},
		{"no such", "GET", configMaps + "/none", "", "", "", 404, "kind", "Status"},
		{"list", "GET", configMaps, "", "", "", 200, "kind", "ConfigMapList"},
		{"update", "PUT", configMaps + "/a", "application/cbor", mustCBOR(t, configMapObject("a", "2")), "", 200, "data.k", "2"},
		{"apply", "PATCH", configMaps + "/b?fieldManager=m", "application/apply-patch+cbor", mustCBOR(t, configMapObject("b", "1")), "", 201, "data.k", "1"},
		{"apply in conflict", "PATCH", configMaps + "/b?fieldManager=n", "application/apply-patch+cbor", mustCBOR(t, configMapObject("b", "2")), "", 409, "reason", "Conflict"},
		{"apply by force", "PATCH", configMaps + "/b?fieldManager=n&force=true", "application/apply-patch+cbor", mustCBOR(t, configMapObject("b", "2")), "", 200, "data.k", "2"},
		{"apply of nothing", "PATCH", configMaps + "/b?fieldManager=n", "application/apply-patch+cbor", "\xf6", "", 400, "reason", "BadRequest"},
		{"merge patch", "PATCH", configMaps + "/a", "application/merge-patch+json", `{"data":{"k":"3"}}`, "", 200, "data.k", "3"},
		{"strategic merge of a wrong type", "PATCH", configMaps + "/a", "application/strategic-merge-patch+json", `{"data":"x"}`, "", 422, "message",
			` "" is invalid: patch: Invalid value: "map[data:x]": cannot restore map from string`},
		{"strategic merge of another kind", "PATCH", configMaps + "/a", "application/strategic-merge-patch+json", `{"kind":"Secret"}`, "", 200, "kind", "ConfigMap"},
		{"unknown field", "POST", configMaps + "?fieldValidation=Strict", "application/cbor", "\xa1Cfoo\x01", "", 400, "message",
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: cbor: found unknown field at map element index 0`},
		{"metadata", "GET", configMaps + "/a", "", "", "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200, "metadata.name", "a"},
		{"list of metadata", "GET", configMaps, "", "", "application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", 200, "kind", "PartialObjectMetadataList"},
		{"resources", "GET", "/api/v1", "", "", "", 200, "groupVersion", "v1"},
		{"all resources", "GET", "/apis", "", "", "application/cbor;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", 200, "kind", "APIGroupDiscoveryList"},
		{"delete with another uid", "DELETE", configMaps + "/a", "application/cbor", mustCBOR(t, map[string]any{"preconditions": map[string]any{"uid": "x"}}), "", 409, "reason", "Conflict"},
		{"delete dry", "DELETE", configMaps + "/a", "application/cbor", mustCBOR(t, map[string]any{"dryRun": []any{"All"}}), "", 200, "status", "Success"},
		{"delete", "DELETE", configMaps + "/a", "application/cbor", mustCBOR(t, map[string]any{"kind": "DeleteOptions", "apiVersion": "v1"}), "", 200, "status", "Success"},
	} {
		header := accept
		if c.accept != "" {
			header = http.Header{"Accept": {c.accept}}
		}
		code, body := send(t, url, request{method: c.method, path: c.path, contentType: c.contentType, body: c.body, header: header})
		if code != c.code {
			t.Errorf("%s: %d, want %d: %q", c.name, code, c.code, body)
			continue
		}
		got, _, err := unstructured.NestedString(readCBOR(t, body).Object, strings.Split(c.field, ".")...)
		if err != nil || got != c.want {
			t.Errorf("%s: %s is %q, want %q, %v", c.name, c.field, got, c.want, err)
		}
	}
}

// What was sent in CBOR is stored as any other object is: bytes stay bytes in each encoding.
func TestServer_CBOR_bytes(t *testing.T) {
	url := serveDefault(t)
	path := "/api/v1/namespaces/default/secrets"
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "data": map[string]any{"a": []byte{0, 1, 255}}}
	if code, body := send(t, url, request{method: "POST", path: path, contentType: "application/cbor", body: mustCBOR(t, secret)}); code != http.StatusCreated || !strings.Contains(body, `"a":"AAH/"`) {
		t.Fatal(code, body)
	}
	for _, c := range codecs.All {
		_, body := send(t, url, request{method: "GET", path: path + "/s", header: http.Header{"Accept": {c.MediaType}}})
		var s corev1.Secret
		if _, _, _, err := c.Decode([]byte(body), schema.GroupVersionKind{}, &s, codecs.Strict); err != nil || string(s.Data["a"]) != "\x00\x01\xff" {
			t.Errorf("%s: %v, %v", c.Name, s.Data, err)
		}
	}
}

// A watch in CBOR is a sequence of events; it may be asked for as CBOR, and as metadata alone.
func TestServer_CBOR_watch(t *testing.T) {
	url := serveDefault(t)
	if code, body := send(t, url, request{method: "POST", path: configMaps, contentType: "application/cbor", body: mustCBOR(t, configMapObject("a", "1"))}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	for accept, kind := range map[string]string{
		"application/cbor": "ConfigMap",
		"application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": "PartialObjectMetadata",
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url+configMaps+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "application/cbor-seq" {
			t.Errorf("%s: %d, %s", accept, resp.StatusCode, got)
		}
		d := cbor.NewDecoder(resp.Body)
		for _, want := range []string{"ADDED", "BOOKMARK"} {
			var item cbor.RawMessage
			if err := d.Decode(&item); err != nil {
				t.Fatal(err)
			}
			var event metav1.WatchEvent
			if err := direct.Unmarshal(item, &event); err != nil {
				t.Fatal(err)
			}
			if got := readCBOR(t, string(event.Object.Raw)).GetKind(); event.Type != want || got != kind {
				t.Errorf("%s: got %s of a %s, want %s of a %s", accept, event.Type, got, want, kind)
			}
		}
		resp.Body.Close()
	}
}
