package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"kubarium/server/kinds"
)

// tableless are the subresources without columns in kube-apiserver 1.37, by paths of what is not there.
var tableless = []string{
	inDefault + "pods/none/ephemeralcontainers", inDefault + "pods/none/resize",
	"/apis/certificates.k8s.io/v1/certificatesigningrequests/none/approval",
	"/apis/apiregistration.k8s.io/v1/apiservices/none/status", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none/status",
	"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/none/status", "/apis/resource.k8s.io/v1/devicetaintrules/none/status",
}

// A subresource without columns is refused as a Table, before anything is looked for. Next to another form it comes in that one.
func TestServer_Table(t *testing.T) {
	url := serveDefault(t)
	mustPods(t, url, "p")
	const noTable = `{"code":406,"message":"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"NotAcceptable"}`
	table := http.Header{"Accept": {"application/json;as=Table;g=meta.k8s.io;v=v1"}}
	either := http.Header{"Accept": {"application/json;as=Table;g=meta.k8s.io;v=v1,application/json"}}
	for _, path := range append(tableless, inDefault+"pods/p/resize") {
		playExactly(t, url, []exact{
			{"get " + path, request{method: "GET", path: path, header: table}, 406, noTable},
			{"put " + path, request{method: "PUT", path: path, header: table, body: `{}`}, 406, noTable},
			{"patch " + path, request{method: "PATCH", path: path, header: table, contentType: mergePatch, body: `{}`}, 406, noTable},
		})
	}
	playExactly(t, url, []exact{
		{"finalize", request{method: "PUT", path: "/api/v1/namespaces/none/finalize", header: table, body: `{}`}, 406, noTable},
		{"status", request{method: "GET", path: inDefault + "pods/p/status", header: table}, 200, ""},
		{"absent", request{method: "GET", path: inDefault + "pods/none/status", header: table}, 404, `{"code":404,"details":{"kind":"pods","name":"none"},"message":"pods \"none\" not found","reason":"NotFound"}`},
	})
	if _, body := send(t, url, request{method: "GET", path: inDefault + "pods/p/resize", header: either}); kindIn(t, body) != "Pod" {
		t.Error(body)
	}
}

// kindIn is what a body calls itself.
func kindIn(t *testing.T, body string) string {
	t.Helper()
	var is struct{ Kind string }
	if err := json.Unmarshal([]byte(body), &is); err != nil {
		t.Fatal(err)
	}
	return is.Kind
}

// The rows of a Table of nothing are null for the kinds that kube-apiserver gives no columns of their own, and for definitions.
func TestServer_Table_empty(t *testing.T) {
	url, _ := mustServe(t, nil)
	null := map[string]bool{
		"limitranges": true, "roles.rbac.authorization.k8s.io": true, "clusterroles.rbac.authorization.k8s.io": true,
		"csistoragecapacities.storage.k8s.io": true, "customresourcedefinitions.apiextensions.k8s.io": true,
	}
	accept := http.Header{"Accept": {"application/json;as=Table;g=meta.k8s.io;v=v1"}}
	for _, k := range kinds.BuiltIn() {
		_, body := send(t, url, request{method: "GET", path: pathOf(k) + "?labelSelector=none", header: accept})
		var table map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &table); err != nil {
			t.Fatal(err)
		}
		want := "[]"
		if null[k.GroupResource().String()] {
			want = "null"
		}
		if got := string(table["rows"]); got != want {
			t.Errorf("%s: rows are %s, want %s", k.GroupResource(), got, want)
		}
	}
}
