package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// A scale as a Table has columns of its own, of which those of custom resources have other types. The answers are those of
// kube-apiserver 1.37.
func TestServer_scale_table(t *testing.T) {
	url := serveDefault(t)
	mustDefine(t, url, gears)
	const (
		sets   = "/apis/apps/v1/namespaces/default/replicasets"
		custom = "/apis/example.com/v1/namespaces/default/gears"
		view   = "application/json;as=Table;g=meta.k8s.io;v="

		builtInColumns = "Name string , Desired integer , Available integer , Age string "
		customColumns  = "Name string name, Desired integer , Available integer , Age date "
	)
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: sets, body: `{"metadata":{"name":"a"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`}, 201, ""},
		{"create custom", request{method: "POST", path: custom, body: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"replicas":0}}`}, 201, ""},
	})
	for _, c := range []struct {
		path, columns, desired, available string
	}{
		{sets, builtInColumns, "replicas is the desired number of instances for the scaled object.", "replicas is the actual number of observed instances of the scaled object."},
		{custom, customColumns, "Number of desired replicas", "Number of actual replicas"},
	} {
		ask := func(q request, version string) metav1.Table {
			t.Helper()
			q.path, q.header = c.path+"/a/scale"+q.path, http.Header{"Accept": {view + version}}
			code, body := send(t, url, q)
			var table metav1.Table
			if err := json.Unmarshal([]byte(body), &table); err != nil || code != 200 || table.Kind != "Table" || table.APIVersion != "meta.k8s.io/"+version {
				t.Fatalf("%s %s: %d %v %s", q.method, q.path, code, err, body)
			}
			var columns []string
			for _, d := range table.ColumnDefinitions {
				columns = append(columns, d.Name+" "+d.Type+" "+d.Format)
			}
			if strings.Join(columns, ", ") != c.columns || table.ColumnDefinitions[1].Description != c.desired || table.ColumnDefinitions[2].Description != c.available {
				t.Errorf("%s: %+v", q.path, table.ColumnDefinitions)
			}
			if len(table.Rows) != 1 || table.ResourceVersion == "" {
				t.Fatalf("%s: %s", q.path, body)
			}
			return table
		}
		for _, step := range []struct {
			request
			version, want string // the cells of a row but its age, and its object's kind
		}{
			{request{method: "GET"}, "v1", "[a 0 0] PartialObjectMetadata"},
			{request{method: "GET", path: "?includeObject=None"}, "v1", "[a 0 0] "},
			{request{method: "GET", path: "?includeObject=Object"}, "v1beta1", "[a 0 0] Scale"},
			{request{method: "PUT", body: `{"metadata":{"name":"a"},"spec":{"replicas":2}}`}, "v1", "[a 2 0] PartialObjectMetadata"},
			{request{method: "PATCH", contentType: mergePatch, body: `{"spec":{"replicas":3}}`}, "v1", "[a 3 0] PartialObjectMetadata"},
			{request{method: "PATCH", path: "?fieldManager=m&force=true", contentType: applyPatch, body: `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":3}}`}, "v1",
				"[a 3 0] PartialObjectMetadata"},
		} {
			row, object := ask(step.request, step.version).Rows[0], metav1.TypeMeta{}
			if len(row.Object.Raw) > 0 {
				if err := json.Unmarshal(row.Object.Raw, &object); err != nil {
					t.Fatal(err)
				}
			}
			if got := fmt.Sprint(row.Cells[:3], " ", object.Kind); got != step.want || len(row.Cells) != 4 {
				t.Errorf("%s %s%s: %s, not %s", step.method, c.path, step.path, got, step.want)
			}
		}
		playExactly(t, url, []exact{{"odd", request{method: "GET", path: c.path + "/a/scale?includeObject=x", header: http.Header{"Accept": {view + "v1"}}}, 400,
			`{"code":400,"message":"Unable to convert to Table as requested: includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty","reason":"BadRequest"}`}})
	}
}

// Nothing but a list is shown as a list of metadata. The refusals name the types that kube-apiserver 1.37 has in memory.
func TestServer_scale_metadataList(t *testing.T) {
	url := serveDefault(t)
	mustDefine(t, url, gears)
	const custom = "/apis/example.com/v1/namespaces/default/gears"
	noList := func(name string) string {
		return `{"code":406,"message":"you requested PartialObjectMetadataList, but the requested object is not a list (*` + name + `)","reason":"NotAcceptable"}`
	}
	const noContent = `{"code":500,"message":"content is not a list"}`
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: inDefault + "replicationcontrollers", body: `{"metadata":{"name":"a"},"spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`}, 201, ""},
		{"create custom", request{method: "POST", path: custom, body: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"replicas":0}}`}, 201, ""},
	})
	for _, c := range []struct {
		path string
		code int
		want string
	}{
		{inDefault + "replicationcontrollers/a", 406, noList("core.ReplicationController")},
		{inDefault + "replicationcontrollers/a/scale", 406, noList("autoscaling.Scale")},
		{custom + "/a", 500, noContent}, {custom + "/a/status", 500, noContent}, {custom + "/a/scale", 406, noList("v1.Scale")},
	} {
		q := request{method: "GET", path: c.path, header: http.Header{"Accept": {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}}}
		playExactly(t, url, []exact{{c.path, q, c.code, c.want}})
	}
}
