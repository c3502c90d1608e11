package seen

import (
	"maps"
	"slices"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// discovery answers with the kinds that went by, in the form of aggregated discovery: those of the core group, or all
// others.
func (s *Store) discovery(core bool) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	groups := map[string]*apidiscovery.APIGroupDiscovery{}
	for _, id := range slices.Sorted(maps.Keys(s.kinds)) {
		k := s.kinds[id]
		if (k.Group == "") != core {
			continue
		}
		g := groups[k.Group]
		if g == nil {
			g = &apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: k.Group}}
			groups[k.Group] = g
		}
		at := slices.IndexFunc(g.Versions, func(v apidiscovery.APIVersionDiscovery) bool { return v.Version == k.Version })
		if at < 0 {
			at = len(g.Versions)
			g.Versions = append(g.Versions, apidiscovery.APIVersionDiscovery{Version: k.Version})
		}
		scope := apidiscovery.ScopeCluster
		if k.Namespaced {
			scope = apidiscovery.ScopeNamespace
		}
		g.Versions[at].Resources = append(g.Versions[at].Resources, apidiscovery.APIResourceDiscovery{
			Resource: k.Resource, ResponseKind: &metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}, Scope: scope,
			Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"},
		})
	}
	list := apidiscovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{APIVersion: "apidiscovery.k8s.io/v2", Kind: "APIGroupDiscoveryList"}}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list.Items = append(list.Items, *groups[name])
	}
	return list
}
