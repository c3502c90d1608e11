package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// owners are the entries of managedFields: manager, operation, version and fields.
func owners(t *testing.T, url, path string) string {
	t.Helper()
	var object struct {
		Metadata struct {
			ManagedFields []struct {
				Manager, Operation, APIVersion string
				FieldsV1                       json.RawMessage
			}
		}
	}
	mustGet(t, url, path, &object)
	var all []string
	for _, e := range object.Metadata.ManagedFields {
		all = append(all, fmt.Sprintf("%s %s %s %s", e.Manager, e.Operation, e.APIVersion, e.FieldsV1))
	}
	return strings.Join(all, "; ")
}

// Owners that wrote a version which does not know a field that has been defaulted since, or one that is gone, make an apply
// fail, and stay as they are at other writes. The answers are those of kube-apiserver 1.37.
func TestServer_ownersOfOldVersions(t *testing.T) {
	url := serveDefault(t)
	mustDefineWheels(t, url)
	apply := func(name, version, a, query string) request {
		return request{method: "PATCH", path: "/apis/example.com/" + version + "/namespaces/default/wheels/" + name + "?force=true&fieldManager=" + query, contentType: applyPatch,
			body: wheel(name, version, `{"a":`+a+`}`)}
	}
	merge := func(name, body string) request {
		return request{method: "PATCH", path: wheelsV2 + "/" + name + "?fieldManager=three", contentType: mergePatch, body: body}
	}
	shown := func(name, version, generation, spec string) string {
		return `{"apiVersion":"example.com/` + version + `","kind":"Wheel","metadata":{"generation":` + generation + `,"name":"` + name + `","namespace":"default"},"spec":` + spec + `}`
	}
	const undeclared = `{"code":500,"message":".spec.b: field not declared in schema"}`
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: wheelsV1 + "?fieldManager=one", body: wheel("a", "v1", `{"a":1}`)}, 201, ""},
		{"apply anew", apply("b", "v1", "1", "one"), 201, ""},
		{"store v2", patchDefinition(wheelDefinition, versionsOf(aVersion("v1", false, onlyA), aVersion("v2", true, aAndB))), 200, ""},
		{"apply while there is no default", apply("a", "v2", "2", "two&dryRun=All"), 200, shown("a", "v2", "2", `{"a":2,"b":"x"}`)},
		{"merge", merge("a", `{"spec":{"a":5}}`), 200, shown("a", "v2", "2", `{"a":5,"b":"x"}`)},
		{"merge", merge("b", `{"spec":{"a":5}}`), 200, shown("b", "v2", "2", `{"a":5,"b":"x"}`)},
		{"apply", apply("a", "v2", "2", "two"), 500, undeclared},
		{"apply by the owner", apply("b", "v2", "2", "one"), 500, undeclared},
		{"apply the old version", apply("b", "v1", "7", "one"), 200, shown("b", "v1", "3", `{"a":7}`)},
	})
	const one, applied = `one Update example.com/v1 {"f:spec":{".":{},"f:a":{}}}`, `one Apply example.com/v1 {"f:spec":{"f:a":{}}}`
	expectOwners := func(step string, a, b string) {
		t.Helper()
		if got := owners(t, url, wheelsV2+"/a"); got != a {
			t.Errorf("%s: the owners of a are %s, want %s", step, got, a)
		}
		if got := owners(t, url, wheelsV2+"/b"); got != b {
			t.Errorf("%s: the owners of b are %s, want %s", step, got, b)
		}
	}
	expectOwners("two versions", one, applied)

	const gone = `{"code":500,"message":"request to convert CR to an invalid group/version: example.com/v1"}`
	playExactly(t, url, []exact{
		{"stored versions", patchDefinition(wheelDefinition+"/status", justTwo), 200, ""},
		{"remove v1", patchDefinition(wheelDefinition, versionsOf(aVersion("v2", true, aAndB))), 200, ""},
		{"apply", apply("a", "v2", "2", "two"), 500, gone},
		{"apply by the owner", apply("b", "v2", "2", "one"), 500, gone},
		{"merge", merge("a", `{"spec":{"a":9}}`), 200, shown("a", "v2", "3", `{"a":9,"b":"x"}`)},
		{"merge", merge("b", `{"spec":{"a":9}}`), 200, shown("b", "v2", "4", `{"a":9,"b":"x"}`)},
	})
	expectOwners("one version", one, applied)
	playExactly(t, url, []exact{
		{"reset", merge("a", `{"metadata":{"managedFields":[{}]}}`), 200, ""},
		{"apply", apply("a", "v2", "2", "two"), 200, shown("a", "v2", "4", `{"a":2,"b":"x"}`)},
	})
}
