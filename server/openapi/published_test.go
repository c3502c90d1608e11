package openapi_test

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi"
)

var update = flag.Bool("update", false, "write testdata/published.txt again")

const publishedTable = "testdata/published.txt"

// groupVersions are those of all published documents, which are the ones at api/VERSION and apis/GROUP/VERSION.
func groupVersions(t *testing.T) []schema.GroupVersion {
	t.Helper()
	files, err := os.ReadDir("published")
	if err != nil {
		t.Fatal(err)
	}
	var gvs []schema.GroupVersion
	for _, f := range files {
		parts := strings.Split(strings.TrimSuffix(f.Name(), ".json.gz"), "_")
		switch {
		case parts[0] == "api" && len(parts) == 2:
			gvs = append(gvs, schema.GroupVersion{Version: parts[1]})
		case parts[0] == "apis" && len(parts) == 3:
			gvs = append(gvs, schema.GroupVersion{Group: parts[1], Version: parts[2]})
		}
	}
	return gvs
}

// Every document has the paths, operations and schemas that testdata/published.txt counts. testdata/README.md says how
// these were held against what Kubernetes publishes.
func TestDocuments_Published(t *testing.T) {
	d := openapi.New(groupVersions(t))
	var index struct{ Paths map[string]any }
	if err := json.Unmarshal(d.Index(), &index); err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprintf("%-40s %5s %10s %7s  %s", "# document", "paths", "operations", "schemas", "sha256 of the schemas")}
	for _, path := range slices.Sorted(maps.Keys(index.Paths)) {
		published, document := mustV3(t, d, path)
		if !slices.Contains([]string{".well-known/openid-configuration", "openid/v1/jwks", "version"}, path) { // which have no list and no object
			checkReferences(t, published.JSON(), document.Components.Schemas)
		}
		lines = append(lines, countV3(t, path, document))
	}
	lines = append(lines, countV2(t, d))
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(publishedTable, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(publishedTable)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the published documents have changed; if that is right, say -update. They are now\n%s", got)
	}
}

func countV3(t *testing.T, path string, document spec3.OpenAPI) string {
	t.Helper()
	operations := 0
	for _, p := range document.Paths.Paths {
		for _, o := range []*spec3.Operation{p.Get, p.Put, p.Post, p.Delete, p.Options, p.Head, p.Patch} {
			if o != nil {
				operations++
			}
		}
	}
	return line(t, path, len(document.Paths.Paths), operations, len(document.Components.Schemas), document.Components.Schemas)
}

func countV2(t *testing.T, d *openapi.Documents) string {
	t.Helper()
	var document spec.Swagger
	if err := json.Unmarshal(d.V2().JSON(), &document); err != nil {
		t.Fatal(err)
	}
	operations := 0
	for _, p := range document.Paths.Paths {
		for _, o := range []*spec.Operation{p.Get, p.Put, p.Post, p.Delete, p.Options, p.Head, p.Patch} {
			if o != nil {
				operations++
			}
		}
	}
	return line(t, "swagger", len(document.Paths.Paths), operations, len(document.Definitions), document.Definitions)
}

func line(t *testing.T, path string, paths, operations, count int, schemas any) string {
	t.Helper()
	text, err := json.Marshal(schemas)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%-40s %5d %10d %7d  %x", path, paths, operations, count, sha256.Sum256(text))
}
