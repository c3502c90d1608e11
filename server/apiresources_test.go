package server_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/kinds"
)

// knownGaps are the differences from Kubernetes 1.37 that we know, with the reason of each. It may only shrink: a gap that
// is none any more is a failure too.
var knownGaps = map[string]string{}

// official is what Kubernetes 1.37 says of its stable group versions.
type official struct {
	Groups []struct {
		Name     string
		Versions []string
	}
	Resources  map[string][]map[string]any // of the plain documents, by group version
	Aggregated map[string][]map[string]any // of the aggregated document of /apis
	Columns    map[string][]officialColumn // by group kind
}

// An officialColumn tells of a column's description only how the hash of it begins.
type officialColumn struct {
	Name, Type, Format, About string
	Priority                  int32
}

func mustReadOfficial(t *testing.T) (o official) {
	t.Helper()
	data, err := os.ReadFile("testdata/official/apiresources.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// gaps collects differences and compares them with those that are known.
type gaps map[string]string

func (g gaps) add(got, want any, format string, args ...any) {
	if !reflect.DeepEqual(got, want) {
		g[fmt.Sprintf(format, args...)] = fmt.Sprintf("got %v\nwant %v", got, want)
	}
}

func (g gaps) check(t *testing.T, known map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if known[name] == "" {
			t.Errorf("%s\n%s", name, g[name])
		}
	}
	for name := range known {
		if _, there := g[name]; !there {
			t.Errorf("no gap any more, take it off the list: %s", name)
		}
	}
}

// addResources compares the resources of one document, each member of each by itself.
func (g gaps) addResources(where, nameKey string, got, want []map[string]any) {
	g.add(names(got, nameKey), names(want, nameKey), "%s: names", where)
	ours := map[any]map[string]any{}
	for _, r := range got {
		ours[r[nameKey]] = r
	}
	for _, w := range want {
		r, there := ours[w[nameKey]]
		if !there {
			continue // told as a difference of the names
		}
		for key := range mergeKeys(r, w) {
			g.add(r[key], w[key], "%s %s: %s", where, w[nameKey], key)
		}
	}
}

func names(resources []map[string]any, key string) []any {
	var all []any
	for _, r := range resources {
		all = append(all, r[key])
	}
	return all
}

func mergeKeys(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func mustGetJSON(t *testing.T, url, path, accept string, into any) {
	t.Helper()
	code, body := send(t, url, request{method: "GET", path: path, header: map[string][]string{"Accept": {accept}}})
	if code != 200 {
		t.Fatalf("%s: %d %s", path, code, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err)
	}
}

// What the plain documents tell of stable group versions is what Kubernetes 1.37 tells: names, order, verbs, hashes.
func TestAPIResources_plain(t *testing.T) {
	url, _ := mustServe(t, nil)
	found := gaps{}
	for gv, want := range mustReadOfficial(t).Resources {
		path := "/apis/" + gv
		if !strings.Contains(gv, "/") {
			path = "/api/" + gv
		}
		var got struct{ Resources []map[string]any }
		mustGetJSON(t, url, path, "application/json", &got)
		found.addResources(gv, "name", got.Resources, want)
	}
	found.check(t, knownGaps)
}

const aggregatedJSON = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// The same for the aggregated document, which has no hashes, and for the order of groups and versions in it.
func TestAPIResources_aggregated(t *testing.T) {
	url, _ := mustServe(t, nil)
	want := mustReadOfficial(t)
	var got struct {
		Items []struct {
			Metadata struct{ Name string }
			Versions []struct {
				Version   string
				Resources []map[string]any
			}
		}
	}
	mustGetJSON(t, url, "/apis", aggregatedJSON, &got)
	found, order := gaps{}, []string{}
	for _, group := range got.Items {
		for _, v := range group.Versions {
			gv := group.Metadata.Name + "/" + v.Version
			if resources, stable := want.Aggregated[gv]; stable {
				order = append(order, gv)
				found.addResources(gv, "resource", plainKinds(v.Resources), plainKinds(resources))
			}
		}
	}
	var official []string
	for _, group := range want.Groups {
		for _, v := range group.Versions {
			official = append(official, group.Name+"/"+v)
		}
	}
	found.add(order, official, "order of group versions")
	found.check(t, nil)
}

// plainKinds drops the empty group and version that only one of two ways to write a response kind spells out.
func plainKinds(resources []map[string]any) []map[string]any {
	for _, r := range resources {
		if kind, ok := r["responseKind"].(map[string]any); ok {
			maps.DeleteFunc(kind, func(_ string, v any) bool { return v == "" })
		}
		if subs, ok := r["subresources"].([]any); ok {
			for _, d := range subs {
				plainKinds([]map[string]any{d.(map[string]any)})
			}
		}
	}
	return resources
}

// Every kind is shown in the columns that Kubernetes 1.37 shows, described in the same words.
func TestAPIResources_columns(t *testing.T) {
	want := mustReadOfficial(t).Columns
	found, seen := gaps{}, map[string]bool{}
	for _, k := range append(kinds.BuiltIn(), kinds.ComponentStatus()) {
		name := k.GroupKind().String()
		seen[name] = true
		if _, there := want[name]; there {
			found.add(describe(k.Printer.Empty().ColumnDefinitions), want[name], "%s", name)
		}
	}
	for name := range want {
		found.add(seen[name], true, "%s: served", name)
	}
	found.check(t, nil)
}

func describe(columns []metav1.TableColumnDefinition) []officialColumn {
	all := []officialColumn{}
	for _, c := range columns {
		about := fmt.Sprintf("%x", sha256.Sum256([]byte(c.Description)))[:8]
		all = append(all, officialColumn{Name: c.Name, Type: c.Type, Format: c.Format, About: about, Priority: c.Priority})
	}
	return all
}
