package openapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi"
)

// swaggerOf defines Thing, as described, at a path.
func swaggerOf(path, described string) []byte {
	return fmt.Appendf(nil, `{"swagger": "2.0", "info": {"title": "t", "version": "v1"},
		"paths": {%q: {"get": {"responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/Thing"}}}}}},
		"definitions": {"Thing": {"type": "object", "description": %q}}}`, path, described)
}

// If servers define different things by one name, the first keeps it. Equal definitions are there once.
func TestDocuments_Remotes_V2(t *testing.T) {
	d := openapi.New(served)
	told := []openapi.Remote{
		{Name: "v1.a", Version: "1", V2: swaggerOf("/apis/a/v1/things", "one")},
		{Name: "v1.b", Version: "1", V2: swaggerOf("/apis/b/v1/things", "another")},
		{Name: "v1.c", Version: "1", V2: swaggerOf("/apis/c/v1/things", "one")},
		{Name: "v1.d", Version: "1"},
	}
	own := d.V2()
	d.Remotes = func() []openapi.Remote { return told }
	hash := d.V2().Hash()
	var merged spec.Swagger
	if err := json.Unmarshal(d.V2().JSON(), &merged); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a": "Thing", "b": "Thing_v2", "c": "Thing"} {
		got := merged.Paths.Paths["/apis/"+path+"/v1/things"].Get.Responses.StatusCodeResponses[200].Schema.Ref.String()
		if got != "#/definitions/"+want {
			t.Errorf("%s refers to %s", path, got)
		}
	}
	if merged.Definitions["Thing"].Description != "one" || merged.Definitions["Thing_v2"].Description != "another" || merged.Info.Title != "Kubernetes" {
		t.Errorf("%s: Thing is %q, Thing_v2 %q", merged.Info.Title, merged.Definitions["Thing"].Description, merged.Definitions["Thing_v2"].Description)
	}
	if _, ok := merged.Paths.Paths["/api/v1/configmaps"]; !ok {
		t.Error("this server's own paths are gone")
	}
	var decoded openapi_v2.Document
	if err := proto.Unmarshal(d.V2().Proto(), &decoded); err != nil {
		t.Error(err)
	}
	told = slices.Clone(told) // a result must not change
	told[1].Version = "2"
	if d.V2().Hash() == hash {
		t.Error("the hash does not follow the servers")
	}
	told = told[3:]
	if d.V2().Hash() != own.Hash() {
		t.Error("something remains of servers that are gone")
	}
}

// A swagger that cannot be merged is left out, with a word about it, and the others are there.
func TestDocuments_Remotes_Broken(t *testing.T) {
	kinds := `"x-kubernetes-group-version-kind": `
	for name, broken := range map[string]string{
		"no JSON":         `{`,
		"kinds as text":   strings.Replace(string(swaggerOf("/apis/b/v1/things", "one")), `"description": "one"`, `"description": "one", `+kinds+`"none"`, 1),
		"kinds elsewhere": strings.Replace(string(swaggerOf("/apis/b/v1/things", "one")), `"description": "one"`, `"description": "one", `+kinds+`[{"kind": "Thing"}]`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			d := openapi.New(served)
			d.Remotes = func() []openapi.Remote {
				return []openapi.Remote{
					{Name: "v1.a", Version: "1", V2: swaggerOf("/apis/a/v1/things", "one")},
					{Name: "v1.b", Version: "1", V2: []byte(broken)},
					{Name: "v1.c", Version: "1", V2: swaggerOf("/apis/c/v1/things", "one")},
				}
			}
			var failed []string
			d.Failed = func(r openapi.Remote, err error) { failed = append(failed, r.Name) }
			var merged spec.Swagger
			if err := json.Unmarshal(d.V2().JSON(), &merged); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"/apis/a/v1/things", "/apis/c/v1/things"} {
				if _, ok := merged.Paths.Paths[path]; !ok {
					t.Errorf("%s is not there", path)
				}
			}
			if len(failed) != 1 || failed[0] != "v1.b" {
				t.Errorf("failed %q", failed)
			}
		})
	}
}

// Documents of other servers are listed where this one has none, the first server's if several have the path. Their
// texts are not here, except those that were made here.
func TestDocuments_Remotes_V3(t *testing.T) {
	d := openapi.New(served)
	own := string(d.Index())
	d.Remotes = func() []openapi.Remote {
		return []openapi.Remote{
			{Name: "v1.a", Version: "1", V3: map[string]string{"apis/a/v1": "/openapi/v3/apis/a/v1?hash=1", "apis/apps/v1": "/theirs", "version": "/theirs"}},
			{Name: "v2.a", Version: "1", V3: map[string]string{"apis/a/v1": "/later", "apis/a/v2": "/openapi/v3/apis/a/v2?hash=2"}},
			{Name: "v1.b", Version: "1", Converted: []byte(`{"openapi": "3.0.0"}`), ConvertedPath: "apis/b/v1"},
		}
	}
	index := string(d.Index())
	if strings.Contains(index, "/theirs") || strings.Contains(index, "/later") || !strings.Contains(index, "/openapi/v3/apis/a/v1?hash=1") || !strings.Contains(index, "/openapi/v3/apis/a/v2?hash=2") {
		t.Errorf("the index is %s", index)
	}
	if name, ok := d.V3Elsewhere("apis/a/v2"); !ok || name != "v2.a" {
		t.Errorf("apis/a/v2 is at %q", name)
	}
	for _, path := range []string{"apis/apps/v1", "apis/b/v1", "apis/none/v1"} {
		if name, ok := d.V3Elsewhere(path); ok {
			t.Errorf("%s is at %q", path, name)
		}
	}
	if doc, ok := d.V3("apis/b/v1"); !ok || string(doc.JSON()) != `{"openapi": "3.0.0"}` {
		t.Errorf("a converted document: %v", ok)
	}
	d.Remotes = nil
	if string(d.Index()) != own {
		t.Error("something remains of servers that are gone")
	}
}
