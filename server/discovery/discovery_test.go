package discovery_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/discovery"
)

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

func subresource(name string, kind schema.GroupVersionKind) discovery.Subresource {
	return discovery.Subresource{Name: name, Kind: kind, Verbs: discovery.SubresourceVerbs()}
}

// rows are what the recordings have in common with any server, out of order.
func rows() []discovery.Resource {
	deployment, widget := gvk("apps", "v1", "Deployment"), gvk("golden.example.com", "v1", "Widget")
	definition := gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
	return []discovery.Resource{
		{GroupVersionKind: widget, Plural: "widgets", Singular: "widget", ShortNames: []string{"wd"}, Categories: []string{"golden"},
			Namespaced: true, Verbs: discovery.CustomVerbs(), Storage: widget.GroupVersion(), Custom: true,
			Subresources: []discovery.Subresource{subresource("status", widget), subresource("scale", gvk("autoscaling", "v1", "Scale"))}},
		{GroupVersionKind: gvk("coordination.k8s.io", "v1", "Lease"), Plural: "leases", Singular: "lease", Namespaced: true,
			Verbs: discovery.AllVerbs(), Storage: schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}},
		{GroupVersionKind: definition, Plural: "customresourcedefinitions", Singular: "customresourcedefinition",
			ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, Verbs: discovery.AllVerbs(),
			Subresources: []discovery.Subresource{subresource("status", definition)}},
		{GroupVersionKind: deployment, Plural: "deployments", Singular: "deployment", ShortNames: []string{"deploy"},
			Categories: []string{"all"}, Namespaced: true, Verbs: discovery.AllVerbs(), Storage: deployment.GroupVersion(),
			Subresources: []discovery.Subresource{subresource("status", deployment)}},
		{GroupVersionKind: gvk("", "v1", "Secret"), Plural: "secrets", Singular: "secret", Namespaced: true,
			Verbs: discovery.AllVerbs(), Storage: schema.GroupVersion{Version: "v1"}},
		{GroupVersionKind: gvk("", "v1", "ConfigMap"), Plural: "configmaps", Singular: "configmap", ShortNames: []string{"cm"},
			Namespaced: true, Verbs: discovery.AllVerbs(), Storage: schema.GroupVersion{Version: "v1"}},
	}
}

// of returns the rows of those groups.
func of(groups ...string) []discovery.Resource {
	return slices.DeleteFunc(rows(), func(r discovery.Resource) bool { return !slices.Contains(groups, r.Group) })
}

func first[T any](value T, _ bool) any { return value }

// recorded returns the bodies of the first answers of the recorded cases.
func recorded(t *testing.T) map[string]map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/discovery.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name  string
			Steps []struct {
				Response struct{ Body map[string]any }
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	bodies := map[string]map[string]any{}
	for _, c := range file.Cases {
		bodies[c.Name] = c.Steps[0].Response.Body
	}
	return bodies
}

func mustBody(t *testing.T, document any) map[string]any {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func dropItemMetadata(body map[string]any, names ...string) {
	for _, item := range body["items"].([]any) {
		item := item.(map[string]any)
		if name := item["metadata"].(map[string]any)["name"]; slices.Contains(names, nameOf(name)) {
			delete(item, "metadata")
		}
	}
}

func nameOf(v any) string {
	s, _ := v.(string)
	return s
}

// Every document is the recorded one; drop removes what the recording left out.
func TestDocuments(t *testing.T) {
	const golden, leases, crds = "golden.example.com", "coordination.k8s.io", "apiextensions.k8s.io"
	bodies := recorded(t)
	for _, c := range []struct {
		name     string
		document any
		drop     func(body map[string]any)
	}{
		{"api", discovery.APIVersions(rows(), "127.0.0.1:8080"), func(b map[string]any) { delete(b, "serverAddressByClientCIDRs") }},
		{"apis", discovery.Groups(of("", "apps", leases, golden)), func(b map[string]any) { delete(b, "apiVersion") }},
		{"api-v1", first(discovery.Resources(rows(), schema.GroupVersion{Version: "v1"})), nil},
		{"apps-v1", first(discovery.Resources(rows(), schema.GroupVersion{Group: "apps", Version: "v1"})), nil},
		{"apps-group", first(discovery.Group(rows(), "apps")), nil},
		{"crd-group", first(discovery.Group(rows(), golden)), nil},
		{"crd-version", first(discovery.Resources(rows(), schema.GroupVersion{Group: golden, Version: "v1"})), nil},
		{"apiextensions-group", first(discovery.Group(rows(), crds)), nil},
		{"apiextensions-version", first(discovery.Resources(rows(), schema.GroupVersion{Group: crds, Version: "v1"})), nil},
		{"aggregated-api", discovery.AggregatedCore(rows()), func(b map[string]any) { dropItemMetadata(b, "") }},
		{"aggregated-apis", discovery.AggregatedGroups(of("", leases, golden)), func(b map[string]any) {
			delete(b, "metadata")
			dropItemMetadata(b, leases)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := bodies[c.name], mustBody(t, c.document)
			if want == nil {
				t.Fatal("not recorded")
			}
			if c.drop != nil {
				c.drop(got)
			}
			if !reflect.DeepEqual(got, want) {
				g, _ := json.Marshal(got)
				w, _ := json.Marshal(want)
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestNotServed(t *testing.T) {
	if _, ok := discovery.Group(rows(), "batch"); ok {
		t.Error("a group without rows is served")
	}
	if _, ok := discovery.Group(rows(), ""); ok {
		t.Error("the core group has a document below /apis")
	}
	if _, ok := discovery.Resources(rows(), schema.GroupVersion{Group: "apps", Version: "v2"}); ok {
		t.Error("a version without rows is served")
	}
}

// A subresource of another group version names it; one without a parent of its own is still listed.
func TestResources_Subresources(t *testing.T) {
	list := []discovery.Resource{{GroupVersionKind: gvk("apps", "v1", "ReplicaSet"), Plural: "replicasets", Namespaced: true,
		Subresources: []discovery.Subresource{subresource("scale", gvk("autoscaling", "v1", "Scale"))}}}
	plain, _ := discovery.Resources(list, schema.GroupVersion{Group: "apps", Version: "v1"})
	if r := plain.APIResources; len(r) != 1 || r[0].Name != "replicasets/scale" || r[0].Group != "autoscaling" || r[0].Version != "v1" {
		t.Errorf("plain: %+v", r)
	}
	nested := discovery.AggregatedGroups(list).Items[0].Versions[0].Resources
	if len(nested) != 1 || len(nested[0].Subresources) != 1 || *nested[0].Subresources[0].ResponseKind != (metav1.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}) {
		t.Errorf("aggregated: %+v", nested)
	}
}

// The ETag follows what is served and nothing else.
func TestETag(t *testing.T) {
	one, err := discovery.ETag(discovery.AggregatedGroups(rows()))
	if err != nil {
		t.Fatal(err)
	}
	shuffled := rows()
	slices.Reverse(shuffled)
	two, _ := discovery.ETag(discovery.AggregatedGroups(shuffled))
	less, _ := discovery.ETag(discovery.AggregatedGroups(rows()[1:]))
	if len(one) != 128 || one != two || one == less {
		t.Errorf("ETags %.8s, %.8s for the same rows, %.8s for fewer", one, two, less)
	}
}
