package server_test

import "testing"

// System priority classes cannot be deleted one by one, and the group version of options does not matter. The answers are those of
// kube-apiserver 1.37.
func TestServer_Delete(t *testing.T) {
	url := serveDefault(t)
	const (
		classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
		kept    = `{"code":403,"details":{"group":"scheduling.k8s.io","kind":"priorityclasses","name":"system-node-critical"},"message":"priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system priority class and cannot be deleted","reason":"Forbidden"}`
		invalid = `{"code":422,"details":{"causes":[{"field":"propagationPolicy","message":"Unsupported value: \"X\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"","reason":"FieldValueNotSupported"}],"group":"meta.k8s.io","kind":"DeleteOptions"},"message":"DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"X\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"","reason":"Invalid"}`
	)
	critical := classes + "/system-node-critical"
	t.Run("system priority class", func(t *testing.T) {
		playExactly(t, url, []exact{
			{"absent", request{method: "DELETE", path: critical}, 403, kept},
			{"create", request{method: "POST", path: classes, body: `{"metadata":{"name":"system-node-critical"},"value":2000001000}`}, 201, ""},
			{"another", request{method: "POST", path: classes, body: `{"metadata":{"name":"a"},"value":1}`}, 201, ""},
			{"delete", request{method: "DELETE", path: critical}, 403, kept},
			{"dry run", request{method: "DELETE", path: critical + "?dryRun=All"}, 403, kept},
			{"another uid", request{method: "DELETE", path: critical, body: `{"preconditions":{"uid":"x"}}`}, 403, kept},
			{"bad options", request{method: "DELETE", path: critical, body: `{"propagationPolicy":"X"}`}, 422, invalid},
			{"it stays", request{method: "GET", path: critical}, 200, ""},
			{"delete another", request{method: "DELETE", path: classes + "/a"}, 200, ""},
			{"delete all", request{method: "DELETE", path: classes}, 200, ""},
			{"it is gone", request{method: "GET", path: critical}, 404, ""},
		})
	})
	t.Run("options of any version", func(t *testing.T) { deleteByAnyVersion(t, url) })
}

// deleteByAnyVersion deletes with options whose group version says nothing: they all are those of meta.k8s.io/v1.
func deleteByAnyVersion(t *testing.T, url string) {
	const (
		list    = "/api/v1/namespaces/default/configmaps"
		deleted = `{"details":{"kind":"configmaps","name":"a"}}`
		grace   = `{"code":400,"message":"json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64","reason":"BadRequest"}`
		unknown = `{"code":400,"message":"no kind \"X\" is registered for version \"nope/v1\" in scheme \"pkg/runtime/scheme.go:111\"","reason":"BadRequest"}`
		other   = `{"code":400,"message":"converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion","reason":"BadRequest"}`
	)
	for _, version := range []string{"nope/v1", "nope/v2", "v2", "meta.k8s.io/v1", "meta.k8s.io/v1beta1", "apps/v9", "__internal", "nope/__internal"} {
		options := `{"kind":"DeleteOptions","apiVersion":"` + version + `"}`
		playExactly(t, url, []exact{
			{"create", request{method: "POST", path: list, body: `{"metadata":{"name":"a"}}`}, 201, ""},
			{version, request{method: "DELETE", path: list + "/a", body: options}, 200, deleted},
			{version + " of all", request{method: "DELETE", path: list + "?labelSelector=a=b", body: options}, 200, ""},
		})
	}
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: list, body: `{"metadata":{"name":"a"}}`}, 201, ""},
		{"a precondition", request{method: "DELETE", path: list + "/a", body: `{"kind":"DeleteOptions","apiVersion":"nope/v1","preconditions":{"uid":"x"}}`}, 409, ""},
		{"a string", request{method: "DELETE", path: list + "/a", body: `{"kind":"DeleteOptions","apiVersion":"nope/v1","gracePeriodSeconds":"x"}`}, 400, grace},
		{"another kind", request{method: "DELETE", path: list + "/a", body: `{"kind":"X","apiVersion":"nope/v1"}`}, 400, unknown},
		{"other options", request{method: "DELETE", path: list + "/a", body: `{"kind":"CreateOptions","apiVersion":"apps/v1"}`}, 400, other},
		{"YAML", request{method: "DELETE", path: list + "/a", contentType: "application/yaml", body: "kind: DeleteOptions\napiVersion: nope/v1\n"}, 200, deleted},
		{"create again", request{method: "POST", path: list, body: `{"metadata":{"name":"a"}}`}, 201, ""},
		{"CBOR", request{method: "DELETE", path: list + "/a", contentType: "application/cbor",
			body: mustCBOR(t, map[string]any{"kind": "DeleteOptions", "apiVersion": "nope/v1"})}, 200, deleted},
	})
}
