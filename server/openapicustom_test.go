package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

// The swagger is that of the built-in kinds, merged as kube-apiserver merges it with what the official builder makes of
// each served version, without defaults.
func TestServer_customSwagger(t *testing.T) {
	url, _ := mustServe(t, nil)
	var want spec.Swagger
	mustGet(t, url, "/openapi/v2", &want)
	for _, crd := range definitionsOf(t, "testdata/openapi-definitions.yaml") {
		establish(t, url, crd)
		for _, v := range served(crd) {
			own, err := builder.BuildOpenAPIV2(crd, v, builder.Options{V2: true, IncludeSelectableFields: true})
			if err != nil {
				t.Fatal(err)
			}
			merged, err := builder.MergeSpecs(&want, withoutDefaults(t, own))
			if err != nil {
				t.Fatal(err)
			}
			want = *merged
		}
	}
	var got any
	mustGet(t, url, "/openapi/v2", &got)
	compare(t, "", got, plain(t, &want))
}

// The document of a group version is what the official builder makes of its kinds.
func TestServer_customDocuments(t *testing.T) {
	url, _ := mustServe(t, nil)
	want := map[string][]*spec3.OpenAPI{}
	for _, crd := range definitionsOf(t, "testdata/openapi-definitions.yaml") {
		establish(t, url, crd)
		for _, v := range served(crd) {
			own, err := builder.BuildOpenAPIV3(crd, v, builder.Options{IncludeSelectableFields: true})
			if err != nil {
				t.Fatal(err)
			}
			path := "/openapi/v3/apis/" + crd.Spec.Group + "/" + v
			want[path] = append(want[path], own)
		}
	}
	for path, parts := range want {
		whole, err := builder.MergeSpecsV3(parts...)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		mustGet(t, url, path, &got)
		compare(t, path, got, plain(t, whole))
	}
	if code, _ := send(t, url, request{method: "GET", path: "/openapi/v3/apis/rich.example.com/v1alpha1"}); code != 404 {
		t.Errorf("a version that is not served has a document: %d", code)
	}
}

// definitionsOf reads the definitions of a file.
func definitionsOf(t *testing.T, file string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, part := range bytes.Split(text, []byte("\n---\n")) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(part, crd); err != nil {
			t.Fatal(err)
		}
		crds = append(crds, crd)
	}
	return crds
}

// establish stores a definition as an established one, and makes crd what is stored.
func establish(t *testing.T, url string, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	store := func(method, path string) {
		t.Helper()
		body, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		write(t, url, request{method: method, path: path, contentType: "application/json", body: string(body)}, crd)
	}
	store("POST", definitions)
	crd.Status.AcceptedNames = crd.Spec.Names
	for _, c := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted, apiextensionsv1.Established} {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{Type: c, Status: apiextensionsv1.ConditionTrue})
	}
	store("PUT", definitions+"/"+crd.Name+"/status")
}

func write(t *testing.T, url string, q request, into any) {
	t.Helper()
	code, body := send(t, url, q)
	if code != 200 && code != 201 {
		t.Fatalf("%s %s: %d %s", q.method, q.path, code, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err)
	}
}

func mustGet(t *testing.T, url, path string, into any) {
	t.Helper()
	write(t, url, request{method: "GET", path: path}, into)
}

func served(crd *apiextensionsv1.CustomResourceDefinition) (versions []string) {
	for _, v := range crd.Spec.Versions {
		if v.Served {
			versions = append(versions, v.Name)
		}
	}
	return versions
}

// withoutDefaults is a document as a client decodes it, which is how the official server merges those of its parts, and
// without the defaults that its handler.PruneDefaults drops.
func withoutDefaults(t *testing.T, s *spec.Swagger) *spec.Swagger {
	t.Helper()
	whole := plain(t, s).(map[string]any)
	for _, schema := range whole["definitions"].(map[string]any) {
		dropDefaults(schema)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	again := &spec.Swagger{}
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	return again
}

func dropDefaults(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	delete(s, "default")
	dropDefaults(s["items"])
	dropDefaults(s["additionalProperties"])
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		dropDefaults(p)
	}
}

func plain(t *testing.T, v any) (value any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// compare tells each member that differs.
func compare(t *testing.T, path string, got, want any) {
	t.Helper()
	g, isMap := got.(map[string]any)
	w, alsoMap := want.(map[string]any)
	if !isMap || !alsoMap {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %.300s\nwant %.300s", path, fmt.Sprint(got), fmt.Sprint(want))
		}
		return
	}
	members := slices.Sorted(maps.Keys(g))
	for name := range w {
		if _, ok := g[name]; !ok {
			t.Errorf("%s lacks %s: %.300s", path, name, fmt.Sprint(w[name]))
		}
	}
	for _, name := range members {
		if _, ok := w[name]; !ok {
			t.Errorf("%s has %s besides: %.300s", path, name, fmt.Sprint(g[name]))
			continue
		}
		compare(t, path+"/"+name, g[name], w[name])
	}
}
