package discovery

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Remote is a group version for which another server answers: what is known of its resources, and how fresh that is.
type Remote struct {
	schema.GroupVersion
	Priority
	Freshness apidiscoveryv2.DiscoveryFreshness
	Resources []apidiscoveryv2.APIResourceDiscovery // read only
}

// AggregatedCore returns the aggregated document of /api, which holds the core group alone.
func AggregatedCore(rows []Resource) *apidiscoveryv2.APIGroupDiscoveryList {
	core := schema.GroupVersion{Version: "v1"}
	if resources := nested(rows, core); resources != nil {
		return aggregatedList(apidiscoveryv2.APIGroupDiscovery{Versions: []apidiscoveryv2.APIVersionDiscovery{current(core, resources)}})
	}
	return aggregatedList()
}

// AggregatedGroups returns the aggregated document of /apis: every group but the core group, by priority. Where a row and a remote are
// of one group version, the other server answers for it.
func AggregatedGroups(rows []Resource, remotes ...Remote) *apidiscoveryv2.APIGroupDiscoveryList {
	all := ofRows(rows)
	elsewhere := map[schema.GroupVersion]Remote{}
	for _, r := range remotes {
		if r.GroupVersion.Group != "" {
			all[r.GroupVersion], elsewhere[r.GroupVersion] = r.Priority, r
		}
	}
	byVersion := map[schema.GroupVersion][]Resource{}
	for _, r := range rows {
		byVersion[r.GroupVersion()] = append(byVersion[r.GroupVersion()], r)
	}
	var groups []apidiscoveryv2.APIGroupDiscovery
	for _, versions := range inGroups(placesOf(all), byGroup) {
		group := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: versions[0].gv.Group}}
		for _, p := range versions {
			told := current(p.gv, nested(byVersion[p.gv], p.gv))
			if r, ok := elsewhere[p.gv]; ok {
				told.Freshness, told.Resources = r.Freshness, r.Resources
			}
			group.Versions = append(group.Versions, told)
		}
		groups = append(groups, group)
	}
	return aggregatedList(groups...)
}

func current(gv schema.GroupVersion, resources []apidiscoveryv2.APIResourceDiscovery) apidiscoveryv2.APIVersionDiscovery {
	return apidiscoveryv2.APIVersionDiscovery{Version: gv.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Resources: resources}
}

func aggregatedList(groups ...apidiscoveryv2.APIGroupDiscovery) *apidiscoveryv2.APIGroupDiscoveryList {
	return &apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: apidiscoveryv2.SchemeGroupVersion.String()},
		Items:    append([]apidiscoveryv2.APIGroupDiscovery{}, groups...),
	}
}

// ETag returns what the ETag header says of an aggregated document, without the double quotes around it.
func ETag(list *apidiscoveryv2.APIGroupDiscoveryList) (string, error) {
	unnamed := *list
	unnamed.TypeMeta = metav1.TypeMeta{} // the hash is of the content, in whichever version it is sent
	data, err := json.Marshal(unnamed)
	if err != nil {
		return "", fmt.Errorf("hash the discovery document: %w", err)
	}
	return fmt.Sprintf("%X", sha512.Sum512(data)), nil
}

// nested returns the rows of a group version in the order of its plain document, with subresources inside.
func nested(rows []Resource, gv schema.GroupVersion) []apidiscoveryv2.APIResourceDiscovery {
	byName := map[string]Resource{}
	for _, r := range rows {
		if r.GroupVersion() == gv {
			byName[r.Plural] = r
		}
	}
	var list []apidiscoveryv2.APIResourceDiscovery
	for _, flat := range resourcesOf(rows, gv) {
		if r, ok := byName[flat.Name]; ok {
			list = append(list, r.nested())
		}
	}
	for _, r := range rows {
		// A resource that has only subresources is listed after the others, without verbs.
		if r.GroupVersion() == gv && len(r.Verbs) == 0 {
			list = append(list, r.nested())
		}
	}
	return list
}

func (r Resource) nested() apidiscoveryv2.APIResourceDiscovery {
	d := apidiscoveryv2.APIResourceDiscovery{
		Resource: r.Plural, Scope: apidiscoveryv2.ScopeCluster, SingularResource: r.Singular,
		Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories, ResponseKind: r.responseKind(r.GroupVersionKind),
	}
	if r.Namespaced {
		d.Scope = apidiscoveryv2.ScopeNamespace
	}
	if len(r.Verbs) == 0 {
		d.ResponseKind, d.SingularResource = &metav1.GroupVersionKind{}, ""
	}
	for _, s := range r.inOrder() {
		d.Subresources = append(d.Subresources, apidiscoveryv2.APISubresourceDiscovery{
			Subresource: s.Name, Verbs: s.Verbs, ResponseKind: r.responseKind(s.Kind),
		})
	}
	return d
}

func (r Resource) responseKind(kind schema.GroupVersionKind) *metav1.GroupVersionKind {
	if !r.Custom && kind.GroupVersion() == r.GroupVersion() {
		return &metav1.GroupVersionKind{Kind: kind.Kind}
	}
	return &metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
}

// inOrder returns the subresources in the order of the plain document.
func (r Resource) inOrder() []Subresource {
	if r.Custom {
		return r.Subresources
	}
	return slices.SortedFunc(slices.Values(r.Subresources), func(a, b Subresource) int { return strings.Compare(a.Name, b.Name) })
}
