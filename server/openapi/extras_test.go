package openapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi"
)

// kind makes an Extra whose document has one path and one schema of its own and one that all share, and counts how often
// it is built.
func kind(gv schema.GroupVersion, name, version string, built map[string]int) openapi.Extra {
	collection, definition, shared := "/apis/"+gv.String()+"/"+name, "com.example."+name, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	own := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Description: version}}
	return openapi.Extra{
		GroupVersion: gv, Name: name, Version: version,
		V3: func() *spec3.OpenAPI {
			built["v3 "+name+" "+version]++
			return &spec3.OpenAPI{
				Version:    "3.0.0",
				Info:       &spec.Info{InfoProps: spec.InfoProps{Title: "Kinds", Version: "v1"}},
				Paths:      &spec3.Paths{Paths: map[string]*spec3.Path{collection: {}}},
				Components: &spec3.Components{Schemas: map[string]*spec.Schema{definition: &own, shared: &own}},
			}
		},
		V2: func() *spec.Swagger {
			built["v2 "+name+" "+version]++
			return &spec.Swagger{SwaggerProps: spec.SwaggerProps{
				Paths:       &spec.Paths{Paths: map[string]spec.PathItem{collection: {}}},
				Definitions: spec.Definitions{definition: own, shared: own},
			}}
		},
	}
}

var (
	shop = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	farm = schema.GroupVersion{Group: "farm.example.com", Version: "v1"}
)

func mustV3(t *testing.T, d *openapi.Documents, path string) (*openapi.Document, spec3.OpenAPI) {
	t.Helper()
	published, ok := d.V3(path)
	if !ok {
		t.Fatalf("no document at %s", path)
	}
	var document spec3.OpenAPI
	if err := json.Unmarshal(published.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	return published, document
}

// Kinds of one group version share a document in both forms, and each is built once.
func TestDocuments_Extras(t *testing.T) {
	built := map[string]int{}
	d := openapi.New(served)
	d.Extras = func() []openapi.Extra {
		return []openapi.Extra{kind(shop, "widgets", "1", built), kind(farm, "cows", "1", built), kind(shop, "gears", "1", built)}
	}
	d.Index()
	if len(built) > 0 {
		t.Errorf("the index built %v", built)
	}
	for range 2 {
		published, document := mustV3(t, d, path(shop))
		if document.Version != "3.0.0" || document.Info.Title != "Kinds" || len(document.Paths.Paths) != 2 || len(document.Components.Schemas) != 3 {
			t.Errorf("the document is %s", published.JSON())
		}
		var decoded openapi_v3.Document
		if err := proto.Unmarshal(published.Proto(), &decoded); err != nil || len(decoded.Paths.Path) != 2 {
			t.Errorf("Protobuf: %v with %d paths", err, len(decoded.Paths.Path))
		}
	}
	for name, times := range built {
		if times != 1 {
			t.Errorf("%s was built %d times", name, times)
		}
	}
	if len(built) != 2 {
		t.Errorf("built %v, want the two kinds of %s alone", built, shop)
	}
}

// The index, the documents and the swagger follow the source; unchanged parts are not built again.
func TestDocuments_Extras_Follow(t *testing.T) {
	built := map[string]int{}
	var told []openapi.Extra
	d := openapi.New(served)
	d.Extras = func() []openapi.Extra { return told }
	empty, builtIn := d.Index(), d.V2()

	told = []openapi.Extra{kind(shop, "widgets", "1", built), kind(farm, "cows", "1", built)}
	first, _ := mustV3(t, d, path(shop))
	cows, _ := mustV3(t, d, path(farm))
	if bytes.Equal(d.Index(), empty) {
		t.Error("the index does not list new kinds")
	}

	told = []openapi.Extra{kind(shop, "widgets", "2", built), kind(farm, "cows", "1", built)}
	second, document := mustV3(t, d, path(shop))
	same, _ := mustV3(t, d, path(farm))
	if first.Hash() == second.Hash() || cows.Hash() != same.Hash() {
		t.Error("the hash of a changed kind must change, and no other")
	}
	if document.Components.Schemas["com.example.widgets"].Description != "2" {
		t.Errorf("the document is the old one: %s", second.JSON())
	}
	if built["v3 cows 1"] != 1 || built["v3 widgets 2"] != 1 {
		t.Errorf("built %v", built)
	}

	told = told[1:]
	if _, ok := d.V3(path(shop)); ok {
		t.Error("a kind that is gone has a document")
	}
	told = nil
	if !bytes.Equal(d.Index(), empty) || d.V2() != builtIn {
		t.Error("something remains of kinds that are gone")
	}
}

// The swagger has the built-in definitions as they are, and those of other kinds next to them.
func TestDocuments_Extras_V2(t *testing.T) {
	built := map[string]int{}
	told := []openapi.Extra{kind(shop, "widgets", "1", built)}
	d := openapi.New(served)
	before := d.V2().Hash()
	d.Extras = func() []openapi.Extra { return told }
	var plain, merged spec.Swagger
	for into, text := range map[*spec.Swagger][]byte{&plain: openapi.New(served).V2().JSON(), &merged: d.V2().JSON()} {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	if d.V2().Hash() == before {
		t.Error("the hash is that of the swagger without the kind")
	}
	if got, want := len(merged.Paths.Paths), len(plain.Paths.Paths)+1; got != want {
		t.Errorf("%d paths, want %d", got, want)
	}
	if got, want := len(merged.Definitions), len(plain.Definitions)+1; got != want {
		t.Errorf("%d definitions, want %d", got, want)
	}
	if m := merged.Definitions["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]; m.Description == "1" {
		t.Error("a kind has replaced a built-in definition")
	}
	var decoded openapi_v2.Document
	if err := proto.Unmarshal(d.V2().Proto(), &decoded); err != nil {
		t.Fatal(err)
	}
	if built["v2 widgets 1"] != 1 {
		t.Errorf("built %v", built)
	}
}

// A kind that cannot be described is left out, and a built-in group version keeps its own document.
func TestDocuments_Extras_LeftOut(t *testing.T) {
	built := map[string]int{}
	broken, clashing := kind(shop, "broken", "1", built), kind(apps, "deployments", "1", built)
	broken.V3 = func() *spec3.OpenAPI { return nil }
	d := openapi.New(served)
	own, _ := d.V3(path(apps))
	d.Extras = func() []openapi.Extra {
		return slices.Clone([]openapi.Extra{broken, kind(shop, "widgets", "1", built), clashing})
	}
	if _, document := mustV3(t, d, path(shop)); document.Info.Title != "Kinds" || len(document.Paths.Paths) != 1 {
		t.Errorf("%d paths", len(document.Paths.Paths))
	}
	if same, _ := d.V3(path(apps)); same != own {
		t.Error("a built-in group version has another document")
	}
}
