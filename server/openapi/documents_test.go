package openapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi"
)

var (
	core         = schema.GroupVersion{Version: "v1"}
	apps         = schema.GroupVersion{Group: "apps", Version: "v1"}
	coordination = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	served       = []schema.GroupVersion{core, apps, coordination}
)

var reference = regexp.MustCompile(`"\$ref":"#/(components/schemas|definitions)/([^"]+)"`)

// path is where the document of a group version is, below /openapi/v3/.
func path(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

func checkReferences[T any](t *testing.T, text []byte, defined map[string]T) {
	t.Helper()
	found := reference.FindAllSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("nothing is referred to")
	}
	for _, m := range found {
		if _, ok := defined[string(m[2])]; !ok {
			t.Errorf("%s is referred to and not there", m[2])
		}
	}
}

// Every published document is one that kube-openapi reads, and all its references lead somewhere.
func TestDocuments_V3(t *testing.T) {
	all := groupVersions(t)
	d := openapi.New(all)
	for _, gv := range all {
		t.Run(gv.String(), func(t *testing.T) {
			published, ok := d.V3(path(gv))
			if !ok || len(published.Hash()) != 128 {
				t.Fatalf("ok %v", ok)
			}
			text := published.JSON()
			var document spec3.OpenAPI
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			if document.Version != "3.0.0" || len(document.Paths.Paths) == 0 {
				t.Errorf("version %q with %d paths", document.Version, len(document.Paths.Paths))
			}
			checkReferences(t, text, document.Components.Schemas)
			var decoded openapi_v3.Document
			if err := proto.Unmarshal(published.Proto(), &decoded); err != nil {
				t.Fatal(err)
			}
			if got, want := len(decoded.Paths.Path), len(document.Paths.Paths); got != want {
				t.Errorf("%d paths in Protobuf, %d in JSON", got, want)
			}
		})
	}
	if _, ok := d.V3("apis/golden.example.com/v1"); ok {
		t.Error("a document of a group that is not published")
	}
}

// What kubectl looks for: who an operation is about, that query parameters allow server-side validation, how lists merge.
func TestDocuments_V3_Extensions(t *testing.T) {
	published, _ := openapi.New(served).V3(path(apps))
	var document spec3.OpenAPI
	if err := json.Unmarshal(published.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	item := document.Paths.Paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
	if item == nil || item.Patch == nil || item.Get == nil || item.Put == nil || item.Delete == nil {
		t.Fatalf("the path of a deployment lacks operations: %+v", item)
	}
	if got := item.Patch.Extensions["x-kubernetes-action"]; got != "patch" {
		t.Errorf("x-kubernetes-action is %v", got)
	}
	gvk, _ := item.Patch.Extensions["x-kubernetes-group-version-kind"].(map[string]any)
	if gvk["group"] != "apps" || gvk["version"] != "v1" || gvk["kind"] != "Deployment" {
		t.Errorf("x-kubernetes-group-version-kind is %v", gvk)
	}
	if item.Patch.OperationId != "patchAppsV1NamespacedDeployment" {
		t.Errorf("operationId is %q", item.Patch.OperationId)
	}
	validates := false
	for _, p := range item.Patch.Parameters {
		validates = validates || p.Name == "fieldValidation"
	}
	if !validates {
		t.Error("PATCH has no parameter fieldValidation")
	}
	if document.Paths.Paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"] == nil {
		t.Error("no path of the subresource scale")
	}
	containers := document.Components.Schemas["io.k8s.api.core.v1.PodSpec"].Properties["containers"]
	for extension, want := range map[string]any{"x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge", "x-kubernetes-list-type": "map"} {
		if got := containers.Extensions[extension]; got != want {
			t.Errorf("%s of containers is %v, want %v", extension, got, want)
		}
	}
}

// The index leads to each document, and says the same in every process.
func TestDocuments_Index(t *testing.T) {
	d := openapi.New(served)
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(d.Index(), &index); err != nil {
		t.Fatal(err)
	}
	want := []string{".well-known/openid-configuration", "api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "apis/coordination.k8s.io",
		"apis/coordination.k8s.io/v1", "openid/v1/jwks", "version"}
	if got := slices.Sorted(maps.Keys(index.Paths)); !slices.Equal(got, want) {
		t.Errorf("paths %v, want %v", got, want)
	}
	for path, entry := range index.Paths {
		published, ok := d.V3(path)
		if !ok {
			t.Fatalf("%s is in the index and leads nowhere", path)
		}
		if want := "/openapi/v3/" + path + "?hash=" + published.Hash(); entry.ServerRelativeURL != want {
			t.Errorf("URL %q, want %q", entry.ServerRelativeURL, want)
		}
	}
	if !bytes.Equal(d.Index(), openapi.New(served).Index()) {
		t.Error("two indexes of the same group versions differ")
	}
	if _, ok := d.V3("apis/batch/v1"); ok {
		t.Error("a group version that is not served has a path")
	}
}

// The swagger holds what is served and nothing else.
func TestDocuments_V2(t *testing.T) {
	d := openapi.New(served)
	text, hash := d.V2().JSON(), d.V2().Hash()
	var swagger spec.Swagger
	if err := json.Unmarshal(text, &swagger); err != nil {
		t.Fatal(err)
	}
	checkReferences(t, text, swagger.Definitions)
	for _, m := range regexp.MustCompile(`"\$ref":"#/parameters/([^"]+)"`).FindAllSubmatch(text, -1) {
		if _, ok := swagger.Parameters[string(m[1])]; !ok {
			t.Errorf("the parameter %s is referred to and not there", m[1])
		}
	}
	for path := range swagger.Paths.Paths {
		within := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		if slices.Contains([]string{"/api/", "/apis/", "/apis/apps/", "/apis/coordination.k8s.io/", "/version/", "/.well-known/openid-configuration/", "/openid/v1/jwks/"}, path) {
			continue
		}
		if !slices.ContainsFunc([]string{"/api/v1/", "/apis/apps/v1/", "/apis/coordination.k8s.io/v1/"}, within) {
			t.Errorf("%s is not served", path)
		}
	}
	if _, ok := swagger.Definitions["io.k8s.api.batch.v1.Job"]; ok {
		t.Error("a Job is defined and not served")
	}
	if _, ok := swagger.Definitions["io.k8s.api.apps.v1.Deployment"]; !ok {
		t.Error("a Deployment is served and not defined")
	}
	var decoded openapi_v2.Document
	if err := proto.Unmarshal(d.V2().Proto(), &decoded); err != nil {
		t.Fatal(err)
	}
	if got, want := len(decoded.Paths.Path), len(swagger.Paths.Paths); got != want {
		t.Errorf("%d paths in Protobuf, %d in JSON", got, want)
	}
	if openapi.New(served[:1]).V2().Hash() == hash {
		t.Error("another swagger has the same hash")
	}
}

func TestTypes(t *testing.T) {
	schemas, err := openapi.Types("io.k8s.api.core.v1.ConfigMap")
	if err != nil {
		t.Fatal(err)
	}
	if schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"] == nil {
		t.Error("a ConfigMap refers to its metadata, which is not there")
	}
	if len(schemas) > 10 {
		t.Errorf("a ConfigMap needs %d definitions", len(schemas))
	}
	if _, err := openapi.Types("io.k8s.api.core.v1.Nothing"); err == nil {
		t.Error("no error for a name that is not published")
	}
}
