package discovery_test

import (
	"slices"
	"strings"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/discovery"
)

func gv(text string) schema.GroupVersion {
	group, version, _ := strings.Cut(text, "/")
	return schema.GroupVersion{Group: group, Version: version}
}

// rowsOf has a row of each group version.
func rowsOf(texts ...string) []discovery.Resource {
	var rows []discovery.Resource
	for _, text := range texts {
		rows = append(rows, discovery.Resource{GroupVersionKind: gv(text).WithKind("K"), Plural: "ks", Verbs: discovery.AllVerbs()})
	}
	return rows
}

// Both documents list group versions by priority. The plain one asks all APIServices, the aggregated one those alone that lead
// elsewhere, as in kube-apiserver.
func TestOrder(t *testing.T) {
	local := func(text string, group, version int32) discovery.Service {
		return discovery.Service{GroupVersion: gv(text), Priority: discovery.Priority{Group: group, Version: version}}
	}
	away := func(text string, group, version int32) discovery.Service {
		s := local(text, group, version)
		s.Alone = true
		return s
	}
	custom := []string{"z.example.com/v1", "a.example.com/v1beta1", "a.example.com/v1", "a.example.com/v2", "batch/v1"}
	for _, c := range []struct {
		name              string
		rows              []string
		services          []discovery.Service
		plain, aggregated string
	}{
		{name: "without APIServices stable before beta, new before old, groups by name",
			rows:       custom,
			plain:      "batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1",
			aggregated: "batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1"},
		{name: "groups of one priority by the names of APIServices, and aggregated by their own",
			rows:       []string{"a.example.com/v2", "z.example.com/v1"},
			plain:      "z.example.com/v1 a.example.com/v2",
			aggregated: "a.example.com/v2 z.example.com/v1"},
		{name: "a local APIService moves its group in the plain document alone",
			rows:       custom,
			services:   []discovery.Service{local("z.example.com/v1", 18500, 100)},
			plain:      "z.example.com/v1 batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1",
			aggregated: "batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1"},
		{name: "one version moves its whole group",
			rows:       custom,
			services:   []discovery.Service{local("a.example.com/v1beta1", 18500, 10)},
			plain:      "a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 batch/v1 z.example.com/v1",
			aggregated: "batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1"},
		{name: "a version of a higher priority is preferred",
			rows:       custom,
			services:   []discovery.Service{local("a.example.com/v1beta1", 1000, 200)},
			plain:      "batch/v1 a.example.com/v1beta1 a.example.com/v2 a.example.com/v1 z.example.com/v1",
			aggregated: "batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1"},
		{name: "a local APIService without resources is passed over",
			rows:       []string{"batch/v1"},
			services:   []discovery.Service{local("gone.example.com/v1", 1000, 100)},
			plain:      "batch/v1",
			aggregated: "batch/v1"},
		{name: "groups of other servers, before and after",
			rows:       custom,
			services:   []discovery.Service{away("m.example.com/v1", 19000, 15), away("n.example.com/v1", 100, 15)},
			plain:      "m.example.com/v1 batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1 n.example.com/v1",
			aggregated: "m.example.com/v1 batch/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1 z.example.com/v1 n.example.com/v1"},
		{name: "nothing comes before APIServices",
			rows:       []string{"apiregistration.k8s.io/v1", "batch/v1"},
			services:   []discovery.Service{away("a.example.com/v1", 20000, 15)},
			plain:      "apiregistration.k8s.io/v1 a.example.com/v1 batch/v1",
			aggregated: "apiregistration.k8s.io/v1 a.example.com/v1 batch/v1"},
		{name: "a group partly here and partly elsewhere",
			rows:       []string{"batch/v1", "autoscaling/v1", "autoscaling/v2"},
			services:   []discovery.Service{away("batch/v9", 18500, 20), away("autoscaling/v3", 500, 20)},
			plain:      "batch/v9 batch/v1 autoscaling/v2 autoscaling/v3 autoscaling/v1",
			aggregated: "batch/v9 batch/v1 autoscaling/v2 autoscaling/v3 autoscaling/v1"},
		{name: "another server answers for a custom resource",
			rows:       custom,
			services:   []discovery.Service{away("z.example.com/v1", 17000, 15)},
			plain:      "batch/v1 z.example.com/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1",
			aggregated: "batch/v1 z.example.com/v1 a.example.com/v2 a.example.com/v1 a.example.com/v1beta1"},
		{name: "the core group is elsewhere",
			rows:       []string{"/v1", "batch/v1"},
			services:   []discovery.Service{local("/v1", 18000, 1), away("/v2", 18000, 1)},
			plain:      "batch/v1",
			aggregated: "batch/v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var remotes []discovery.Remote
			for _, s := range c.services {
				if s.Alone {
					remotes = append(remotes, discovery.Remote{GroupVersion: s.GroupVersion, Priority: s.Priority, Freshness: apidiscoveryv2.DiscoveryFreshnessStale})
				}
			}
			slices.Reverse(remotes)
			var plain, aggregated []string
			for _, g := range discovery.Groups(rowsOf(c.rows...), c.services...).Groups {
				for i, v := range g.Versions {
					plain = append(plain, v.GroupVersion)
					if i == 0 && g.PreferredVersion != v {
						t.Errorf("%s prefers %s", g.Name, g.PreferredVersion.Version)
					}
				}
			}
			for _, g := range discovery.AggregatedGroups(rowsOf(c.rows...), remotes...).Items {
				for _, v := range g.Versions {
					aggregated = append(aggregated, g.Name+"/"+v.Version)
				}
			}
			if got := strings.Join(plain, " "); got != c.plain {
				t.Errorf("plain %s\nwant  %s", got, c.plain)
			}
			if got := strings.Join(aggregated, " "); got != c.aggregated {
				t.Errorf("aggregated %s\nwant       %s", got, c.aggregated)
			}
		})
	}
}

// Group versions of another server are listed as it says, and as fresh as they are; the rest as they are here.
func TestAggregatedGroups_Remotes(t *testing.T) {
	told := []apidiscoveryv2.APIResourceDiscovery{{Resource: "flunders", SingularResource: "flunder"}}
	remotes := []discovery.Remote{
		{GroupVersion: gv("apps/v1"), Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Resources: told},
		{GroupVersion: gv("apps/v2"), Freshness: apidiscoveryv2.DiscoveryFreshnessStale},
	}
	items := discovery.AggregatedGroups(of("apps", "coordination.k8s.io"), remotes...).Items
	var got []string
	for _, g := range items {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				got = append(got, g.Name+"/"+v.Version+" "+r.Resource)
			}
			got = append(got, g.Name+"/"+v.Version+" "+string(v.Freshness))
		}
	}
	want := []string{"coordination.k8s.io/v1 leases", "coordination.k8s.io/v1 Current", "apps/v2 Stale", "apps/v1 flunders", "apps/v1 Current"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A group that is elsewhere has its document.
func TestGroup_Elsewhere(t *testing.T) {
	services := []discovery.Service{
		{GroupVersion: gv("wardle.example.com/v1beta1"), Priority: discovery.Priority{Group: 1000, Version: 20}, Alone: true},
		{GroupVersion: gv("wardle.example.com/v1"), Priority: discovery.Priority{Group: 1000, Version: 10}, Alone: true},
	}
	g, ok := discovery.Group(nil, "wardle.example.com", services...)
	if !ok || g.PreferredVersion.Version != "v1beta1" || len(g.Versions) != 2 || g.Kind != "APIGroup" {
		t.Errorf("%v %+v", ok, g)
	}
}
