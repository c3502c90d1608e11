package server_test

import "testing"

// A binding must name a pod, and the one with its uid and resourceVersion if it has any. The answers are those of kube-apiserver 1.37.
func TestServer_Bind(t *testing.T) {
	url := serveDefault(t)
	mustPods(t, url, "p")
	const (
		required = `{"code":400,"message":"Name parameter required.","reason":"BadRequest"}`
		taken    = `{"code":409,"details":{"kind":"pods/binding","name":"p"},"message":"Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"","reason":"Conflict"}`
		conflict = `"message":"Operation cannot be fulfilled on pods \"p\": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: `
	)
	invalid := func(name, why string) string {
		return `{"code":400,"message":"Name parameter invalid: \"` + name + `\": ` + why + `","reason":"BadRequest"}`
	}
	for _, query := range []string{"", "?dryRun=All"} {
		bind := func(meta string) request {
			return request{method: "POST", path: inDefault + "bindings" + query, body: `{"metadata":{` + meta + `},"target":{"name":"n"}}`}
		}
		playExactly(t, url, []exact{
			{"no name", bind(``), 400, required},
			{"a generated one", bind(`"generateName":"p"`), 400, required},
			{"a slash", bind(`"name":"a/b"`), 400, invalid("a/b", "may not contain '/'")},
			{"above", bind(`"name":".."`), 400, invalid("..", "may not be '..'")},
			{"a percent sign", bind(`"name":"a%b"`), 400, invalid("a%b", "may not contain '%'")},
			{"absent", bind(`"name":"none"`), 404, `{"code":404,"details":{"kind":"pods","name":"none"},"message":"pods \"none\" not found","reason":"NotFound"}`},
		})
		play(t, url, []call{
			{"another uid", "POST", inDefault + "pods/p/binding" + query, "", `{"metadata":{"name":"p","uid":"x"},"target":{"name":"n"}}`, 409,
				conflict + `UID in precondition: x, UID in object meta: `},
			{"another version", "POST", inDefault + "pods/p/binding" + query, "", `{"metadata":{"name":"p","resourceVersion":"1"},"target":{"name":"n"}}`, 409,
				conflict + `ResourceVersion in precondition: 1, ResourceVersion in object meta: `},
			{"another version of a binding", "POST", inDefault + "bindings" + query, "", `{"metadata":{"name":"p","resourceVersion":"abc"},"target":{"name":"n"}}`, 409,
				conflict + `ResourceVersion in precondition: abc, ResourceVersion in object meta: `},
		})
	}
	playExactly(t, url, []exact{
		{"a uid that is not the client's", request{method: "POST", path: inDefault + "bindings", body: `{"metadata":{"name":"p","uid":"x"},"target":{"name":"n"}}`}, 201, `{"code":201}`},
		{"bound", request{method: "POST", path: inDefault + "pods/p/binding", body: `{"metadata":{"name":"p"},"target":{"name":"n"}}`}, 409, taken},
	})
}
