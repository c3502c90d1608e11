package controllers

import (
	"context"
	"net/http"
	"slices"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A collection is a resource whose objects can be listed, watched and deleted.
type collection struct {
	prefix     string // "/api/v1", "/apis/apps/v1"
	resource   string
	version    string // apiVersion of its objects: "apps/v1"
	kind       string
	namespaced bool
}

// in is the path of the collection in a namespace; "" is that over all namespaces, or of what lives in none.
func (c collection) in(namespace string) string {
	if namespace == "" {
		return c.prefix + "/" + c.resource
	}
	return c.prefix + "/namespaces/" + namespace + "/" + c.resource
}

// groupKind is the kind of its objects, in whichever version.
func (c collection) groupKind() schema.GroupKind {
	return schema.FromAPIVersionAndKind(c.version, c.kind).GroupKind()
}

// An inventory is what a server serves at the moment.
type inventory struct {
	collections []collection // each resource once, in the version that its group prefers
}

// groupList is the media type of discovery in one document.
const groupList = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// inventory asks the server's discovery what can be collected.
func (c Client) inventory(ctx context.Context) (inventory, error) {
	c.Accept = groupList
	var all inventory
	for _, root := range []string{"/api", "/apis"} {
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := c.do(ctx, http.MethodGet, root, nil, &list); err != nil {
			return inventory{}, err
		}
		for _, g := range list.Items {
			all.add(root, g)
		}
	}
	return all, nil
}

// add takes in a group, whose versions come in the order of preference.
func (i *inventory) add(root string, g apidiscoveryv2.APIGroupDiscovery) {
	seen := map[string]bool{}
	for _, v := range g.Versions {
		gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
		if v.Freshness == apidiscoveryv2.DiscoveryFreshnessStale {
			continue // its server does not answer
		}
		for _, r := range v.Resources {
			if r.ResponseKind == nil || !slices.Contains(r.Verbs, "delete") || !slices.Contains(r.Verbs, "list") {
				continue
			}
			c := collection{
				prefix: root + "/" + gv.String(), resource: r.Resource, version: gv.String(), kind: r.ResponseKind.Kind,
				namespaced: r.Scope == apidiscoveryv2.ScopeNamespace,
			}
			if !seen[r.Resource] {
				seen[r.Resource] = true
				i.collections = append(i.collections, c)
			}
		}
	}
}
