package controllers

import (
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// collections asks the server's discovery what can be collected, in the preferred version of each group.
func (c Client) collections(ctx context.Context) ([]collection, error) {
	versions := map[string]string{"/api/v1": "v1"}
	prefixes := []string{"/api/v1"}
	var groups metav1.APIGroupList
	if err := c.do(ctx, http.MethodGet, "/apis", nil, &groups); err != nil {
		return nil, err
	}
	for _, g := range groups.Groups {
		prefix := "/apis/" + g.PreferredVersion.GroupVersion
		prefixes = append(prefixes, prefix)
		versions[prefix] = g.PreferredVersion.GroupVersion
	}
	var all []collection
	for _, prefix := range prefixes {
		var list metav1.APIResourceList
		if err := c.do(ctx, http.MethodGet, prefix, nil, &list); err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "delete") && slices.Contains(r.Verbs, "list") {
				all = append(all, collection{prefix, r.Name, versions[prefix], r.Kind, r.Namespaced})
			}
		}
	}
	return all, nil
}
