package server_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// versionsOf are the versions of a definition as a merge patch.
func versionsOf(versions ...string) string {
	return `{"spec":{"versions":[` + strings.Join(versions, ",") + `]}}`
}

// aVersion is a version of a definition, whose spec has the properties.
func aVersion(name string, storage bool, properties string) string {
	stored := "false"
	if storage {
		stored = "true"
	}
	return `{"name":"` + name + `","served":true,"storage":` + stored + `,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{` + properties + `}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`
}

const (
	wheelDefinition = definitions + "/wheels.example.com"
	wheelsV1        = "/apis/example.com/v1/namespaces/default/wheels"
	wheelsV2        = "/apis/example.com/v2/namespaces/default/wheels"

	onlyA   = `"a":{"type":"integer"}`
	aAndB   = onlyA + `,"b":{"type":"string","default":"x"}`
	justTwo = `{"status":{"storedVersions":["v2"]}}`
)

// mustDefineWheels defines a kind that is stored in v1 and served in v2 too, which has a field more.
func mustDefineWheels(t *testing.T, url string) {
	t.Helper()
	mustDefine(t, url, `{"metadata":{"name":"wheels.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"wheels","singular":"wheel","kind":"Wheel","listKind":"WheelList"},
		"versions":[`+aVersion("v1", true, onlyA)+`,`+aVersion("v2", false, aAndB)+`]}}`)
}

func patchDefinition(path, body string) request {
	return request{method: "PATCH", path: path, contentType: mergePatch, body: body}
}

func wheel(name, version, spec string) string {
	return `{"apiVersion":"example.com/` + version + `","kind":"Wheel","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// An object that is stored in a version that its definition has lost cannot be read, nor deleted but by force; lists and
// watches of its kind wait for it, as in kube-apiserver 1.37.
func TestServer_removedVersion(t *testing.T) {
	url := serveDefault(t)
	mustDefineWheels(t, url)
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: wheelsV1, body: wheel("a", "v1", `{"a":1}`)}, 201, ""},
		{"create another", request{method: "POST", path: wheelsV1, body: wheel("b", "v1", `{"a":1}`)}, 201, ""},
		{"store v2", patchDefinition(wheelDefinition, versionsOf(aVersion("v1", false, onlyA), aVersion("v2", true, aAndB))), 200, ""},
		{"create in v2", request{method: "POST", path: wheelsV2, body: wheel("good", "v2", `{"a":1}`)}, 201, ""},
		{"stored versions", patchDefinition(wheelDefinition+"/status", justTwo), 200, ""},
		{"remove v1", patchDefinition(wheelDefinition, versionsOf(aVersion("v2", true, aAndB))), 200, ""},
	})
	corrupt := func(key, name string) string {
		return `StorageError: corrupt object, Code: 7, Key: ` + key + `/example.com/wheels/default/` + name + `, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=N: request to convert CR from an invalid group/version: example.com/v1`
	}
	one := `{"code":500,"details":{"causes":[{"message":"` + corrupt("", "a") + `"}]},"message":"Internal error occurred: ` + corrupt("", "a") + `","reason":"InternalError"}`
	write := `{"code":500,"message":"object not decodable revision=N: request to convert CR from an invalid group/version: example.com/v1"}`
	all := "failed to read one or more wheels.example.com from the storage: " + corrupt("/registry", "a")
	waiting := `{"code":429,"details":{"retryAfterSeconds":1},"message":"storage is (re)initializing: failed to list <unspecified>: ` + all + ` (and 1 more)","reason":"TooManyRequests"}`
	cause := func(name string) string {
		return `{"field":"/registry/example.com/wheels/default/` + name + `","message":"` + corrupt("/registry", name) + `","reason":"UnexpectedServerResponse"}`
	}
	page := func(causes, more string) string {
		return `{"code":500,"details":{"causes":[` + causes + `],"group":"example.com","kind":"wheels","name":"list"},"message":"` + all + more + `","reason":"StorageReadError"}`
	}
	get := func(path string) request { return request{method: "GET", path: path} }
	for _, s := range []exact{
		{"get", get(wheelsV2 + "/a"), 500, one},
		{"get any", get(wheelsV2 + "/a?resourceVersion=0"), 500, one},
		{"get metadata", request{method: "GET", path: wheelsV2 + "/a", header: http.Header{"Accept": {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}}}, 500, one},
		{"get status", get(wheelsV2 + "/a/status"), 500, one},
		{"get a good one", get(wheelsV2 + "/good"), 200, `{"apiVersion":"example.com/v2","kind":"Wheel","metadata":{"generation":1,"name":"good","namespace":"default"},"spec":{"a":1,"b":"x"}}`},
		{"list", get(wheelsV2), 429, waiting},
		{"list any", get(wheelsV2 + "?resourceVersion=0"), 429, waiting},
		{"list others", get("/apis/example.com/v2/namespaces/other/wheels"), 429, waiting},
		{"list everywhere", get("/apis/example.com/v2/wheels"), 429, waiting},
		{"list some", get(wheelsV2 + "?limit=1&fieldSelector=metadata.name%3Dgood"), 429, waiting},
		{"watch", get(wheelsV2 + "?watch=true"), 429, waiting},
		{"page", get(wheelsV2 + "?limit=1"), 500, page(cause("a"), "")},
		{"page of any", get(wheelsV2 + "?limit=2&resourceVersion=0"), 500, page(cause("a")+","+cause("b"), " (and 1 more)")},
		{"put", request{method: "PUT", path: wheelsV2 + "/a", body: wheel("a", "v2", `{"a":2}`)}, 500, write},
		{"patch", request{method: "PATCH", path: wheelsV2 + "/a", contentType: mergePatch, body: `{"spec":{"a":2}}`}, 500, write},
		{"apply", request{method: "PATCH", path: wheelsV2 + "/a?fieldManager=m", contentType: applyPatch, body: wheel("a", "v2", `{"a":2}`)}, 500, write},
		{"create again", request{method: "POST", path: wheelsV2, body: wheel("a", "v2", `{"a":2}`)}, 409,
			`{"code":409,"details":{"group":"example.com","kind":"wheels","name":"a"},"message":"wheels.example.com \"a\" already exists","reason":"AlreadyExists"}`},
		{"delete", request{method: "DELETE", path: wheelsV2 + "/a"}, 500, one},
		{"delete all", request{method: "DELETE", path: wheelsV2}, 500, page(cause("a")+","+cause("b"), " (and 1 more)")},
		{"delete some", request{method: "DELETE", path: wheelsV2 + "?labelSelector=x"}, 429, waiting},
		{"delete others", request{method: "DELETE", path: "/apis/example.com/v2/namespaces/other/wheels"}, 200, ""},
		{"delete by force", request{method: "DELETE", path: wheelsV2 + "/a", body: `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`}, 200, `{"code":200,"details":{"kind":"Wheel","name":"a"}}`},
		{"delete the other by force", request{method: "DELETE", path: wheelsV2 + "/b", body: `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`}, 200, ""},
		{"list", get(wheelsV2), 200, ""},
	} {
		code, body := send(t, url, s.q)
		got := lasting(t, revisionNumber.ReplaceAllString(body, "revision=N"))
		if want := ordered(t, s.want); code != s.code || s.want != "" && got != want {
			t.Errorf("%s: %d %s\nwant %d %s", s.name, code, got, s.code, want)
		}
	}
}

// revisionNumber is what differs from run to run in the texts.
var revisionNumber = regexp.MustCompile(`revision=\d+`)

// ordered is JSON as lasting writes it.
func ordered(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		return ""
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
