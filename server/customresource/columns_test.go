package customresource_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/calls"
	"kubarium/server/customresource"
	"kubarium/server/kinds"
)

// mustRow is the row of a definition with a schema and columns.
func mustRow(t testing.TB, schema string, columns ...apiextensionsv1.CustomResourceColumnDefinition) *kinds.Kind {
	t.Helper()
	crd, props := &apiextensionsv1.CustomResourceDefinition{}, &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal([]byte(schema), props); err != nil {
		t.Fatal(err)
	}
	names := apiextensionsv1.CustomResourceDefinitionNames{Plural: "fs", Singular: "f", Kind: "F", ListKind: "FList"}
	crd.Name, crd.Spec.Group, crd.Spec.Names, crd.Status.AcceptedNames = "fs.example.com", "example.com", names, names
	crd.Spec.Scope = apiextensionsv1.ClusterScoped
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}, AdditionalPrinterColumns: columns,
	}}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	value, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	d, err := customresource.Read(value, 1, nil, calls.Way{})
	if err != nil || d.Stored == nil {
		t.Fatal(err)
	}
	return d.Stored
}

const anything = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`

func columnsOf(paths []string) (columns []apiextensionsv1.CustomResourceColumnDefinition) {
	for i, path := range paths {
		kind := []string{"string", "integer", "number", "boolean", "date"}[i%5]
		columns = append(columns, apiextensionsv1.CustomResourceColumnDefinition{Name: path, Type: kind, JSONPath: path})
	}
	return columns
}

// Columns that can be afforded are those of the official convertor, whatever their paths and the object.
func TestPrinter_columns(t *testing.T) {
	var paths []string
	for _, path := range []string{
		".spec", ".spec.n", ".spec.f", ".spec.on", ".spec.at", ".spec.text", ".spec.none.at.all", ".spec.list[0]", ".spec.list[-1].name", ".spec.list[7]",
		".spec.list[0:2].n", ".spec.list[*].name", ".one.*", ".one..name", ".one..n", ".spec.list[?(@.name==\"b\")].n", ".spec.list[?(@.n>1)].name",
		".spec.list[?(@.m)].n", ".spec.list['name','n']", ".spec['n','f']", ".metadata.labels.a\\.b/c", ".metadata.creationTimestamp", ".", ".spec.null",
		".spec.text..x", ".spec.text[0]", ".spec[?(@.n)]", ".metadata.name", ".items[0]",
	} {
		paths = append(paths, path, path, path, path, path)
	}
	row := mustRow(t, anything, columnsOf(paths)...)
	official, err := tableconvertor.New(columnsOf(paths))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"metadata":{"name":"x","creationTimestamp":"2020-01-02T03:04:05Z","labels":{"a.b/c":"l"}},"one":{"n":{"name":"only"}},"spec":{"n":7,"f":1.5,"on":true,"at":"2021-01-01T00:00:00Z",
		"text":"words","null":null,"list":[{"name":"a","n":1},{"name":"b","n":2,"m":{}},{"n":3}]}}`,
		`{"metadata":{"name":"x"}}`, `{"metadata":{"name":"x"},"spec":[]}`, `{"metadata":{"name":"x"},"spec":{"list":{"name":"m"}}}`,
		`{"metadata":{"name":"x"},"items":[]}`, `{"metadata":{"name":"x"},"items":[{"metadata":{"name":"in"},"spec":{"n":1}}]}`, `{"metadata":{"name":"x"},"items":[7]}`,
	} {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON([]byte(strings.Replace(text, "{", `{"apiVersion":"example.com/v1","kind":"F",`, 1))); err != nil && !u.IsList() {
			t.Fatal(err)
		}
		got := mustCells(t, row, u)
		want := []any{u.GetName()}
		table, err := official.ConvertToTable(context.Background(), u, nil)
		if err == nil && len(table.Rows) > 0 {
			want = table.Rows[0].Cells
		}
		if err == nil && !equality.Semantic.DeepEqual(row.Printer.Empty().ColumnDefinitions, table.ColumnDefinitions) {
			t.Errorf("columns %v, want %v", row.Printer.Empty().ColumnDefinitions, table.ColumnDefinitions)
		}
		if !slices.EqualFunc(got, want, equality.Semantic.DeepEqual) {
			t.Errorf("%s:\n%v, want\n%v", text, got, want)
		}
	}
}

// Columns that would take for ever, or all memory, are empty; those next to them are not.
func TestPrinter_columns_bounded(t *testing.T) {
	var deep any = "end"
	for range 36 {
		deep = map[string]any{"a": deep}
	}
	wide := make([]any, 2000)
	for i := range wide {
		wide[i] = map[string]any{"a": int64(i)}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "x"}, "spec": deep, "wide": wide, "text": strings.Repeat("x", 3<<20), "short": "s", "nested": []any{wide},
	}}
	for _, path := range []string{
		".spec" + strings.Repeat("..a", 12), ".spec" + strings.Repeat("..['a']", 9), ".wide" + strings.Repeat("[*,*]", 20) + ".a",
		".wide" + strings.Repeat("[0:,0:]", 30), ".spec['a','a']" + strings.Repeat("['a','a']", 30), ".text..a", ".text.*", ".wide[?(@..a)]" + strings.Repeat("[*,*]", 20),
		".nested" + strings.Repeat("[0,0,0,0,0,0]", 8) + "[?(@.a==@.a)]", ".nested" + strings.Repeat("[0,0,0,0,0,0,0]", 3) + "[?(@.a==1)]",
		".short}{range .spec" + strings.Repeat("..a", 9) + "}{.a}{end", ".short range", ".short" + strings.Repeat(".a", 1000), ".wide[0,0,0,0,0,0,0,0,0,0,0][?(@.a)]" + strings.Repeat("['a','a']", 12),
	} {
		began := time.Now()
		row := mustRow(t, anything, columnsOf([]string{".short", path})...)
		cells := mustCells(t, row, u)
		if took := time.Since(began); took > 2*time.Second || len(cells) != 3 || cells[0] != "x" || cells[1] != "s" || cells[2] != nil {
			t.Errorf("%s: %v %.100v", path, took, cells)
		}
	}
	// Many columns are bounded together.
	row := mustRow(t, anything, columnsOf(slices.Repeat([]string{".text", "..a"}, 1000))...)
	began := time.Now()
	cells := mustCells(t, row, u)
	if took := time.Since(began); took > 2*time.Second || cells[1] == nil || cells[len(cells)-1] != nil {
		t.Errorf("%v, %d cells", took, len(cells))
	}
}

// mustCells are the cells of an object's row.
func mustCells(t *testing.T, k *kinds.Kind, obj runtime.Object) []any {
	t.Helper()
	row, err := k.Printer.Row(obj)
	if err != nil {
		t.Fatal(err)
	}
	return row.Cells
}
