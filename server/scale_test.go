package server_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// mustDefine stores a definition, given as YAML, as an established one.
func mustDefine(t *testing.T, url, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	establish(t, url, crd)
	return crd
}

const gears = `
metadata: {name: gears.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gears, singular: gear, kind: Gear, listKind: GearList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const (
	mergePatch = "application/merge-patch+json"
	applyPatch = "application/apply-patch+yaml"
)

// The scale of a custom resource is checked as the object that it makes, with the path that the definition names. The
// answers are those of kube-apiserver 1.37.
func TestServer_customScale(t *testing.T) {
	url := serveDefault(t)
	mustDefine(t, url, gears)
	const (
		list     = "/apis/example.com/v1/namespaces/default/gears"
		negative = `{"code":422,"details":{"causes":[{"field":".spec.replicas","message":"Invalid value: -1: should be a non-negative integer","reason":"FieldValueInvalid"}],"group":"example.com","kind":"Gear","name":"a"},` +
			`"message":"Gear.example.com \"a\" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer","reason":"Invalid"}`
		unreadable = `{"code":400,"message":"no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"","reason":"BadRequest"}`
		invalidCR  = `request to convert CR to an invalid group/version: autoscaling/v1"}`
		missing    = `the spec replicas field \".spec.replicas\" `
	)
	scale := func(name string, replicas string) string {
		return `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"` + name + `","namespace":"default"},"spec":` + replicas + `,"status":{"replicas":0}}`
	}
	put := func(body string) request { return request{method: "PUT", path: list + "/a/scale", body: body} }
	patch := func(name, contentType, body string) request {
		return request{method: "PATCH", path: list + "/" + name + "/scale?fieldManager=m", contentType: contentType, body: body}
	}
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: list, body: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"replicas":1}}`}, 201, ""},
		{"create without replicas", request{method: "POST", path: list, body: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"b"},"spec":{}}`}, 201, ""},
		{"put", put(scale("a", `{"replicas":-1}`)), 422, negative},
		{"patch", patch("a", mergePatch, `{"spec":{"replicas":-1}}`), 422, negative},
		{"json patch", patch("a", "application/json-patch+json", `[{"op":"replace","path":"/spec/replicas","value":-1}]`), 422, negative},
		{"another version", put(`{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"replicas":-1}}`), 409,
			`{"code":409,"details":{"group":"example.com","kind":"gears","name":"a"},"message":"Operation cannot be fulfilled on gears.example.com \"a\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict"}`},
		{"a string", put(`{"metadata":{"name":"a"},"spec":{"replicas":"x"}}`), 400, unreadable},
		{"another kind", put(`{"kind":"Pod","apiVersion":"v1"}`), 400, unreadable},
		{"another name", put(`{"metadata":{"name":"c"},"spec":{"replicas":-1}}`), 400,
			`{"code":400,"message":"the name of the object (c) does not match the name on the URL (a)","reason":"BadRequest"}`},
		{"get", request{method: "GET", path: list + "/a/scale"}, 200, scale("a", `{"replicas":1}`)},

		{"get nothing", request{method: "GET", path: list + "/b/scale"}, 500,
			`{"code":500,"details":{"causes":[{"message":"` + missing + `does not exist"}]},"message":"Internal error occurred: ` + missing + `does not exist","reason":"InternalError"}`},
		{"patch nothing", patch("b", mergePatch, `{"status":{"replicas":7}}`), 400, `{"code":400,"message":"` + missing + `cannot be empty","reason":"BadRequest"}`},
		{"apply to nothing", patch("b", applyPatch, scale("b", `{"replicas":2}`)), 500,
			`{"code":500,"message":"failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: ` + invalidCR},
		{"patch malformed", patch("c", mergePatch, `{`), 400, `{"code":400,"message":"invalid JSON patch","reason":"BadRequest"}`},
		{"set", patch("b", mergePatch, `{"spec":{"replicas":2}}`), 200, scale("b", `{"replicas":2}`)},
	})
	play(t, url, []call{{"another uid", "PUT", list + "/a/scale", "", `{"metadata":{"name":"a","uid":"u"},"spec":{"replicas":-1}}`, 409,
		`Operation cannot be fulfilled on gears.example.com \"a\": StorageError: invalid object, Code: 4, Key: /registry/example.com/gears/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: `}})
}

// An apply to the scale of a custom resource may own the replicas, and cannot change them: kube-apiserver 1.37 answers so.
func TestServer_customScale_apply(t *testing.T) {
	url := serveDefault(t)
	mustDefine(t, url, gears)
	const (
		list    = "/apis/example.com/v1/namespaces/default/gears"
		refused = `{"code":500,"message":"failed to convert new object (/a; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1"}`
	)
	shown := func(replicas string) string {
		return `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"default"},"spec":{"replicas":` + replicas + `},"status":{"replicas":0}}`
	}
	apply := func(manager, spec string) request {
		return request{method: "PATCH", path: list + "/a/scale?fieldManager=" + manager, contentType: applyPatch,
			body: `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":` + spec + `}`}
	}
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: list + "?fieldManager=c", body: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"replicas":1}}`}, 201, ""},
		{"the same", apply("x", `{"replicas":1}`), 200, shown("1")},
		{"other replicas", apply("x&force=true", `{"replicas":2}`), 500, refused},
		{"a conflict", apply("y", `{"replicas":2}`), 409, ""},
		{"patch", request{method: "PATCH", path: list + "/a/scale?fieldManager=m", contentType: mergePatch, body: `{"spec":{"replicas":5}}`}, 200, shown("5")},
		{"the same as patched", apply("m", `{"replicas":5}`), 200, shown("5")},
		{"the same again", apply("m", `{"replicas":5}`), 200, shown("5")},
		{"nothing", apply("n", `{}`), 200, shown("5")},
	})
}

// The scale of a built-in kind is checked as a Scale, after the uid that the request names.
func TestServer_scale(t *testing.T) {
	url := serveDefault(t)
	const (
		list     = "/apis/apps/v1/namespaces/default/replicasets"
		negative = `{"code":422,"details":{"causes":[{"field":"spec.replicas","message":"Invalid value: -1: must be greater than or equal to 0","reason":"FieldValueInvalid"}],"group":"autoscaling","kind":"Scale","name":"a"},` +
			`"message":"Scale.autoscaling \"a\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0","reason":"Invalid"}`
	)
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: list, body: `{"metadata":{"name":"a"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`}, 201, ""},
		{"put", request{method: "PUT", path: list + "/a/scale", body: `{"metadata":{"name":"a"},"spec":{"replicas":-1}}`}, 422, negative},
		{"patch", request{method: "PATCH", path: list + "/a/scale", contentType: mergePatch, body: `{"spec":{"replicas":-1}}`}, 422, negative},
	})
	play(t, url, []call{
		{"another uid", "PUT", list + "/a/scale", "", `{"metadata":{"name":"a","uid":"u"},"spec":{"replicas":-1}}`, 409,
			`Operation cannot be fulfilled on replicasets.apps \"a\": StorageError: invalid object, Code: 4, Key: /registry/replicasets/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: `},
		{"patch another uid", "PATCH", list + "/a/scale", mergePatch, `{"metadata":{"uid":"u"}}`, 409,
			`Operation cannot be fulfilled on replicasets/scale.apps \"a\": Precondition failed: UID in precondition: u, UID in object meta: `},
	})
}
